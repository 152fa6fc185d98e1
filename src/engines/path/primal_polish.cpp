// The end of the primal path: extrapolation to delta = 0 and Newton steps on the KKT system of the active rows.
#include "engines/path/primal_path.hpp"
#include "linalg/orthogonal_factor.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

void PrimalPath::lagrangian_residual(ConstVectorRef gradient) {
  residual_ = gradient;
  if (model_.E.rows() > 0) residual_.noalias() += model_.E.transpose() * y_;
}

// Violations in original units, the gap relative to the objective.
bool PrimalPath::accurate(const Vector& x, const Vector& lambda, const Vector& r, double eps, double& merit,
                          double cone_product) const {
  double violation = 0.0;
  for (Index i = 0; i < constraints_; ++i) {
    if (hard(i)) violation = std::max(violation, a_[i] / scale_[i]);
  }
  const double gap = model_.certified_gap(x, lambda, a_, constraints_, caps_, r) + std::abs(cone_product);
  merit = std::max(violation, gap / (1.0 + std::abs(model_.problem.objective(x))));
  return std::isfinite(merit) && merit <= eps;
}

// What Newton left of the gradient costs Phi half its decrement, which is small beside delta; a certificate would charge it
// over the whole domain.
bool PrimalPath::accurate_on_the_path(const Vector& x, double eps) {
  residual_.setZero();
  double merit = 0.0;
  return accurate(x, lambda_, residual_, eps, merit);
}

// Mean diagonal of Hess F + sum lambda_i Hess a_i. Weights are measured by it: with xi/delta instead, the ridge of the
// factorisation would drown the curvature of a flat objective.
double PrimalPath::lagrangian_curvature(const RowSelection& rows, const Vector& x) {
  smooth_hessian(x);
  if (!model_.linear_rows) {
    select_near(rows, 0.0);
    weights_.setZero();
    outer_.setZero();
    curvature_weights_ = lambda_;
    add_derivatives(x);
  }
  return H_.diagonal().mean();
}

bool PrimalPath::weigh_active(double weight) {
  before_outer_.swap(outer_);
  const double small = parameters_.small_multiplier * lambda_.maxCoeff();
  for (Index i = 0; i < a_.size(); ++i) {
    const bool violated = hard(i) && a_[i] > 0.0;
    const bool active = violated || (lambda_[i] > small && lambda_[i] < ceiling_[i] - small);
    outer_[i] = active ? weight : 0.0;
    weights_(i, 0) = lambda_[i];
    weights_(i, 1) = outer_[i] * a_[i];
  }
  curvature_weights_ = lambda_;
  return outer_ == before_outer_;
}

// One step of (Hess L + w J_A'J_A) dx = -grad F - J'lambda - w J_A'a_A; H_ and gradients_ hold the system.
bool PrimalPath::polish_step(RowSelection& rows, Vector& x) {
  ++steps_;
  if (!factorize(x.size())) return false;
  before_ = a_;
  right_hand_side_ = -(gradients_.col(0) + gradients_.col(1));
  equality_side_ = model_.e;
  if (model_.E.rows() > 0) equality_side_.noalias() -= model_.E * x;
  kkt_->solve(right_hand_side_, equality_side_, direction_, y_);
  if (!direction_.allFinite() || model_.problem.max_step(x, direction_) <= 1.0) return false;
  move(rows, x, direction_);
  for (Index i = 0; i < a_.size(); ++i) {
    lambda_[i] = std::clamp(lambda_[i] + outer_[i] * (before_[i] + slopes_[i]), 0.0, ceiling_[i]);
  }
  return true;
}

