#include "engines/stochastic/svrg.hpp"

#include <cmath>

namespace pliant {

void Svrg::epoch(InnerPoint& point) {
  ComponentSum& sum = components();
  const double k = static_cast<double>(sum.sampled());
  const double eta = (parameters_.loopless ? parameters_.loopless_step : parameters_.step) / sum.step_smoothness();
  const Index steps =
      parameters_.loopless ? geometric(1.0 / k) : static_cast<Index>(std::ceil(parameters_.epoch_length * k));
  for (Index step = 0; step < steps; ++step) {
    const ComponentSum::Correction c = sum.correction(draw(), point.x);
    point.x -= eta * gradient();
    c.row.add(-eta * c.coefficient, point.x.data());
    prox().apply(eta, point.x);
  }
}

}  // namespace pliant
