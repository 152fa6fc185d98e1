// The prox that steps of sampling methods take.
#pragma once

#include "pliant/prox_term.hpp"
#include "pliant/regularizers.hpp"

#include <algorithm>

namespace pliant {

/// The prox of psi(y) + quadratic/2 |y|^2.
///
/// Phi's own proximal term and the ridge of its components are such a quadratic once their linear part stands in the
/// gradient: kappa/2 |y - c|^2 = kappa/2 |y|^2 - kappa c'y + const.
class StepProx {
 public:
  StepProx(const ProxTerm& psi, double quadratic)
      : psi_(&psi), separable_(separable_parameters(psi)), quadratic_(quadratic) {
    if (separable_ != nullptr) curvature_ = quadratic + separable_->l2;
  }
  double strong_convexity() const { return psi_->strong_convexity() + quadratic_; }
  /// Whether psi is a multiple of the squared norm, so that its subgradients are continuous.
  bool smooth() const { return separable() && separable_->l1 == 0.0 && separable_->lo.empty(); }

  /// v <- argmin_y psi(y) + quadratic/2 |y|^2 + |y - v|^2 / (2 step)
  void apply(double step, Vector& v) const {
    if (smooth()) {
      v *= shrink(step);
      return;
    }
    const double divisor = 1.0 + step * quadratic_;
    if (quadratic_ > 0.0) v /= divisor;
    psi_->prox(v, step / divisor, v);
  }

  // One coordinate at a time, for psi that allow it.
  bool separable() const { return separable_ != nullptr; }
  double l1() const { return separable_->l1; }
  double lower(Index j) const { return separable_->lo.empty() ? -kInfinity : separable_->lo[j]; }
  double upper(Index j) const { return separable_->hi.empty() ? kInfinity : separable_->hi[j]; }
  /// 1 / (1 + step (w2 + quadratic))
  double shrink(double step) const { return 1.0 / (1.0 + step * curvature_); }
  double coordinate(double step, Index j, double v) const {
    const double threshold = step * l1();
    return std::min(std::max(shrink(step) * (v - std::clamp(v, -threshold, threshold)), lower(j)), upper(j));
  }

 private:
  const ProxTerm* psi_;
  const SeparableParameters* separable_;
  double quadratic_;
  double curvature_ = 0.0;  // of the separable psi and the quadratic
};

}  // namespace pliant
