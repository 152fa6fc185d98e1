#include "certify/overview.hpp"

#include "certify/assess.hpp"
#include "parallel/long_vectors.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>

namespace pliant {
namespace {

// The class of a number without a logarithm, since there are millions. Numbers with the same exponent and the same
// first three bits behind it differ by less than a class, so that one comparison is left.
class ClassTable {
 public:
  ClassTable() {
    begin_.fill(std::numeric_limits<double>::quiet_NaN());  // nothing lies beyond the last class
    for (int k = 0; k < SlackHistogram::kClasses; ++k) {
      begin_[static_cast<std::size_t>(k + 1)] =
          std::pow(10.0, SlackHistogram::kLowest + static_cast<double>(k) / SlackHistogram::kPerDecade);
    }
    for (std::uint64_t cell = 0; cell < first_.size(); ++cell) {
      const auto least = std::bit_cast<double>(cell << kShift);
      const auto next = std::upper_bound(begin_.begin() + 1, begin_.end() - 1, least);
      first_[cell] = static_cast<std::int16_t>(next - begin_.begin() - 1);
    }
  }
  /// 0: below all classes, k + 1: in class k.
  int of(double size) const {
    const auto k = static_cast<std::size_t>(first_[std::bit_cast<std::uint64_t>(size) >> kShift]);
    return static_cast<int>(k) + (size >= begin_[k + 1] ? 1 : 0);
  }

 private:
  static constexpr int kShift = 49;
  std::array<double, SlackHistogram::kClasses + 2> begin_;  // of class k at k + 1
  std::array<std::int16_t, 1 << 14> first_;                 // by the leading bits of |a|
};

constexpr int kClasses = SlackHistogram::kClasses;

void add_all(ConstVectorRef a, SlackHistogram& h) {
  if (a.size() == 0) return;
  h.satisfied.resize(kClasses);
  h.violated.resize(kClasses);
  static const ClassTable classes;
  using Counts = std::array<Index, 2 * (kClasses + 1) + 1>;  // below all classes, the classes; satisfied, then violated
  constexpr std::size_t kUnknown = 2 * (kClasses + 1);
  for (const Counts& counts : parallel::parts<Counts>(a.size(), [&](Index begin, Index end) {
         Counts part{};
         for (Index i = begin; i < end; ++i) {
           const auto side = static_cast<std::size_t>(a[i] < 0.0 ? 0 : kClasses + 1);
           ++part[std::isnan(a[i]) ? kUnknown : static_cast<std::size_t>(classes.of(std::abs(a[i]))) + side];
         }
         return part;
       })) {
    h.unknown += counts[kUnknown];
    h.boundary += counts[0] + counts[kClasses + 1];
    for (std::size_t k = 0; k < kClasses; ++k) {
      h.satisfied[k] += counts[k + 1];
      h.violated[k] += counts[kClasses + 2 + k];
    }
  }
}

}  // namespace

Index SlackHistogram::total() const {
  Index sum = boundary + unknown;
  for (const std::vector<Index>* side : {&satisfied, &violated}) {
    for (Index count : *side) sum += count;
  }
  return sum;
}

void SlackHistogram::add(double a) { add_all(Eigen::Map<const Vector>(&a, 1), *this); }

namespace {

// The largest |multiplier| seen so far, in a heap whose front is the smallest of them. Of equal ones the first count.
class Leaders {
 public:
  void offer(const LeadingMultiplier& candidate) {
    if (!(std::abs(candidate.multiplier) > 0.0)) return;  // nor NaN
    if (static_cast<Index>(kept_.size()) == ConstraintOverview::kLeading) {
      if (!before(candidate, kept_.front())) return;
      std::pop_heap(kept_.begin(), kept_.end(), before);
      kept_.pop_back();
    }
    kept_.push_back(candidate);
    std::push_heap(kept_.begin(), kept_.end(), before);
  }

  /// Candidates that come later, in the order of rows, are of no use unless they are larger than this.
  double least() const {
    const bool full = static_cast<Index>(kept_.size()) == ConstraintOverview::kLeading;
    return full ? std::abs(kept_.front().multiplier) : 0.0;
  }

  std::vector<LeadingMultiplier> take() {
    std::sort_heap(kept_.begin(), kept_.end(), before);
    return std::move(kept_);
  }

