#include "engines/path/band_problem.hpp"

#include "rows/row_block.hpp"
#include "softplus/softplus.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

// A budget need not be kept better than smoothing leaves its price open.
constexpr double kBudgetShare = 0.5;
// Its multiplier grows and shrinks by this factor at most while kinks stay as wide as they are,
constexpr double kThetaFactor = 10.0;
// so many times,
constexpr int kMostThetas = 6;
// and is not looked for between two numbers that are nearer to each other than this.
constexpr double kThetaKnown = 1.01;

// Mean distance of rows from their kinks, in widths, weighted with min(lambda, c - lambda) = c sigma(-|a|/width).
double mean_depth(const SmoothedBand& band) {
  double sum = 0.0, weights = 0.0;
  for (Index i = 0; i < band.values.size(); ++i) {
    const double away = std::abs(band.values[i]) / band.widths[i];
    if (!std::isfinite(away)) continue;
    const double weight = band.caps[i] * penalty::sigmoid(-away);
    weights += weight;
    sum += weight * away;
  }
  return weights > 0.0 ? sum / weights : 0.0;
}

std::vector<Index> numbers(Index count) {
  std::vector<Index> out(static_cast<std::size_t>(count));
  std::iota(out.begin(), out.end(), Index{0});
  return out;
}

}  // namespace

BandProblem::BandProblem(const Problem& problem, ConstraintSystem& system, PriceBudget* budget)
    : problem_(problem),
      system_(system),
      budget_(budget),
      model_(problem),
      newton_(model_),
      smoothed_(model_),
      hard_selection_(system),
      q_(model_.q),
      constant_(problem.smooth_value(Vector::Zero(problem.dimension()))) {
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    if (!problem.caps(static_cast<Index>(b)).empty()) continue;
    hard_.push_back(static_cast<Index>(b));
    hard_rows_ += problem.batches()[b]->size();
  }
  std::vector<Index> rows;
  for (const Index b : hard_) {
    const Index size = problem.batches()[static_cast<std::size_t>(b)]->size();
    for (Index i = 0; i < size; ++i) rows.push_back(system.segment_begin(b) + i);
  }
  hard_selection_.select(std::move(rows));
}

Vector BandProblem::on_equalities(const Vector& x) const {
  if (model_.E.rows() == 0) return x;
  const Vector missing = model_.e - model_.E * x;
  return x + model_.E.completeOrthogonalDecomposition().solve(missing);
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
    const Index r = band[i];
    const SoftRow row = level.row(r);
    if (row.one_kink()) {
      add_kink(r, i, 1.0, row.upper, level.scale * (row.below + row.above), -level.scale * row.below);
      continue;
    }
    if (row.above > 0.0) add_kink(r, i, 1.0, row.upper, level.scale * row.above, 0.0);
    if (row.below > 0.0) add_kink(r, i, -1.0, -row.lower, level.scale * row.below, 0.0);
  }
}

Vector BandProblem::without_band(const SoftLevel& level, const std::vector<Index>& band) {
  Vector change(static_cast<Index>(kinks_.size()));
  double constant = level.constant;
  std::size_t last = band.size();
  for (std::size_t i = 0; i < kinks_.size(); ++i) {
    const Kink& kink = kinks_[i];
    const Index k = band[kink.place];
    const SoftRow row = level.row(k);
    double slope = kink.base;
    if (kink.place != last) slope -= level.scale * row.slope(level.state(k));  // once per row
    if (kink.place != last) constant -= level.scale * row.constant(level.state(k));
    last = kink.place;
    if (kink.base != 0.0) constant -= kink.base * row.upper;
    change[static_cast<Index>(i)] = kink.sign * slope;
  }
  model_.q = level.linear.size() > 0 ? level.linear : q_;
  model_.constant = constant_;
  if (budget_ != nullptr) {
    level_budget_ = {budget_->gradient + level.gradient, budget_->constant + constant, budget_->theta};
  } else {
    model_.q += level.gradient;
    model_.constant += constant;
  }
  return change;
}

// What was gathered, as rows of their own.
BatchPtr BandProblem::gathered(const SoftLevel& level, const std::vector<Index>& band, const Vector& x,
                               BandRows& known) const {
  if (known.values.size() > 0) return level.table->gather(gathered_, signs_, constants_);
  SoftTable::Measured found{x};
  BatchPtr out = level.table->gather(gathered_, signs_, constants_, &found);
  for (Vector* v : {&known.values, &known.norms}) *v = Vector::Zero(static_cast<Index>(band.size()));
  for (std::size_t i = 0; i < kinks_.size(); ++i) {
    const auto place = static_cast<Index>(kinks_[i].place);
    known.values[place] = found.values[static_cast<Index>(i)];
    known.norms[place] = found.norms[static_cast<Index>(i)];
  }
  return out;
}

Vector BandProblem::widths(const BandRows& known, double delta) const {
  Vector out(static_cast<Index>(kinks_.size()));
  for (std::size_t i = 0; i < kinks_.size(); ++i) {
    out[static_cast<Index>(i)] = delta * known.norms[static_cast<Index>(kinks_[i].place)];
  }
  return out;
}

