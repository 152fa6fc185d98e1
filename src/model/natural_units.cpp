#include "model/natural_units.hpp"

#include "cones/cone_checks.hpp"
#include "constraints/log_sum_exp.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Sizes of variables within this factor of each other, and typical distances within the square of it from 1, are left
// alone: engines take them in their stride, and nothing has to be copied.
constexpr double kAlike = 64.0;
// Rows of a batch that are looked at: this share of them, but not fewer than the first and not more than the second
// number (times n). Norms of columns do not ask for many.
constexpr double kShare = 0.002;
constexpr Index kLeastRows = 128, kMostRows = 8;
// Of dividing rows, then columns, by their norms. Two undo the units of dense rows; more of them drive sparse rows that
// cannot be balanced to extremes (degen3 of Netlib, entries 1 and -1: sizes from 2^-13 to 2^19 after twelve).
constexpr int kRounds = 2;
constexpr int kLargestPower = 60;  // D between 2^-60 and 2^60

// Absolute values of sampled rows, each beside the constant that says how far from 0 it lies (0: it does not say).
class SampledRows {
 public:
  explicit SampledRows(Index n) : n_(n) {}

  void add(Index column, double value) {
    if (value == 0.0 || !std::isfinite(value)) return;
    columns_.push_back(column);
    values_.push_back(std::abs(value));
  }
  void end_row(double constant) {
    if (static_cast<Index>(values_.size()) == starts_.back()) return;
    starts_.push_back(static_cast<Index>(values_.size()));
    constants_.push_back(std::isfinite(constant) ? std::abs(constant) : 0.0);
  }
  bool empty() const { return constants_.empty(); }

  /// D before rounding; 0 for variables that no row mentions.
  Vector balance() {
    Vector D = Vector::Ones(n_), sums(n_), counts(n_);
    Vector norms(static_cast<Index>(constants_.size()));
    for (int round = 0; round < kRounds; ++round) {
      measure_rows(D, norms);
      sums.setZero();
      counts.setZero();
      for_each([&](Index row, Index j, double v) {
        sums[j] += (v / norms[row]) * (v / norms[row]);
        counts[j] += 1.0;
      });
      for (Index j = 0; j < n_; ++j) D[j] = sums[j] > 0.0 ? std::sqrt(counts[j] / sums[j]) : 0.0;
    }
    measure_rows(D, norms);
    return D * typical_distance(norms);
  }

 private:
  template <class F>
  void for_each(const F& f) const {
    for (std::size_t row = 0; row + 1 < starts_.size(); ++row) {
      for (Index p = starts_[row]; p < starts_[row + 1]; ++p) {
        const auto k = static_cast<std::size_t>(p);
        f(static_cast<Index>(row), columns_[k], values_[k]);
      }
    }
  }
  void measure_rows(const Vector& D, Vector& norms) const {
    norms.setZero();
    for_each([&](Index row, Index j, double v) { norms[row] += v * D[j] * v * D[j]; });
    norms = norms.cwiseSqrt().cwiseMax(std::numeric_limits<double>::min());
  }
  /// The median of constant / norm over the rows that have a constant; 1 without any.
  double typical_distance(const Vector& norms) const {
    std::vector<double> distances;
    for (std::size_t i = 0; i < constants_.size(); ++i) {
      if (constants_[i] > 0.0) distances.push_back(constants_[i] / norms[static_cast<Index>(i)]);
    }
    if (distances.empty()) return 1.0;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
  }

  Index n_;
  std::vector<Index> starts_{0}, columns_;
  std::vector<double> values_, constants_;
};

// f(i) for a sample of `count` rows, one out of each of equal strata.
template <class F>
void for_sample(Index count, Index n, const F& f) {
  const auto share = static_cast<Index>(kShare * static_cast<double>(count));
  const Index wanted = std::min(count, std::max(kLeastRows, std::min(share, kMostRows * n)));
  for (Index k = 0; k < wanted; ++k) {
    f(static_cast<Index>((static_cast<double>(k) + 0.5) / static_cast<double>(wanted) * static_cast<double>(count)));
  }
}

void add_row(const DataMatrix& M, Index i, double constant, SampledRows& out) {
  const Index begin = M.is_sparse() ? M.starts()[i] : i * M.cols();
  const Index end = M.is_sparse() ? M.starts()[i + 1] : begin + M.cols();
  for (Index p = begin; p < end; ++p) out.add(M.is_sparse() ? M.columns()[p] : p - begin, M.values()[p]);
  out.end_row(constant);
}

double largest_entry(const DataMatrix& M, Index i, const Vector& D) {
  const Index begin = M.is_sparse() ? M.starts()[i] : i * M.cols();
  const Index end = M.is_sparse() ? M.starts()[i + 1] : begin + M.cols();
  double largest = 0.0;
  for (Index p = begin; p < end; ++p) {
    largest = std::max(largest, std::abs(M.values()[p]) * D[M.is_sparse() ? M.columns()[p] : p - begin]);
  }
  return largest;
}

