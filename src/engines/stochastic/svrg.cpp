#include "engines/stochastic/svrg.hpp"

#include "engines/stochastic/lazy_steps.hpp"

#include <cmath>

namespace pliant {
namespace {

/// What happens to one coordinate (lazy_steps.hpp).
struct SvrgCoordinates {
  Vector& point;
  const Vector& gradient;
  const SkippedProxSteps& steps;

  const Vector& x() const { return point; }
  double expose(Index j) const { return point[j]; }
  void skip(Index j, Index k) const { point[j] = steps(point[j], gradient[j], k, j); }
  void step(Index j, double correction) const { point[j] = steps.once(point[j], gradient[j] + correction, j); }
};

}  // namespace

double Svrg::step() const {
  return (parameters_.loopless ? parameters_.loopless_step : parameters_.step) / step_smoothness();
}

void Svrg::epoch(InnerPoint& point) {
  const double eta = step();
  const Index steps = parameters_.loopless
                          ? geometric(1.0 / draws_per_component(1.0))
                          : static_cast<Index>(std::ceil(draws_per_component(parameters_.epoch_length)));
  if (sparse() && prox().separable()) {
    skipped_.prepare(prox(), eta, lazy_block(steps));
    take_lazy_steps(steps, SvrgCoordinates{point.x, gradient(), skipped_});
    return;
  }
  for (Index j = 0; j < steps; ++j) {
    if (j % check_every() == 0 && !inside(point.x)) return;
    const Estimate e = estimate(point.x);
    const Eigen::Map<const Vector> row(e.direction, point.x.size());
    if (prox().smooth()) {
      const double rho = prox().shrink(eta);
      point.x = rho * point.x - (rho * eta) * gradient() - (rho * eta * e.coefficient) * row;
    } else {
      point.x -= eta * gradient() + (eta * e.coefficient) * row;
      prox().apply(eta, point.x);
    }
  }
}

}  // namespace pliant
