#include "penalty/penalized_function.hpp"

#include "linalg/sums.hpp"
#include "model/natural_units.hpp"
#include "softplus/softplus.hpp"

namespace pliant {

PenalizedFunction::PenalizedFunction(const Problem& problem, ConstraintSystem& system, Index* account)
    : problem_(problem), system_(system), penalty_(system.size()), account_(account) {}

double PenalizedFunction::evaluate(ConstVectorRef x, LagrangianEvaluation& at) {
  return evaluate(x, at, [this](ConstVectorRef y, VectorRef g) { return problem_.add_smooth_gradient(y, g); });
}

double PenalizedFunction::evaluate(ConstVectorRef x, LagrangianEvaluation& at, SmoothGradient smooth) {
  at.a.resize(system_.size());
  at.multipliers.resize(system_.size());
  at.gradient.setZero(x.size());
  at.smooth_value = smooth(x, at.gradient);
  at.smooth_gradient_size = gradient_size(problem_, at.gradient);
  count_components(problem_.components());
  const double* u = shift.size() > 0 ? shift.data() : nullptr;
  system_.sweep(
      x,
      [&](Index first, Index count, const double* a, double* w) {
        penalty::softplus_sigmoid(count, a, u != nullptr ? u + first : nullptr, delta, penalty_.data() + first, w);
        for (Index k = 0; k < count; ++k) w[k] *= xi;
      },
      at.a, at.multipliers, at.gradient);
  double value = at.smooth_value + xi * pairwise_sum(penalty_);
  if (kappa > 0.0) {
    at.gradient += kappa * (x - center);
    value += 0.5 * kappa * (x - center).squaredNorm();
  }
  return value;
}

}  // namespace pliant
