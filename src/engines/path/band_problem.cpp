#include "engines/path/band_problem.hpp"

#include "rows/row_block.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {

BandProblem::BandProblem(const Problem& problem, ConstraintSystem& system, const SoftTable& table)
    : problem_(problem),
      system_(system),
      table_(table),
      model_(problem),
      newton_(model_),
      q_(model_.q),
      constant_(problem.smooth_value(Vector::Zero(problem.dimension()))) {
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    if (!problem.caps(static_cast<Index>(b)).empty()) continue;
    hard_.push_back(static_cast<Index>(b));
    hard_rows_ += problem.batches()[b]->size();
  }
}

void BandProblem::add_kink(Index row, std::size_t place, double sign, double constant, double cap, double base) {
  kinks_.push_back({place, sign, base});
  gathered_.push_back(row);
  signs_.push_back(sign);
  constants_.push_back(constant);
  caps_.push_back(cap);
}

// Two kinks at one place are one elastic row above a linear function: -below (z - k) + (below + above) max(0, z - k).
void BandProblem::gather(const SoftLevel& level, const std::vector<Index>& band) {
  kinks_.clear();
  gathered_.clear();
  signs_.clear();
  constants_.clear();
  caps_.assign(static_cast<std::size_t>(hard_rows_), kInfinity);
  for (std::size_t i = 0; i < band.size(); ++i) {
    const Index r = level.row(band[i]);
    const SoftRow row = table_.row(r);
    if (row.one_kink()) {
      add_kink(r, i, 1.0, row.upper, level.scale * (row.below + row.above), -level.scale * row.below);
      continue;
    }
    if (row.above > 0.0) add_kink(r, i, 1.0, row.upper, level.scale * row.above, 0.0);
    if (row.below > 0.0) add_kink(r, i, -1.0, -row.lower, level.scale * row.below, 0.0);
  }
}

bool BandProblem::solve(const SoftLevel& level, const std::vector<Index>& band, double eps, double reduction, Vector& x,
                        FunctionRef<bool()> stop) {
  gather(level, band);
  std::vector<BatchPtr> batches;
  for (const Index b : hard_) batches.push_back(problem_.batches()[static_cast<std::size_t>(b)]);
  if (!gathered_.empty()) batches.push_back(table_.gather(gathered_, signs_, constants_));
  std::vector<Index> numbers(caps_.size());
  std::iota(numbers.begin(), numbers.end(), Index{0});
  RowBlock block(std::move(numbers), std::move(batches), Matrix(), system_);
  RowSelection& rows = block.selection();
  Vector values(rows.size()), norms(rows.size()), smoothness(rows.size());
  rows.values_and_bounds(x, values, norms, smoothness);

  // What is frozen, without the band, and the bases of its kinks.
  Vector change = Vector::Zero(rows.size());
  model_.constant = constant_ + level.constant;
  std::size_t last = band.size();
  for (std::size_t i = 0; i < kinks_.size(); ++i) {
    const Kink& kink = kinks_[i];
    const Index k = band[kink.place];
    const SoftRow row = table_.row(level.row(k));
    double slope = kink.base;
    if (kink.place != last) slope -= level.scale * row.slope(level.state(k));  // once per row
    if (kink.place != last) model_.constant -= level.scale * row.constant(level.state(k));
    last = kink.place;
    if (kink.base != 0.0) model_.constant -= kink.base * row.upper;
    change[hard_rows_ + static_cast<Index>(i)] = kink.sign * slope;
  }
  model_.q = (level.linear.size() > 0 ? level.linear : q_) + level.gradient;
  rows.add_weighted_gradient(x, change, model_.q);

  const Vector caps = Eigen::Map<const Vector>(caps_.data(), static_cast<Index>(caps_.size()));
  const bool done = newton_.solve({rows, values, norms, smoothness, &caps, reduction}, eps, x, stop);
  take_results(level, band, x);
  return done;
}

void BandProblem::take_results(const SoftLevel& level, const std::vector<Index>& band, const Vector& x) {
  const Vector& a = newton_.values();
  const Vector& lambda = newton_.multipliers();
  hard_violation_ = hard_rows_ > 0 ? std::max(0.0, a.head(hard_rows_).maxCoeff()) : 0.0;
  objective_ = 0.5 * x.dot(model_.P * x) + model_.q.dot(x) + model_.constant;
  open_gap_ = 0.0;
  band_values_.resize(static_cast<Index>(band.size()));
  band_slopes_ = Vector::Zero(static_cast<Index>(band.size()));
  for (std::size_t i = 0; i < kinks_.size(); ++i) {
    const Kink& kink = kinks_[i];
    const Index at = hard_rows_ + static_cast<Index>(i), place = static_cast<Index>(kink.place);
    const SoftRow row = table_.row(level.row(band[kink.place]));
    const double price = priced(caps_[static_cast<std::size_t>(at)], a[at]);
    objective_ += price;
    open_gap_ += std::max(0.0, price - lambda[at] * a[at]);
    band_values_[place] = kink.sign > 0.0 ? row.upper + a[at] : row.lower - a[at];
    band_slopes_[place] += kink.base + kink.sign * lambda[at];
  }
}

void BandProblem::spread_hard(VectorRef multipliers) const {
  Index next = 0;
  for (const Index b : hard_) {
    const Index size = problem_.batches()[static_cast<std::size_t>(b)]->size();
    multipliers.segment(system_.segment_begin(b), size) = newton_.multipliers().segment(next, size).cwiseMax(0.0);
    next += size;
  }
  if (model_.own_equalities() == 0) return;
  const ConstraintBatch& equalities = *problem_.equality_batch();
  equalities.duals_to_multipliers(newton_.equality_multipliers().head(model_.own_equalities()),
                                  multipliers.segment(system_.inequalities(), equalities.size()));
}

}  // namespace pliant
