// Scalar losses of generalised linear terms (1/l) sum_i loss(z_i, t_i), z_i = a_i'x, t_i the target.
//
// A loss supplies value and derivative of one number, the same for a block of rows, the second
// derivatives of a block, a bound of the second derivative and the growth from z along dz. Blocks may overwrite z.
#pragma once

#include "pliant/objective_term.hpp"
#include "pliant/types.hpp"
#include "softplus/softplus.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

/// (z - b)^2 / 2
struct SquareLoss {
  static constexpr LossKind kKind = LossKind::square;
  static constexpr bool kStronglyConvex = true;

  double value(double z, double b) const { return 0.5 * (z - b) * (z - b); }
  double derivative(double z, double b) const { return z - b; }
  void evaluate(Index count, double* z, const double* b, double* values, double* derivatives) const {
    for (Index k = 0; k < count; ++k) {
      derivatives[k] = z[k] - b[k];
      values[k] = 0.5 * derivatives[k] * derivatives[k];
    }
  }
  void curvatures(Index count, double*, const double*, double* out) const { std::fill_n(out, count, 1.0); }
  double curvature_bound() const { return 1.0; }
  Growth growth(double z, double dz, double b) const { return {(z - b) * dz, dz * dz}; }
};

/// ln(1 + exp(-y z)), y in {-1, +1}: softplus of t = -y z, so nothing overflows.
struct LogisticLoss {
  static constexpr LossKind kKind = LossKind::logistic;
  static constexpr bool kStronglyConvex = false;

  double value(double z, double y) const { return penalty::softplus(-y * z, 1.0); }
  double derivative(double z, double y) const { return -y * penalty::sigmoid(-y * z); }
  void evaluate(Index count, double* z, const double* y, double* values, double* derivatives) const {
    for (Index k = 0; k < count; ++k) z[k] *= -y[k];
    penalty::softplus_sigmoid(count, z, nullptr, 1.0, values, derivatives);
    for (Index k = 0; k < count; ++k) derivatives[k] *= -y[k];
  }
  // The second derivative sigma(1 - sigma) does not see the sign of y.
  void curvatures(Index count, double* z, const double*, double* out) const {
    penalty::sigmoid_curvature(count, z, nullptr, 1.0, z, out);
  }
  double curvature_bound() const { return 0.25; }
  Growth growth(double, double dz, double y) const { return {std::max(0.0, -y * dz), 0.0}; }
};

/// t^2/2 if |t| <= k, else k|t| - k^2/2, with t = z - b. Second derivative 0 beyond the kinks, 1 on them.
struct HuberLoss {
  static constexpr LossKind kKind = LossKind::huber;
  static constexpr bool kStronglyConvex = false;
  double k = 1.0;

  double value(double z, double b) const {
    const double size = std::abs(z - b);
    return size <= k ? 0.5 * size * size : k * (size - 0.5 * k);
  }
  double derivative(double z, double b) const { return std::clamp(z - b, -k, k); }
  void evaluate(Index count, double* z, const double* b, double* values, double* derivatives) const {
    for (Index i = 0; i < count; ++i) {
      values[i] = value(z[i], b[i]);
      derivatives[i] = derivative(z[i], b[i]);
    }
  }
  void curvatures(Index count, double* z, const double* b, double* out) const {
    for (Index i = 0; i < count; ++i) out[i] = std::abs(z[i] - b[i]) <= k ? 1.0 : 0.0;
  }
  double curvature_bound() const { return 1.0; }
  Growth growth(double, double dz, double) const { return {k * std::abs(dz), 0.0}; }
};

}  // namespace pliant
