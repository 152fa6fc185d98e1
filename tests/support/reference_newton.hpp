// Reference minimiser of F_{xi,delta} for small smooth problems: damped Newton's method with continuation in delta.
//
// It shares nothing with the library's solvers: it uses only values, gradients and Hessians of the problem. The line
// search looks at directional derivatives, not at function values, so it works down to rounding level.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/types.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pliant::testing {

/// F_{xi,delta} of a problem whose prox term is absent or (w/2)|x|^2.
class PenalizedFunction {
 public:
  PenalizedFunction(const Problem& problem, double xi, double delta) : problem_(problem), xi_(xi), delta_(delta) {
    const SeparableParameters* prox = separable_parameters(problem.prox());
    if (prox == nullptr || prox->l1 != 0.0 || !prox->lo.empty() || !prox->hi.empty() || problem.has_equalities()) {
      throw std::invalid_argument("reference Newton: only smooth problems without equalities");
    }
    ridge_ = prox->l2;
  }

  double xi() const { return xi_; }
  double delta() const { return delta_; }

  /// All a_i(x), batch after batch.
  Vector constraint_values(const Vector& x) const {
    Vector a(problem_.constraints());
    Index first = 0;
    for (const BatchPtr& batch : problem_.batches()) {
      batch->values(x, Rows::range(0, batch->size()), a.segment(first, batch->size()));
      first += batch->size();
    }
    return a;
  }

  double value(const Vector& x) const {
    double sum = 0.0;
    for (const double a : constraint_values(x)) {
      sum += std::max(a, 0.0) + delta_ * std::log1p(std::exp(-std::abs(a) / delta_));
    }
    return problem_.objective(x) + xi_ * sum;
  }

  /// lambda_i = xi sigma(a_i/delta)
  Vector multipliers(const Vector& a) const {
    return a.unaryExpr([this](double t) {
      const double e = std::exp(-std::abs(t) / delta_);
      return xi_ * (t >= 0.0 ? 1.0 : e) / (1.0 + e);
    });
  }

  /// Gradient of F + sum lambda_i a_i at x for given multipliers.
  Vector lagrangian_gradient(const Vector& x, const Vector& lambda) const {
    Vector g = ridge_ * x;
    problem_.add_smooth_gradient(x, g);
    Index first = 0;
    for (const BatchPtr& batch : problem_.batches()) {
      batch->add_weighted_gradient(x, Rows::range(0, batch->size()), lambda.segment(first, batch->size()), g);
      first += batch->size();
    }
    return g;
  }

  Vector gradient(const Vector& x) const { return lagrangian_gradient(x, multipliers(constraint_values(x))); }

  /// Lower triangle of the Hessian: Hess F + sum lambda_i Hess a_i + (xi/delta) sigma(1-sigma) grad a_i grad a_i'.
  Matrix hessian(const Vector& x) const {
    const Vector a = constraint_values(x);
    const Vector lambda = multipliers(a);
    const Vector outer = a.unaryExpr([this](double t) {
      const double e = std::exp(-std::abs(t) / delta_);
      return xi_ / delta_ * e / ((1.0 + e) * (1.0 + e));
    });
    Matrix H = Matrix::Zero(x.size(), x.size());
    problem_.add_smooth_hessian(x, H);
    H.diagonal().array() += ridge_;
    Index first = 0;
    for (const BatchPtr& batch : problem_.batches()) {
      const Index size = batch->size();
      batch->add_weighted_hessian(x, Rows::range(0, size), lambda.segment(first, size), outer.segment(first, size), H);
      first += size;
    }
    return H;
  }

  /// (xi/delta^2) sum sigma(1-sigma) a_i grad a_i, minus the derivative of the gradient with respect to delta.
  Vector path_force(const Vector& x) const {
    const Vector a = constraint_values(x);
    const Vector weights = a.unaryExpr([this](double t) {
      const double e = std::exp(-std::abs(t) / delta_);
      return xi_ / (delta_ * delta_) * t * e / ((1.0 + e) * (1.0 + e));
    });
    const Vector zero = Vector::Zero(weights.size());
    return lagrangian_gradient(x, weights) - lagrangian_gradient(x, zero);
  }

 private:
  const Problem& problem_;
  double xi_;
  double delta_;
  double ridge_ = 0.0;
};

