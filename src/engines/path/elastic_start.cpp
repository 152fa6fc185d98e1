// Where the elastic Newton method begins.
#include "engines/path/elastic_newton.hpp"
#include "softplus/softplus.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

// s lambda = v (c - lambda) = mu with a + s - v = 0: with t = lambda/c and m = mu/c, a = m/(1-t) - m/t. At the kink
// s = v = 2 m are what the softplus of this width has there.
double ElasticNewton::start_on_path(const Vector& widths) {
  double products = 0.0, count = 0.0;
  for (Index i = 0; i < caps_.size(); ++i) {
    if (!soft(i)) continue;
    const double m = 0.5 * penalty::softplus(0.0, widths[i]), far = std::abs(a_[i]);
    // The larger of s and v, from s - v = -a and 1/s + 1/v = 1/m: no digits are lost there.
    const double large = 0.5 * (far + 2.0 * m + std::hypot(far, 2.0 * m)), small = m * large / (large - m);
    pairs_.s[i] = a_[i] > 0.0 ? small : large;
    pairs_.v[i] = a_[i] > 0.0 ? large : small;
    pairs_.lambda[i] = pairs_.ceiling[i] * m / pairs_.s[i];
    products += pairs_.ceiling[i] * m;
    ++count;
  }
  return count > 0.0 ? products / count : 0.0;
}

// Pairs of hard rows, bounds and l1 terms begin with products of the same size as soft rows: x is near the solution
// already, and pairs that differ by decades would stop every step.
void ElasticNewton::start_others(double product, double least) {
  for (Index i = 0; i < a_.size(); ++i) {
    if (soft(i)) continue;
    pairs_.s[i] = std::max({-a_[i], least, product / pairs_.ceiling[i]});
    pairs_.lambda[i] = std::min(product / pairs_.s[i], parameters_.start_share * pairs_.ceiling[i]);
    pairs_.v[i] = std::max(product / (pairs_.ceiling[i] - pairs_.lambda[i]), std::max(a_[i], 0.0) + least);
  }
}

// On the softplus path itself: lambda = c sigma(a/delta), s = p_delta(-a), v = p_delta(a), delta the mean distance.
void ElasticNewton::start_with_soft_rows(const Vector& x) {
  double sum = 0.0, prices = 0.0;
  Index count = 0;
  for (Index i = 0; i < caps_.size(); ++i) {
    if (!soft(i)) continue;
    sum += std::abs(a_[i]);
    prices += pairs_.ceiling[i];
    ++count;
  }
  if (count == 0) return;
  if (widths_.size() > 0) return start_others(start_on_path(widths_), 0.0);
  const double mean = sum > 0.0 ? sum / static_cast<double>(count) : parameters_.least_slack;
  const double delta =
      std::max(parameters_.soft_delta * mean, parameters_.least_delta * (1.0 + x.lpNorm<Eigen::Infinity>()));
  for (Index i = 0; i < caps_.size(); ++i) {
    if (!soft(i)) continue;
    // Prices differ: so must the deltas, for equal products.
    const double own =
        delta * std::min(prices / (static_cast<double>(count) * pairs_.ceiling[i]), parameters_.most_delta);
    const double share = penalty::sigmoid(a_[i] / own);
    pairs_.lambda[i] = pairs_.ceiling[i] * std::clamp(share, parameters_.soft_start, 1.0 - parameters_.soft_start);
    pairs_.s[i] = std::max(penalty::softplus(-a_[i], own), parameters_.soft_start * own);
    pairs_.v[i] = std::max(penalty::softplus(a_[i], own), parameters_.soft_start * own);
  }
  start_others(penalty::softplus(0.0, 1.0) * delta * prices / (2.0 * static_cast<double>(count)),
               parameters_.soft_start * delta);
}

// Slacks of the size of the values, multipliers of the size of the gradient.
void ElasticNewton::start(const Vector& x) {
  const Index k = a_.size();
  const double shift =
      std::max(parameters_.slack_share * a_.head(constraints_).lpNorm<Eigen::Infinity>(), parameters_.least_slack);
  work_x_.noalias() = model_.P * x;
  work_x_ += model_.q;
  const double size =
      std::max(work_x_.lpNorm<1>() / static_cast<double>(std::max<Index>(k, 1)), parameters_.least_multiplier);
  xi_ = std::max(xi_, parameters_.first_xi * size);
  set_ceilings();
  pairs_.s = (-a_).cwiseMax(shift);
  pairs_.lambda = pairs_.ceiling.cwiseMin(size / parameters_.start_share) * parameters_.start_share;
  pairs_.v = pairs_.s.cwiseProduct(pairs_.lambda).array() / (pairs_.ceiling.array() - pairs_.lambda.array());
  start_with_soft_rows(x);
  if (border_.exists()) border_.start(x, a_, caps_, pairs_.mu());
}

}  // namespace pliant
