#include "pliant/soft_rows.hpp"

#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

namespace pliant {
namespace {

void expect_entries(std::string_view what, Index expected, Index got) {
  if (expected != got) throw InputError(fmt::format("{}: expected {} entries, got {}", what, expected, got));
}

void expect_finite(std::string_view what, const Doubles& numbers) {
  for (Index i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    throw InputError(fmt::format("{}: entry {} is {}, expected a finite number", what, i, numbers[i]));
  }
}

// Weight of row i of a loss over l rows.
class RowWeights {
 public:
  RowWeights(std::string_view loss, const Doubles& given, Index rows) : given_(given), rows_(rows) {
    if (!given.empty()) expect_entries(fmt::format("{}: weights", loss), rows, given.size());
  }
  double operator[](Index i) const { return (given_.empty() ? 1.0 : given_[i]) / static_cast<double>(rows_); }

 private:
  const Doubles& given_;
  Index rows_;
};

// lo <= A x <= hi, all sides finite, with a price for being above and below.
SoftRows two_sided(DataMatrix A, Doubles lo, Doubles hi, const RowWeights& weights, double above, double below) {
  std::vector<double> prices(2 * static_cast<std::size_t>(A.rows()));
  for (Index i = 0; i < A.rows(); ++i) {
    prices[static_cast<std::size_t>(2 * i)] = above * weights[i];
    prices[static_cast<std::size_t>(2 * i + 1)] = below * weights[i];
  }
  return {linear_range(std::move(lo), std::move(A), std::move(hi)), Doubles(std::move(prices))};
}

}  // namespace

SoftRows positive_part(BatchPtr rows, Doubles weights) {
  if (weights.empty()) weights = to_array(Vector::Ones(rows->size()));
  expect_entries("positive_part: weights", rows->size(), weights.size());
  return {std::move(rows), std::move(weights)};
}

SoftRows positive_part(DataMatrix G, Doubles h, Doubles weights) {
  expect_entries("positive_part: h", G.rows(), h.size());
  expect_finite("positive_part: h", h);
  return positive_part(linear_le(std::move(G), std::move(h)), std::move(weights));
}

SoftRows quantile(DataMatrix A, Doubles b, double tau, Doubles weights) {
  if (!(tau > 0.0 && tau < 1.0)) throw InputError(fmt::format("quantile: tau: expected 0 < tau < 1, got {}", tau));
  expect_entries("quantile: b", A.rows(), b.size());
  expect_finite("quantile: b", b);
  const RowWeights row_weights("quantile", weights, A.rows());
  return two_sided(std::move(A), b, b, row_weights, 1.0 - tau, tau);
}

SoftRows absolute(DataMatrix A, Doubles b, Doubles weights) {
  expect_entries("absolute: b", A.rows(), b.size());
  expect_finite("absolute: b", b);
  const RowWeights row_weights("absolute", weights, A.rows());
  return two_sided(std::move(A), b, b, row_weights, 1.0, 1.0);
}

SoftRows epsilon_insensitive(DataMatrix A, Doubles b, double eps, Doubles weights) {
  if (!(eps >= 0.0) || !std::isfinite(eps)) {
    throw InputError(fmt::format("epsilon_insensitive: eps: expected a finite number >= 0, got {}", eps));
  }
  expect_entries("epsilon_insensitive: b", A.rows(), b.size());
  expect_finite("epsilon_insensitive: b", b);
  const RowWeights row_weights("epsilon_insensitive", weights, A.rows());
  const Eigen::Map<const Vector> middle(b.data(), b.size());
  return two_sided(std::move(A), to_array(middle.array() - eps), to_array(middle.array() + eps), row_weights, 1.0, 1.0);
}

// 1 - y a'x <= 0 is a side of a'x: a'x >= 1 where y = 1, a'x <= -1 where y = -1.
SoftRows hinge(DataMatrix A, const Doubles& y, Doubles weights) {
  const Index l = A.rows();
  expect_entries("hinge: y", l, y.size());
  const RowWeights row_weights("hinge", weights, l);
  Vector lo(l), hi(l), prices(l);
  for (Index i = 0; i < l; ++i) {
    if (y[i] != 1.0 && y[i] != -1.0) {
      throw InputError(fmt::format("hinge: y: entry {} is {}, expected -1 or 1", i, y[i]));
    }
    lo[i] = y[i] > 0.0 ? 1.0 : -kInfinity;
    hi[i] = y[i] > 0.0 ? kInfinity : -1.0;
    prices[i] = row_weights[i];
  }
  return {linear_range(to_array(lo), std::move(A), to_array(hi)), to_array(prices)};
}

}  // namespace pliant
