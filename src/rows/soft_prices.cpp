#include "rows/soft_prices.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {
namespace {

SoftNumbers priced_rows(double price, const Doubles& weights) {
  if (weights.empty() || price == 0.0) return SoftNumbers(price);
  return SoftNumbers(to_array(price * Eigen::Map<const Vector>(weights.data(), weights.size())));
}

SoftNumbers moved(const Doubles& targets, double by) {
  if (by == 0.0) return SoftNumbers(targets);
  return SoftNumbers(to_array(Eigen::Map<const Vector>(targets.data(), targets.size()).array() + by));
}

// 1 - y z <= 0: z >= 1 where y = 1, z <= -1 where y = -1.
SoftSides margins(const LossPrices& prices, const Doubles& labels, const Doubles& weights) {
  const Index m = labels.size();
  Vector lower = Vector::Constant(m, -kInfinity), upper = Vector::Constant(m, kInfinity);
  Vector below = Vector::Zero(m), above = Vector::Zero(m);
  for (Index i = 0; i < m; ++i) {
    if (labels[i] != 1.0 && labels[i] != -1.0) {
      throw InputError(fmt::format("hinge: y: entry {} is {}, expected -1 or 1", i, labels[i]));
    }
    const bool up = labels[i] > 0.0;
    const double weight = weights.empty() ? 1.0 : weights[i];
    (up ? lower : upper)[i] = labels[i];
    (up ? below : above)[i] = weight * (up ? prices.below : prices.above);
  }
  return {SoftNumbers(to_array(lower)), SoftNumbers(to_array(upper)), SoftNumbers(to_array(below)),
          SoftNumbers(to_array(above))};
}

}  // namespace

LossPrices prices_of(SoftLoss loss, double parameter, double weight, Index all_rows) {
  const double each = 1.0 / static_cast<double>(all_rows);
  switch (loss) {
    case SoftLoss::positive_part:
      return {0.0, weight};
    case SoftLoss::quantile:
      return {weight * (parameter * each), weight * ((1.0 - parameter) * each)};
    case SoftLoss::absolute:
      return {weight * each, weight * each};
    case SoftLoss::epsilon_insensitive:
      return {weight * each, weight * each, parameter};
    case SoftLoss::hinge:
      return {weight * each, weight * each, 0.0, true};
    case SoftLoss::as_held:
      break;
  }
  throw InputError("rows without prices");
}

SoftSides sides_of(const LossPrices& prices, const Doubles& targets, const Doubles& weights) {
  if (prices.labels) return margins(prices, targets, weights);
  const SoftNumbers above = priced_rows(prices.above, weights);
  if (prices.below == 0.0) return {SoftNumbers(-kInfinity), SoftNumbers(targets), SoftNumbers(0.0), above};
  return {moved(targets, -prices.half_width), moved(targets, prices.half_width), priced_rows(prices.below, weights),
          above};
}

void expect_loss_parameters(SoftLoss loss, double parameter, double weight, std::string_view where) {
  if (!(weight >= 0.0) || !std::isfinite(weight)) {
    throw InputError(fmt::format("soft rows {}: weight must be finite and >= 0, got {}", where, weight));
  }
  if (loss == SoftLoss::quantile && !(parameter > 0.0 && parameter < 1.0)) {
    throw InputError(fmt::format("quantile: tau: expected 0 < tau < 1, got {}", parameter));
  }
  if (loss == SoftLoss::epsilon_insensitive && (!(parameter >= 0.0) || !std::isfinite(parameter))) {
    throw InputError(fmt::format("epsilon_insensitive: eps: expected a finite number >= 0, got {}", parameter));
  }
}

}  // namespace pliant