bool PrimalPath::polish(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop) {
  if (curvature_ < 0.0) curvature_ = lagrangian_curvature(rows, x);  // a size: once per solve is enough
  const double weight = curvature_ > 0.0 ? parameters_.polish_weight * curvature_ : xi_ / delta_;
  // Where polishes were in vain the active rows cannot be told apart, perhaps never: later ones are given fewer steps.
  const bool cones = rows.has_cones();
  const Index first_steps = cones ? parameters_.polish_steps_of_cones : parameters_.polish_steps;
  const Index least_steps = cones ? parameters_.least_polish_steps_of_cones : parameters_.least_polish_steps;
  const Index most_steps = std::max(least_steps, first_steps >> polishes_in_vain_);
  double best = kInfinity;
  Index in_vain = 0, astray = 0;
  outer_.setZero();
  for (Index round = 0;; ++round) {
    select_near(rows, 0.0);
    const bool same_rows = weigh_active(weight);
    smooth_gradient(x);
    smooth_hessian(x);
    add_derivatives(x);
    lagrangian_residual(gradients_.col(0));
    double merit = 0.0;
    if (accurate(x, lambda_, residual_, eps, merit)) return true;
    // A full step trades residual for the rows' second-order terms once, and other active rows are another system:
    // two rounds in vain on the same rows end it.
    in_vain = merit < parameters_.polish_progress * best || !same_rows ? 0 : in_vain + 1;
    astray = merit <= parameters_.polish_astray * best ? 0 : astray + 1;
    if (round >= most_steps || in_vain > 1 || astray > 1 || !std::isfinite(merit) || stop()) return false;
    best = std::min(best, merit);
    if (!polish_step(rows, x)) return false;
  }
}

bool PrimalPath::simple_cones(const RowSelection& rows) const {
  const double small = parameters_.small_multiplier * lambda_.maxCoeff();
  Index group = 1;
  for (Index first = 0; first < rows_count_; first += group) {
    group = rows.group(first);
    if (group > 1 && (lambda_.segment(first, group).array() > small).count() > 1) return false;
  }
  return true;
}

bool PrimalPath::accurate_with_cones(const RowSelection& rows, const Vector& x, const Vector& z, double eps) {
  Vector lambda = lambda_;
  rows.clear_cones(lambda.head(rows_count_));
  Vector r = model_.l2 * x;
  model_.problem.add_smooth_gradient(x, r);
  const double product = rows.add_dual_points(x, z, r);
  const Index tail = a_.size() - rows_count_;
  rows.add_gradient_beside_cones(x, lambda.head(rows_count_).cwiseProduct(scale_.head(rows_count_)), r);
  model_.coordinates.add_transposed(lambda.tail(tail), r);
  if (model_.E.rows() > 0) {  // multipliers of equalities are free: the best there are
    y_ = OrthogonalFactor(model_.E.transpose()).solve(-r);
    r += model_.E.transpose() * y_;
  }
  double merit = 0.0;
  return accurate(x, lambda, r, eps, merit, product);
}

// Dual points of the cones to first order at the extrapolated x; lambda_before_ and path_values_ belong to the path.
bool PrimalPath::extrapolate_cones(RowSelection& rows, double eps, const Vector& x) {
  const auto scale = scale_.head(rows_count_);
  extrapolated_ = rows.dual_points_along(lambda_before_.head(rows_count_).cwiseProduct(scale),
                                         outer_.head(rows_count_).cwiseProduct(scale.cwiseAbs2()),
                                         path_values_.head(rows_count_).cwiseQuotient(scale));
  if (accurate_with_cones(rows, x, extrapolated_, eps)) return true;
  extrapolated_.resize(0);
  return false;
}

// x_e = x + dx - delta x', lambda_e = lambda + (xi/delta) sigma (1 - sigma) (J (dx - delta x') + a).
bool PrimalPath::extrapolate_and_polish(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop) {
  step_ = direction_ - delta_ * tangent_;
  if (model_.problem.max_step(x, step_) <= 1.0) return false;
  on_path_ = x;
  path_values_ = a_;
  lambda_before_ = lambda_;
  move(rows, x, step_);
  for (Index i = 0; i < a_.size(); ++i) {
    outer_[i] = ceiling_[i] / delta_ * sigma_[i] * penalty::sigmoid(-path_values_[i] / delta_);
    lambda_[i] = std::clamp(lambda_[i] + outer_[i] * (slopes_[i] + path_values_[i]), 0.0, ceiling_[i]);
    if (path_values_[i] < -parameters_.near * delta_) lambda_[i] = 0.0;
  }
  // Points of a dual cone that extrapolate may exceed the prices of soft cones: these keep the multipliers of eigenvalues.
  if (rows.has_cones() && !soft_cones(rows) && extrapolate_cones(rows, eps, x)) return true;
  if ((!rows.has_cones() || simple_cones(rows)) && polish(rows, eps, x, stop)) return true;
  x = on_path_;
  a_ = path_values_;
  lambda_ = lambda_before_;
  return false;
}

}  // namespace pliant