// 1/2 x'Px + q'x + r has its boundary where x_j is about r/q_j or sqrt(r/P_jj); without r, where both parts are alike.
void add_quadratic_row(const QuadraticRows& rows, Index i, SampledRows& out) {
  const Index n = rows.n;
  Vector curvature(n);
  for (Index j = 0; j < n; ++j) {
    switch (rows.form) {
      case QuadraticRows::Form::whole:
        curvature[j] = rows.data[(i * n + j) * n + j];
        break;
      case QuadraticRows::Form::diagonal:
        curvature[j] = rows.data[i * n + j];
        break;
      case QuadraticRows::Form::factored:
        curvature[j] = 0.0;
        for (Index k = 0; k < rows.rank; ++k) {
          const double v = rows.data[(i * rows.rank + k) * n + j];
          curvature[j] += v * v;
        }
        break;
    }
  }
  const double r = std::abs(rows.r[i]);
  const double unit = r > 0.0 ? r : std::abs(rows.q[i * n]);
  for (Index j = 0; j < n; ++j) {
    const double slope = std::abs(rows.q[i * n + j]);
    out.add(j, unit > 0.0 ? std::max(slope / unit, std::sqrt(std::max(0.0, curvature[j]) / unit)) : slope);
  }
  out.end_row(r > 0.0 ? 1.0 : 0.0);
}

void add_batch(const ConstraintBatch& batch, Index n, SampledRows& out) {
  const BatchStructure structure = batch.structure();
  if (const LinearRows* rows = structure.linear_rows) {
    for_sample(rows->constraints(), n,
               [&](Index i) { add_row(rows->matrix(), rows->side(i).row, rows->constant(i), out); });
  } else if (const QuadraticRows* curved = structure.quadratic_rows) {
    for_sample(curved->size(), n, [&](Index i) { add_quadratic_row(*curved, i, out); });
  } else if (const auto* terms = dynamic_cast<const LogSumExpBatch*>(&batch)) {
    for_sample(terms->size(), n, [&](Index i) {  // exponents have the unit 1
      for (Index k = 0; k < terms->terms(); ++k) {
        const double* a = terms->A().data() + (i * terms->terms() + k) * n;
        for (Index j = 0; j < n; ++j) out.add(j, a[j]);
        out.end_row(1.0);
      }
    });
  }
}

bool knows_units(const ConstraintBatch& batch) {
  const BatchStructure structure = batch.structure();
  return structure.linear_rows != nullptr || structure.quadratic_rows != nullptr ||
         dynamic_cast<const LogSumExpBatch*>(&batch) != nullptr;
}

bool has_small_cones(const Problem& problem) {
  for (const ConicConstraint& conic : problem.conic()) {
    for (const double factor : cone_factors(conic, Vector::Ones(problem.dimension()))) {
      if (factor > 1.0) return true;
    }
  }
  return false;
}

// A power of two for every variable; those that no row mentions take the unit of their neighbours.
Vector rounded(const Vector& D) {
  double sum = 0.0;
  Index known = 0;
  for (const double d : D) {
    if (!(d > 0.0)) continue;
    sum += std::log2(d);
    ++known;
  }
  const double mean = known > 0 ? sum / static_cast<double>(known) : 0.0;
  Vector out(D.size());
  for (Index j = 0; j < D.size(); ++j) {
    const double power = std::round(D[j] > 0.0 ? std::log2(D[j]) : mean);
    out[j] = std::exp2(std::clamp<double>(power, -kLargestPower, kLargestPower));
  }
  return out;
}

}  // namespace

bool can_change_units(const Problem& problem) {
  const SeparableParameters* prox = separable_parameters(problem.prox());
  if (prox == nullptr || prox->l1 != 0.0) return false;
  for (const Problem::WeightedTerm& t : problem.terms()) {
    const TermStructure structure = t.term->structure();
    if (!structure.linear && !structure.quadratic && structure.losses == nullptr) return false;
  }
  return std::all_of(problem.batches().begin(), problem.batches().end(),
                     [](const BatchPtr& batch) { return knows_units(*batch); });
}

Vector find_natural_units(const Problem& problem) {
  if (!can_change_units(problem)) return {};
  const Index n = problem.dimension();
  SampledRows rows(n);
  for (const BatchPtr& batch : problem.batches()) add_batch(*batch, n, rows);
  const auto add_matrix = [&](const DataMatrix& M, const Doubles& constants) {
    for_sample(M.rows(), n, [&](Index i) { add_row(M, i, constants[i], rows); });
  };
  if (problem.has_equalities()) add_matrix(problem.equality_matrix(), problem.equality_rhs());
  for (const ConicConstraint& conic : problem.conic()) add_matrix(conic.G, conic.h);
  if (rows.empty()) return {};
  const Vector D = rounded(rows.balance());
  const double largest = D.maxCoeff(), smallest = D.minCoeff();
  const bool alike = largest <= kAlike * smallest;
  const bool near = largest <= kAlike * kAlike && smallest >= 1.0 / (kAlike * kAlike);
  if (!alike || !near) return D;
  return has_small_cones(problem) ? Vector(Vector::Ones(n)) : Vector();
}

Vector cone_factors(const ConicConstraint& conic, const Vector& D) {
  Vector out = Vector::Ones(conic.G.rows());
  const auto scale = [&](Index begin, Index count) {
    double largest = 0.0;
    for (Index i = begin; i < begin + count; ++i) largest = std::max(largest, largest_entry(conic.G, i, D));
    if (!(largest > 0.0) || largest >= 1.0 / kAlike) return;
    out.segment(begin, count).setConstant(std::exp2(std::min<double>(-std::round(std::log2(largest)), kLargestPower)));
  };
  for_each_cone(conic, [&](const Cone& cone, Index begin) {
    const bool rows_alone = cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative;
    for (Index i = 0; rows_alone && i < cone.rows; ++i) scale(begin + i, 1);
    if (!rows_alone) scale(begin, cone.rows);
  });
  return out;
}

double gradient_size(const Problem& problem, ConstVectorRef g) {
  const Vector& D = problem.natural_units();
  return D.size() == 0 ? g.lpNorm<Eigen::Infinity>() : g.cwiseProduct(D).lpNorm<Eigen::Infinity>();
}

}  // namespace pliant
