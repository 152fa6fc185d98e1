#include "engines/stochastic/svrg.hpp"

#include <cmath>

namespace pliant {

double Svrg::step() const {
  return (parameters_.loopless ? parameters_.loopless_step : parameters_.step) / components().step_smoothness();
}

void Svrg::epoch(InnerPoint& point) {
  ComponentSum& sum = components();
  const double k = static_cast<double>(sum.sampled());
  const double eta = step();
  const Index steps =
      parameters_.loopless ? geometric(1.0 / k) : static_cast<Index>(std::ceil(parameters_.epoch_length * k));
  for (Index j = 0; j < steps && inside(point.x); ++j) {
    const ComponentSum::Correction c = sum.correction(draw(), point.x);
    point.x -= eta * gradient();
    c.row.add(-eta * c.coefficient, point.x.data());
    prox().apply(eta, point.x);
  }
}

}  // namespace pliant
