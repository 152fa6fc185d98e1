#include "pliant/objective_term.hpp"

namespace pliant {

void ObjectiveTerm::prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const {
  line.max_step = max_step(x, d);
  line.x = x;
  line.d = d;
}

LinePoint ObjectiveTerm::line_point(ObjectiveLine& line, double t) const {
  line.point = line.x + t * line.d;
  line.gradient.setZero(line.x.size());
  const double value = add_gradient(line.point, 1.0, line.gradient);
  if (value == kInfinity) return {value, t < 0.0 ? -kInfinity : kInfinity};
  return {value, line.gradient.dot(line.d)};
}

}  // namespace pliant
