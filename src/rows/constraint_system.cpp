#include "rows/constraint_system.hpp"

#include "linalg/sums.hpp"
#include "parallel/long_vectors.hpp"

#include <algorithm>

namespace pliant {

ConstraintSystem::ConstraintSystem(const Problem& problem, ConstraintSystem* account)
    : problem_(problem), account_(account) {
  auto append = [&](const ConstraintBatch& batch) {
    const Index bytes = batch.bytes(Rows::range(0, batch.size()));
    segments_.push_back({&batch, size_, bytes});
    grouped_ = grouped_ || batch.group() > 1;
    size_ += batch.size();
    total_bytes_ += bytes;
  };
  for (const BatchPtr& batch : problem.batches()) append(*batch);
  inequalities_ = size_;
  if (problem.has_equalities()) append(*problem.equality_batch());
  for (const ConicConstraint& conic : problem.conic()) total_bytes_ += conic.G.bytes();
}

const ConstraintSystem::Segment& ConstraintSystem::segment_of(Index row) const {
  const auto after = [](Index r, const Segment& s) { return r < s.begin; };
  return *std::prev(std::upper_bound(segments_.begin(), segments_.end(), row, after));
}

void ConstraintSystem::complete_groups(std::vector<Index>& rows) const {
  if (!grouped_) return;
  std::vector<Index> complete;
  complete.reserve(rows.size());
  for (const Index row : rows) {
    if (!complete.empty() && row <= complete.back()) continue;
    const Segment& s = segment_of(row);
    const Index g = s.batch->group();
    const Index first = s.begin + (row - s.begin) / g * g;
    for (Index j = 0; j < g; ++j) complete.push_back(first + j);
  }
  rows = std::move(complete);
}

Index ConstraintSystem::groups() const {
  Index count = 0;
  for (const Segment& s : segments_) {
    if (s.begin < inequalities_) count += s.batch->size() / s.batch->group();
  }
  return count;
}

bool ConstraintSystem::leads(Index row) const {
  if (!grouped_) return true;
  const Segment& s = segment_of(row);
  return (row - s.begin) % s.batch->group() == 0;
}

Vector ConstraintSystem::group_maxima(ConstVectorRef a) const {
  std::vector<double> out;
  for (const Segment& s : segments_) {
    if (s.begin >= inequalities_) break;
    const Index g = s.batch->group();
    for (Index i = 0; i < s.batch->size(); i += g) {
      out.push_back(a.segment(s.begin + i, g).maxCoeff<Eigen::PropagateNaN>());
    }
  }
  return Eigen::Map<const Vector>(out.data(), static_cast<Index>(out.size()));
}

const Doubles& ConstraintSystem::caps(Index segment) const {
  static const Doubles none;
  return segment_begin(segment) < inequalities_ ? problem_.caps(segment) : none;
}

double ConstraintSystem::soft_value(ConstVectorRef a) const {
  double sum = 0.0;
  for (Index s = 0; s < segments(); ++s) {
    const Doubles& prices = caps(s);
    const Index begin = segment_begin(s);
    sum += long_pairwise_sum(prices.size(), [&](Index i) { return priced(prices[i], a[begin + i]); });
  }
  return sum;
}

Vector ConstraintSystem::hard_rows(ConstVectorRef a) const {
  Index count = 0;
  for (Index s = 0; s < segments(); ++s) {
    if (segment_begin(s) < inequalities_ && caps(s).empty()) count += batch(s).size();
  }
  Vector out(count);
  count = 0;
  for (Index s = 0; s < segments(); ++s) {
    if (segment_begin(s) >= inequalities_ || !caps(s).empty()) continue;
    out.segment(count, batch(s).size()) = a.segment(segment_begin(s), batch(s).size());
    count += batch(s).size();
  }
  return out;
}

Vector ConstraintSystem::hard_scales() const {
  std::vector<double> out;
  for (Index s = 0; s < segments(); ++s) {
    if (segment_begin(s) >= inequalities_ || !caps(s).empty()) continue;
    for_scales(s, 0, batch(s).size(), [&](Index, double scale) { out.push_back(scale); });
  }
  return Eigen::Map<const Vector>(out.data(), static_cast<Index>(out.size()));
}

void ConstraintSystem::clip_to_caps(VectorRef multipliers) const {
  for (Index s = 0; s < segments(); ++s) {
    const Doubles& prices = caps(s);
    parallel::for_range(prices.size(), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        double& lambda = multipliers[segment_begin(s) + i];
        lambda = std::min(lambda, prices[i]);
      }
    });
  }
}

