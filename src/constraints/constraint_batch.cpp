#include "pliant/constraint_batch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {

const RowConstants* ConstraintBatch::constants() const {
  std::call_once(constants_once_, [this] { constants_ = compute_constants(); });
  return constants_ ? &*constants_ : nullptr;
}

std::vector<Doubles> ConstraintBatch::arrays() const {
  std::vector<Doubles> out;
  for (const Doubles* array : structure().arrays) {
    if (array != nullptr) out.push_back(*array);
  }
  return out;
}

void ConstraintBatch::sweep(ConstVectorRef x, Rows rows, const WeightMap& map, VectorRef a, VectorRef w,
                            VectorRef gradient) const {
  const WeightedGradient sum{map, w, gradient};
  read_values(x, rows, a, &sum);
}

void ConstraintBatch::sweep_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, const WeightMap& map, VectorRef slope,
                                   VectorRef w, VectorRef gradient) const {
  const WeightedGradient sum{map, w, gradient};
  read_slopes(x, d, rows, slope, &sum);
}

void ConstraintBatch::add_weighted_gradient(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef gradient) const {
  const ConstMatrixRef weights = Eigen::Map<const Matrix>(w.data(), w.size(), 1);
  MatrixRef column = Eigen::Map<Matrix>(gradient.data(), gradient.size(), 1);
  read_derivatives(x, rows, {weights, column, nullptr});
}

void ConstraintBatch::add_weighted_hessian(ConstVectorRef x, Rows rows, ConstVectorRef curvature, ConstVectorRef outer,
                                           MatrixRef H) const {
  const HessianSum hessian{curvature, outer, H};
  const ConstMatrixRef no_weights = Eigen::Map<const Matrix>(nullptr, rows.size(), 0);
  MatrixRef no_gradients = Eigen::Map<Matrix>(nullptr, dimension(), 0);
  read_derivatives(x, rows, {no_weights, no_gradients, &hessian});
}

void ConstraintBatch::add_weighted_derivatives(ConstVectorRef x, Rows rows, ConstMatrixRef w, ConstVectorRef curvature,
                                               ConstVectorRef outer, MatrixRef gradients, MatrixRef H) const {
  const HessianSum hessian{curvature, outer, H};
  read_derivatives(x, rows, {w, gradients, &hessian});
}

// c0 + c1 t + c2 t^2, or without the last of them.
void ConstraintBatch::line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const {
  if (line.degree == 1) {
    a = line.c0 + t * line.c1;
    slope = line.c1;
    return;
  }
  a = line.c0 + t * (line.c1 + t * line.c2);
  slope = line.c1 + (2.0 * t) * line.c2;
}

void ConstraintBatch::growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                             VectorRef curvature) const {
  if (linear()) {
    slopes(x, d, rows, slope);
    curvature.setZero();
    return;
  }
  slope.setConstant(kInfinity);
  curvature.setConstant(kInfinity);
}

// Numbers of the size |a_k| + |grad a_k| |x|, and gradients no larger than their norms.
void ConstraintBatch::add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                                        VectorRef gradient_sizes) const {
  Vector a(rows.size()), norms(rows.size());
  values_and_gradient_norms(x, rows, a, norms);
  const double reach = x.norm();
  for (Index k = 0; k < rows.size(); ++k) {
    sizes[k] = std::abs(a[k]) + norms[k] * reach;
    if (w[k] != 0.0) gradient_sizes.array() += w[k] * norms[k];
  }
}

std::shared_ptr<ConstraintBatch> ConstraintBatch::with_constants(Doubles) const {
  throw InputError(
      fmt::format("{} constraints: their constant terms cannot be changed alone; replace the batch", family()));
}

double ConstraintBatch::component_value(Index i, ConstVectorRef x) const {
  const Index g = group();
  Vector a(g);
  values(x, Rows::range(i / g * g, g), a);
  return a[i % g];
}

void ConstraintBatch::add_component_gradient(Index i, ConstVectorRef x, double w, VectorRef gradient) const {
  const Index g = group();
  Vector weights = Vector::Zero(g);
  weights[i % g] = w;
  add_weighted_gradient(x, Rows::range(i / g * g, g), weights, gradient);
}

// a(y) <= a(x) + |grad a(x)| rho + L/2 rho^2 for |y - x| <= rho, by L-smoothness.
void ConstraintBatch::ball_upper_bound(Rows rows, ConstVectorRef a, ConstVectorRef norms, double radius,
                                       VectorRef out) const {
  const RowConstants* known = constants();
  if (known == nullptr) {
    out.setConstant(kInfinity);
    return;
  }
  for (Index k = 0; k < rows.size(); ++k) {
    out[k] = a[k] + norms[k] * radius + 0.5 * known->smoothness[rows[k]] * radius * radius;
  }
}

Index ConstraintBatch::dual_size() const {
  const LinearRows* rows = linear_rows();
  return rows != nullptr ? rows->matrix().rows() : size();
}

void ConstraintBatch::multipliers_to_duals(ConstVectorRef multipliers, VectorRef duals) const {
  const LinearRows* rows = linear_rows();
  if (rows == nullptr || !rows->two_sided()) {
    duals = multipliers;
    return;
  }
  duals.setZero();
  for (Index i = 0; i < rows->constraints(); ++i) {
    const LinearRows::Side side = rows->side(i);
    duals[side.row] += side.sign * multipliers[i];
  }
}

void ConstraintBatch::duals_to_multipliers(ConstVectorRef duals, VectorRef multipliers) const {
  const LinearRows* rows = linear_rows();
  if (rows == nullptr || !rows->two_sided()) {
    multipliers = duals.cwiseMax(0.0);
    return;
  }
  for (Index i = 0; i < rows->constraints(); ++i) {
    const LinearRows::Side side = rows->side(i);
    multipliers[i] = std::max(0.0, side.sign * duals[side.row]);
  }
}

}  // namespace pliant
