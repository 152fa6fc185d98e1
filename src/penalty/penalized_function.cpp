#include "penalty/penalized_function.hpp"

#include "linalg/sums.hpp"
#include "model/natural_units.hpp"
#include "rows/row_prices.hpp"
#include "softplus/softplus.hpp"

#include <algorithm>

namespace pliant {

PenalizedFunction::PenalizedFunction(const Problem& problem, ConstraintSystem& system, Index* account)
    : problem_(problem), system_(system), hard_rows_(system.size()), penalty_(system.size()), account_(account) {
  if (!system.has_soft_rows()) return;
  prices_ = row_prices(system);
  for (Index s = 0; s < system.segments(); ++s) {
    const Doubles& caps = system.caps(s);
    sum_of_prices_ += pairwise_sum(0, caps.size(), [&](Index i) { return caps[i]; });
    hard_rows_ -= caps.size();
  }
}

double PenalizedFunction::largest_hard(ConstVectorRef a) const {
  if (!has_soft_rows()) return a.size() > 0 ? a.maxCoeff() : -kInfinity;
  double largest = -kInfinity;
  for (Index i = 0; i < a.size(); ++i) {
    if (!soft(i)) largest = std::max(largest, a[i]);
  }
  return largest;
}

double PenalizedFunction::evaluate(ConstVectorRef x, LagrangianEvaluation& at) {
  return evaluate(x, at, [this](ConstVectorRef y, VectorRef g) { return problem_.add_smooth_gradient(y, g); });
}

double PenalizedFunction::evaluate(ConstVectorRef x, LagrangianEvaluation& at, SmoothGradient smooth) {
  at.a.resize(system_.size());
  at.multipliers.resize(system_.size());
  at.cones = {};  // multipliers of eigenvalues are multiplied out at x: dual points of a start are not those of x
  at.gradient.setZero(x.size());
  at.smooth_value = smooth(x, at.gradient);
  at.smooth_gradient_size = gradient_size(problem_, at.gradient);
  count_components(problem_.components());
  const double* u = shift.size() > 0 ? shift.data() : nullptr;
  system_.sweep(
      x,
      [&](Index first, Index count, const double* a, double* w) {
        penalty::softplus_sigmoid(count, a, u != nullptr ? u + first : nullptr, delta, penalty_.data() + first, w);
        if (!has_soft_rows()) {
          for (Index k = 0; k < count; ++k) w[k] *= xi;
          return;
        }
        for (Index k = 0; k < count; ++k) {
          w[k] *= ceiling(first + k);
          penalty_[first + k] *= ceiling(first + k);
        }
      },
      at.a, at.multipliers, at.gradient);
  double value = at.smooth_value + (has_soft_rows() ? 1.0 : xi) * pairwise_sum(penalty_);
  if (kappa > 0.0) {
    at.gradient += kappa * (x - center);
    value += 0.5 * kappa * (x - center).squaredNorm();
  }
  return value;
}

}  // namespace pliant