void ConstraintSystem::clear_soft(VectorRef multipliers) const {
  for (Index s = 0; s < segments(); ++s) multipliers.segment(segment_begin(s), caps(s).size()).setZero();
}

bool ConstraintSystem::within_caps(ConstVectorRef multipliers) const {
  for (Index s = 0; s < segments(); ++s) {
    const Doubles& prices = caps(s);
    const Index begin = segment_begin(s);
    if (parallel::count_if(prices.size(), [&](Index i) { return !(multipliers[begin + i] <= prices[i]); }) > 0)
      return false;
  }
  return true;
}

const Vector& ConstraintSystem::scales() const {
  if (scales_.size() == size_) return scales_;
  parallel::resize(scales_, size_);
  for (const Segment& s : segments_) {
    parallel::for_range(s.batch->size(), [&](Index begin, Index end) {
      auto part = scales_.segment(s.begin + begin, end - begin);
      s.batch->constant_magnitudes(Rows::range(begin, end - begin), part);
      part.array() += 1.0;
    });
  }
  return scales_;
}

double ConstraintSystem::smallest_scale() const {
  if (size_ == 0) return 1.0;
  if (smallest_scale_ > 0.0) return smallest_scale_;
  smallest_scale_ = kInfinity;
  for (Index s = 0; s < segments(); ++s) {
    for (const double part : parallel::parts<double>(batch(s).size(), [&](Index begin, Index end) {
           double smallest = kInfinity;
           for_scales(s, begin, end, [&](Index, double scale) { smallest = std::min(smallest, scale); });
           return smallest;
         })) {
      smallest_scale_ = std::min(smallest_scale_, part);
    }
  }
  return smallest_scale_;
}

void ConstraintSystem::charge(const Segment& segment) {
  bytes_read_ += static_cast<double>(segment.bytes);
  evaluations_ += segment.batch->size();
  if (account_ != nullptr) account_->charge_components(segment.batch->size(), static_cast<double>(segment.bytes));
}

void ConstraintSystem::charge(Index segment, Rows rows) {
  charge_components(rows.size(), static_cast<double>(batch(segment).bytes(rows)));
}

void ConstraintSystem::charge(const ConstraintSystem& other) {
  bytes_read_ += other.bytes_read_;
  evaluations_ += other.evaluations_;
}

void ConstraintSystem::charge(double passes, Index evaluations) {
  bytes_read_ += passes * static_cast<double>(total_bytes_);
  evaluations_ += evaluations;
}

void ConstraintSystem::charge_components(Index evaluations, double bytes) {
  bytes_read_ += bytes;
  evaluations_ += evaluations;
  if (account_ != nullptr) account_->charge_components(evaluations, bytes);
}

double ConstraintSystem::passes() const {
  return total_bytes_ > 0 ? bytes_read_ / static_cast<double>(total_bytes_) : 0.0;
}

void ConstraintSystem::values(ConstVectorRef x, VectorRef a) {
  for (const Segment& s : segments_) {
    s.batch->values(x, Rows::range(0, s.batch->size()), a.segment(s.begin, s.batch->size()));
    charge(s);
  }
}

void ConstraintSystem::values_and_gradient_norms(ConstVectorRef x, VectorRef a, VectorRef norms) {
  for (const Segment& s : segments_) {
    if (s.begin >= a.size()) break;
    const Index count = s.batch->size();
    s.batch->values_and_gradient_norms(x, Rows::range(0, count), a.segment(s.begin, count),
                                       norms.segment(s.begin, count));
    charge(s);
  }
}