/// H^{-1} rhs for a symmetric positive (semi)definite H given by its lower triangle, scaled to unit diagonal; the least
/// ridge that makes the factorisation succeed is added.
inline Vector solve_positive(const Matrix& H, const Vector& rhs) {
  const double largest = H.diagonal().maxCoeff();
  const Vector scale = H.diagonal().cwiseMax(1e-300 + 1e-30 * largest).cwiseSqrt().cwiseInverse();
  // Separable problems, which may be large here, need no factorisation.
  if (H.isLowerTriangular(0.0) && H.isUpperTriangular(0.0)) return scale.cwiseAbs2().cwiseProduct(rhs);
  Matrix scaled = scale.asDiagonal() * H * scale.asDiagonal();
  for (double ridge = 0.0;; ridge = std::max(1e-15, 10.0 * ridge)) {
    scaled.diagonal().setConstant(1.0 + ridge);
    const Eigen::LLT<Matrix, Eigen::Lower> factor(scaled);
    if (factor.info() == Eigen::Success) return scale.cwiseProduct(factor.solve(scale.cwiseProduct(rhs)));
    if (ridge > 1.0) throw std::runtime_error("reference Newton: Hessian is not positive semidefinite");
  }
}

/// A step length at which the derivative along d has fallen to at most half its size: convexity makes the derivative
/// increase in t, so doubling and bisection find it.
inline double convex_line_search(const PenalizedFunction& f, const Vector& x, const Vector& d, double slope) {
  double lo = 0.0, hi = kInfinity, t = 1.0;
  for (int k = 0; k < 80; ++k) {
    const double derivative = f.gradient(x + t * d).dot(d);
    if (std::abs(derivative) <= 0.5 * std::abs(slope)) return t;
    (derivative < 0.0 ? lo : hi) = t;
    t = std::isfinite(hi) ? 0.5 * (lo + hi) : 2.0 * t;
  }
  return lo > 0.0 ? lo : t;
}

/// Minimises F_{xi,delta} from x, until the gradient stops falling at rounding level.
inline Vector newton_minimize(const PenalizedFunction& f, Vector x) {
  Vector best = x;
  double best_norm = kInfinity;
  int stalled = 0;
  for (int step = 0; step < 500 && stalled < 4; ++step) {
    const Vector g = f.gradient(x);
    const Vector d = -solve_positive(f.hessian(x), g);
    const double slope = g.dot(d);
    // Only where the Newton decrement is far below xi delta, the height of the penalty's bend, does the gradient norm
    // tell anything; before, descent may raise it.
    const bool close = -slope <= 1e-10 * f.xi() * f.delta();
    if (close) {
      stalled = g.norm() < 0.5 * best_norm ? 0 : stalled + 1;
      if (g.norm() < best_norm) {
        best_norm = g.norm();
        best = x;
      }
      if (best_norm == 0.0) break;
    }
    x += (close ? 1.0 : convex_line_search(f, x, d, slope)) * d;
  }
  return f.gradient(x).norm() < best_norm ? x : best;
}

/// Follows x(delta) to ever smaller delta with an Euler predictor.
class PenaltyPath {
 public:
  PenaltyPath(const Problem& problem, double xi, double first_delta = 1.0) : problem_(problem), xi_(xi) {
    x_ = problem.start.value_or(Vector::Zero(problem.dimension()));
    // With delta of the size of the values no constraint is far out on a flat side of its penalty.
    delta_ = std::max(first_delta, PenalizedFunction(problem, xi, 1.0).constraint_values(x_).cwiseAbs().maxCoeff());
    x_ = newton_minimize(PenalizedFunction(problem_, xi_, delta_), x_);
  }

  /// The minimiser at `delta`, not larger than the last one.
  const Vector& advance(double delta) {
    while (delta_ > delta) {
      const double next = std::max(delta, 0.3 * delta_);
      const PenalizedFunction here(problem_, xi_, delta_);
      const Vector slope = solve_positive(here.hessian(x_), here.path_force(x_));
      const PenalizedFunction there(problem_, xi_, next);
      const Vector predicted = x_ + (next - delta_) * slope;
      // The predictor may be poor while the active set still changes: start from the better point.
      x_ = newton_minimize(there, there.value(predicted) < there.value(x_) ? predicted : x_);
      delta_ = next;
    }
    return x_;
  }

 private:
  const Problem& problem_;
  double xi_;
  double delta_ = 1.0;
  Vector x_;
};

/// The minimiser of F_{xi,delta}.
inline Vector minimize_penalized(const Problem& problem, double xi, double delta) {
  return PenaltyPath(problem, xi, std::max(1.0, delta)).advance(delta);
}

}  // namespace pliant::testing