 private:
  static bool before(const LeadingMultiplier& a, const LeadingMultiplier& b) {
    const double size_a = std::abs(a.multiplier), size_b = std::abs(b.multiplier);
    if (size_a != size_b) return size_a > size_b;
    return std::tie(a.kind, a.part, a.row) < std::tie(b.kind, b.part, b.row);
  }
  std::vector<LeadingMultiplier> kept_;
};

LinearRows::Side side_of(const LinearRows* linear, Index i) {
  return linear != nullptr ? linear->side(i) : LinearRows::Side{i, 1.0};
}

// One offer per cone: the size of its dual point, or the sum over its eigenvalues.
void offer_eigenvalues(const ConstraintBatch& batch, Index part, ConstVectorRef a, ConstVectorRef multipliers,
                       const Vector* dual_points, Leaders& leaders) {
  const Index g = batch.group(), cones = batch.size() / g;
  const Index rows = dual_points != nullptr ? dual_points->size() / std::max<Index>(1, cones) : 0;
  for (Index c = 0; c < cones; ++c) {
    const double size =
        dual_points != nullptr ? dual_points->segment(c * rows, rows).norm() : multipliers.segment(c * g, g).sum();
    leaders.offer({LeadingMultiplier::Kind::constraint, part, c, size, a.segment(c * g, g).maxCoeff()});
  }
}

// The sides of a two-sided row follow each other and share a dual; its value is that of the side that weighs more.
void offer_rows(const Problem& problem, const ConstraintSystem& system, ConstVectorRef a, ConstVectorRef multipliers,
                const std::vector<Vector>& dual_points, Leaders& leaders) {
  const auto batches = static_cast<Index>(problem.batches().size());
  std::size_t next = 0;
  for (Index s = 0; s < system.segments(); ++s) {
    const ConstraintBatch& batch = system.batch(s);
    if (batch.group() > 1) {
      offer_eigenvalues(batch, s, a.segment(system.segment_begin(s), batch.size()),
                        multipliers.segment(system.segment_begin(s), batch.size()),
                        next < dual_points.size() ? &dual_points[next] : nullptr, leaders);
      ++next;
      continue;
    }
    const LinearRows* linear = batch.linear_rows();
    const bool two_sided = linear != nullptr && linear->two_sided();
    const auto kind = s < batches ? LeadingMultiplier::Kind::constraint : LeadingMultiplier::Kind::equality;
    const Index begin = system.segment_begin(s);
    // Each chunk has leaders of its own; a row belongs to the one it begins in.
    const auto lead = [&](Index first, Index last) {
      Leaders found;
      Index i = first;
      while (i > 0 && i < last && side_of(linear, i).row == side_of(linear, i - 1).row) ++i;
      while (i < last) {
        if (!two_sided && !(std::abs(multipliers[begin + i]) > found.least())) {
          ++i;
          continue;
        }
        LeadingMultiplier leader{kind, s < batches ? s : 0, side_of(linear, i).row, 0.0, a[begin + i]};
        double heaviest = 0.0;
        for (; i < batch.size() && side_of(linear, i).row == leader.row; ++i) {
          const double multiplier = multipliers[begin + i];
          leader.multiplier += side_of(linear, i).sign * multiplier;
          if (multiplier <= heaviest) continue;
          heaviest = multiplier;
          leader.value = a[begin + i];
        }
        found.offer(leader);
      }
      return found;
    };
    for (Leaders& found : parallel::parts<Leaders>(batch.size(), lead)) {
      for (const LeadingMultiplier& leader : found.take()) leaders.offer(leader);
    }
  }
}

// Cones come one after the other; rows of nonnegative ones have a distance each, those of zero ones none.
void offer_cones(const Problem& problem, ConstVectorRef distances, const std::vector<Vector>& multipliers,
                 Leaders& leaders) {
  Index next = 0;
  for (std::size_t c = 0; c < multipliers.size(); ++c) {
    Index first = 0, number = 0;
    for (const Cone& cone : problem.conic()[c].cones) {
      const bool by_row = cone.kind == ConeKind::nonnegative || cone.kind == ConeKind::zero;
      for (Index k = 0; k < (by_row ? cone.rows : 1); ++k, ++number) {
        const double z = by_row ? multipliers[c][first + k] : multipliers[c].segment(first, cone.rows).norm();
        const double value = cone.kind == ConeKind::zero ? 0.0 : distances[next++];
        leaders.offer({LeadingMultiplier::Kind::cone, static_cast<Index>(c), number, z, value});
      }
      first += cone.rows;
    }
  }
}

}  // namespace

namespace {

// Rows at their kink are those that certificates count as active.
SoftOverview survey_soft(const ConstraintSystem& system, ConstVectorRef a) {
  SoftOverview out;
  out.cost = system.soft_value(a);
  for (Index s = 0; s < system.segments(); ++s) {
    const Index begin = system.segment_begin(s), size = system.caps(s).size();
    struct Sides {
      Index below = 0, beyond = 0;
    };
    const auto count = [&](Index first, Index last) {
      Sides seen;
      system.for_scales(s, first, last, [&](Index i, double scale) {
        const double far = a[begin + i], near = kActiveTolerance * scale;
        seen.below += far < -near ? 1 : 0;
        seen.beyond += far > near ? 1 : 0;
      });
      return seen;
    };
    for (const Sides& part : parallel::parts<Sides>(size, count)) {
      out.at_zero += part.below;
      out.at_price += part.beyond;
      out.at_kink -= part.below + part.beyond;
    }
    out.at_kink += size;
  }
  return out;
}

}  // namespace

ConstraintOverview survey(const Problem& problem, const ConstraintSystem& system, ConstVectorRef a,
                          ConstVectorRef multipliers, ConstVectorRef cone_distances,
                          const std::vector<Vector>& cone_multipliers, Index bounded) {
  ConstraintOverview out;
  if (system.has_soft_rows()) {  // beyond their kink they have a price: that is no violation
    add_all(system.hard_rows(a), out.slacks);
    out.soft = survey_soft(system, a);
  } else if (system.grouped()) {
    add_all(system.group_maxima(a), out.slacks);
  } else {
    add_all(a.head(system.inequalities()), out.slacks);
  }
  add_all(cone_distances, out.slacks);
  out.slacks.bounded = bounded;
  Leaders leaders;
  offer_rows(problem, system, a, multipliers,
             system.grouped() && problem.conic().empty() ? cone_multipliers : std::vector<Vector>{}, leaders);
  if (!problem.conic().empty()) offer_cones(problem, cone_distances, cone_multipliers, leaders);
  out.leading = leaders.take();
  return out;
}

}  // namespace pliant