bool BandProblem::solve(const SoftLevel& level, const std::vector<Index>& band, BandRows& known, double eps,
                        double delta, Vector& x, FunctionRef<bool()> stop) {
  gather(level, band);
  std::vector<BatchPtr> batches;
  for (const Index b : hard_) batches.push_back(problem_.batches()[static_cast<std::size_t>(b)]);
  if (!gathered_.empty()) batches.push_back(gathered(level, band, x, known));
  RowBlock block(numbers(static_cast<Index>(caps_.size())), std::move(batches), Matrix(), system_);
  RowSelection& rows = block.selection();
  Vector values(rows.size()), norms(rows.size()), smoothness(rows.size());
  rows.values_and_bounds(x, values, norms, smoothness);
  Vector change = Vector::Zero(rows.size());
  change.tail(rows.size() - hard_rows_) = without_band(level, band);
  rows.add_weighted_gradient(x, change, frozen_gradient());

  const Vector caps = Eigen::Map<const Vector>(caps_.data(), static_cast<Index>(caps_.size()));
  Vector width = Vector::Zero(rows.size());
  width.tail(rows.size() - hard_rows_) = widths(known, delta);
  if (delta > 0.0) newton_.begin_at(smoothed_.equality_multipliers());
  const bool done = newton_.solve(
      {rows, values, norms, smoothness, &caps, delta > 0.0 ? &width : nullptr, budget_of_level()}, eps, x, stop);
  if (budget_ != nullptr) budget_->theta = level_budget_.theta;
  take_results(level, band, x);
  return done;
}

double BandProblem::excess(const SmoothedBand& band, const Vector& x) const {
  double sum = level_budget_.gradient.dot(x) + level_budget_.constant;
  for (Index i = 0; i < band.values.size(); ++i) {
    sum += priced(band.caps[i], band.values[i]) +
           band.change[i] * (band.values[i] + constants_[static_cast<std::size_t>(i)]);
  }
  return sum;
}

// With wide kinks there may be no x within the budget: then theta grows by the factor and stays there until they are
// narrower. With narrow ones x may jump over it.
bool BandProblem::meet_budget(const SmoothedBand& band, Vector& x, FunctionRef<bool()> stop) {
  double& theta = level_budget_.theta;
  double low = theta / kThetaFactor, high = theta * kThetaFactor, over_low = 0.0, over_high = 0.0;  // 0: not known
  for (int k = 1; smoothed_.solve(band, x, stop); ++k) {
    const double over = excess(band, x);
    if (theta * std::abs(over) <= kBudgetShare * smoothed_.open_gap()) return true;
    (over > 0.0 ? low : high) = theta;
    (over > 0.0 ? over_low : over_high) = over;
    if (k == kMostThetas || high <= kThetaKnown * low) return true;
    theta += over / smoothed_.response();
    if (theta > low && theta < high) continue;
    const bool both = over_low > 0.0 && over_high < 0.0;
    theta = both ? low + over_low / (over_low - over_high) * (high - low) : over > 0.0 ? high : low;
  }
  return false;
}

bool BandProblem::solve_smoothed(const SoftLevel& level, const std::vector<Index>& band, BandRows& known, double delta,
                                 Vector& x, FunctionRef<bool()> stop) {
  gather(level, band);
  const auto count = static_cast<Index>(kinks_.size());
  const Vector change = without_band(level, band);
  const Vector caps = Eigen::Map<const Vector>(caps_.data() + hard_rows_, count);
  RowBlock block(numbers(count), {gathered(level, band, x, known)}, Matrix(), system_);
  const Vector width = widths(known, delta);
  Vector values(count);
  for (Index i = 0; i < count; ++i) {
    const Kink& kink = kinks_[static_cast<std::size_t>(i)];
    const SoftRow row = level.row(band[kink.place]);
    const double z = known.values[static_cast<Index>(kink.place)];
    values[i] = kink.sign > 0.0 ? z - row.upper : row.lower - z;
  }
  const SmoothedBand smoothed{hard_selection_, block.selection(), caps, width, change, values, budget_of_level()};
  const bool done = budget_ != nullptr ? meet_budget(smoothed, x, stop) : smoothed_.solve(smoothed, x, stop);
  if (budget_ != nullptr) budget_->theta = level_budget_.theta;

  hard_violation_ = smoothed_.hard_violation();
  open_gap_ = smoothed_.open_gap();
  depth_ = mean_depth(smoothed);
  objective_ = 0.5 * x.dot(model_.P * x) + model_.q.dot(x) + constant_ + (budget_ != nullptr ? 0.0 : level.constant);
  band_values_.resize(static_cast<Index>(band.size()));
  for (Index i = 0; i < count; ++i) {
    const Kink& kink = kinks_[static_cast<std::size_t>(i)];
    const SoftRow row = level.row(band[kink.place]);
    band_values_[static_cast<Index>(kink.place)] = kink.sign > 0.0 ? row.upper + values[i] : row.lower - values[i];
  }
  for (std::size_t i = 0; i < band.size() && budget_ == nullptr; ++i) {
    const SoftRow row = level.row(band[i]);
    const double z = band_values_[static_cast<Index>(i)];
    objective_ += level.scale * (row.value(z) - row.extended(level.state(band[i]), z));
  }
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
    const SoftRow row = level.row(band[kink.place]);
    const double price = theta() * priced(caps_[static_cast<std::size_t>(at)], a[at]);
    if (budget_ == nullptr) objective_ += price;
    open_gap_ += std::max(0.0, price - lambda[at] * a[at]);
    band_values_[place] = kink.sign > 0.0 ? row.upper + a[at] : row.lower - a[at];
    band_slopes_[place] += theta() * kink.base + kink.sign * lambda[at];
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