void ConstraintSystem::values_and_bounds(ConstVectorRef x, VectorRef a, VectorRef norms, VectorRef smoothness) {
  for (const Segment& s : segments_) {
    if (s.begin >= a.size()) break;
    const Index count = s.batch->size();
    s.batch->values_and_bounds(x, Rows::range(0, count), a.segment(s.begin, count), norms.segment(s.begin, count),
                               smoothness.segment(s.begin, count));
    charge(s);
  }
}

void ConstraintSystem::add_equalities(ConstVectorRef x, ConstVectorRef multipliers, VectorRef a, VectorRef gradient) {
  if (!problem_.has_equalities()) return;
  const Segment& s = segments_.back();
  const Index count = s.batch->size();
  const auto weights = [&](Index first, Index rows, const double*, double* w) {
    std::copy_n(multipliers.data() + s.begin + first, rows, w);
  };
  Vector unused(count);
  s.batch->sweep(x, Rows::range(0, count), weights, a.segment(s.begin, count), unused, gradient);
  charge(s);
}

void ConstraintSystem::growth(ConstVectorRef x, ConstVectorRef d, VectorRef slope, VectorRef curvature) {
  for (const Segment& s : segments_) {
    const Index count = s.batch->size();
    s.batch->growth(x, d, Rows::range(0, count), slope.segment(s.begin, count), curvature.segment(s.begin, count));
    charge(s);
  }
}

void ConstraintSystem::sweep(ConstVectorRef x, const WeightMap& map, VectorRef a, VectorRef w, VectorRef gradient) {
  for (const Segment& s : segments_) {
    const Index count = s.batch->size();
    s.batch->sweep(
        x, Rows::range(0, count),
        [&map, begin = s.begin](Index first, Index rows, const double* values, double* weights) {
          map(begin + first, rows, values, weights);
        },
        a.segment(s.begin, count), w.segment(s.begin, count), gradient);
    charge(s);
  }
}

// An equality has two sides; its multiplier is the difference of theirs.
Multipliers ConstraintSystem::split(ConstVectorRef multipliers) const {
  Multipliers out;
  for (std::size_t b = 0; b < problem_.batches().size(); ++b) {
    out.lambda.push_back(parallel::copy(multipliers.segment(segments_[b].begin, segments_[b].batch->size())));
  }
  if (problem_.has_equalities()) {
    const ConstraintBatch& batch = *problem_.equality_batch();
    out.nu.resize(batch.dual_size());
    batch.multipliers_to_duals(multipliers.segment(inequalities_, batch.size()), out.nu);
  }
  return out;
}

// One batch has all of them: most problems with very many rows.
Multipliers ConstraintSystem::split(Vector&& multipliers) const {
  if (segments_.size() != 1 || problem_.batches().size() != 1) return split(ConstVectorRef(multipliers));
  Multipliers out;
  out.lambda.push_back(std::move(multipliers));
  return out;
}

Vector ConstraintSystem::join(const Multipliers& multipliers) const {
  Vector out = Vector::Zero(size_);
  for (std::size_t b = 0; b < problem_.batches().size(); ++b) {
    out.segment(segments_[b].begin, segments_[b].batch->size()) = multipliers.lambda.at(b).cwiseMax(0.0);
  }
  if (problem_.has_equalities()) {
    const ConstraintBatch& batch = *problem_.equality_batch();
    batch.duals_to_multipliers(multipliers.nu, out.segment(inequalities_, batch.size()));
  }
  clip_to_caps(out);
  return out;
}

Vector ConstraintSystem::multipliers_from_duals(ConstVectorRef duals) const {
  Vector out = Vector::Zero(size_);
  Index first = 0;
  for (const Segment& s : segments_) {
    s.batch->duals_to_multipliers(duals.segment(first, s.batch->dual_size()), out.segment(s.begin, s.batch->size()));
    first += s.batch->dual_size();
  }
  clip_to_caps(out);
  return out;
}

}  // namespace pliant
