// Exponential and power cones, ordinary and hostile: sets that begin far away, boundaries touched, wild scales.
#include "judge/families.hpp"

#include <cmath>

namespace pliant::judge {
namespace {

// A point of the cone: on its boundary, or inside it by `room` in the last entry (exponential) or the first two (power).
Vector point_of(Random& random, ConeKind kind, double alpha, double size, double room) {
  Vector s(3);
  if (kind == ConeKind::exponential) {
    const double y = size * random.uniform(0.1, 2.0), x = y * random.uniform(-3.0, 3.0);
    s << x, y, y * std::exp(x / y) * (1.0 + room);
  } else {
    const double x = size * random.uniform(0.1, 2.0), y = size * random.uniform(0.1, 2.0);
    const double sign = random.uniform() < 0.5 ? 1.0 : -1.0;
    s << x * (1.0 + room), y * (1.0 + room), sign * std::pow(x, alpha) * std::pow(y, 1.0 - alpha);
  }
  return s;
}

RawCone draw_cone(Random& random, const Vector& x0, double size, double room) {
  RawCone cone;
  cone.kind = random.uniform() < 0.5 ? ConeKind::exponential : ConeKind::power;
  cone.alpha = random.uniform() < 0.3 ? 0.5 : random.uniform(0.05, 0.95);
  cone.G = size * random.matrix(3, x0.size());
  cone.h = point_of(random, cone.kind, cone.alpha, size, room) + cone.G * x0;
  return cone;
}

RawCase exponential_program(Random& random) {
  RawCase raw(random.integer(1, 4));
  const Vector x0 = random.vector(raw.n);
  const Index cones = random.integer(1, 3);
  const bool inside = random.uniform() < 0.85;
  for (Index k = 0; k < cones; ++k) {
    raw.cones.push_back(draw_cone(random, x0, 1.0, inside ? random.uniform(0.05, 1.0) : random.uniform(-0.5, 0.2)));
  }
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.6) raw.bound_all(-5.0, 5.0);
  raw.planted.push_back(x0);
  raw.inside = x0;
  return raw;
}

// Boundaries touched within a few digits, in any units.
RawCase touched_exponential(Random& random) {
  RawCase raw(random.integer(1, 3));
  const Vector x0 = small_integers(random, raw.n);
  const double size = random.uniform() < 0.4 ? 1.0 : power_of_ten(random, -7.0, 7.0);
  const double room = (random.uniform() < 0.7 ? 1.0 : -1.0) * power_of_ten(random, -16.0, -3.0);
  const Index cones = random.integer(1, 2);
  for (Index k = 0; k < cones; ++k) raw.cones.push_back(draw_cone(random, x0, size, room));
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.7) raw.bound_all(-power_of_ten(random, 0.7, 6.0), power_of_ten(random, 0.7, 6.0));
  raw.planted.push_back(x0);
  raw.inside = x0;
  return raw;
}

// (1, x, x + 1 + eps) in the exponential cone: x exp(1/x) = x + 1 + 1/(2x) + .., so feasible from x of about 1/(2 eps)
// on, and never for eps <= 0.
RawCase far_exponential(Random& random) {
  RawCase raw(random.integer(1, 3));
  const double kind = random.uniform();
  const double eps = kind < 0.1 ? 0.0 : (kind < 0.2 ? -1.0 : 1.0) * power_of_ten(random, -12.0, -1.0);
  RawCone cone{ConeKind::exponential, Matrix::Zero(3, raw.n), Vector::Zero(3)};
  cone.h << 1.0, 0.0, 1.0 + eps;
  cone.G(1, 0) = cone.G(2, 0) = -1.0;
  raw.cones.push_back(cone);
  raw.q = Vector::Unit(raw.n, 0) * (random.uniform() < 0.8 ? 1.0 : -1.0);
  for (Index j = 1; j < raw.n; ++j) raw.add_row(Vector::Unit(raw.n, j), -1.0, 1.0);
  if (random.uniform() < 0.3) raw.add_le(Vector::Unit(raw.n, 0), power_of_ten(random, 0.0, 13.0));
  if (eps > 0.0) {
    for (const double share : {1.01, 1.1, 2.0}) {
      raw.planted.emplace_back(Vector::Unit(raw.n, 0) * (share * (0.5 / eps + 1.0)));
    }
    raw.inside = raw.planted.back();
  }
  raw.dual_feasible = raw.q[0] > 0.0;
  return raw;
}

// (x, eps, 1) in the power cone: x >= eps^(-(1 - alpha)/alpha), so far away as alpha likes.
RawCase far_power(Random& random) {
  RawCase raw(random.integer(1, 3));
  const double eps = random.uniform() < 0.1 ? 0.0 : power_of_ten(random, -8.0, 0.0);
  RawCone cone{ConeKind::power, Matrix::Zero(3, raw.n), Vector::Zero(3), random.uniform(0.3, 0.9)};
  cone.h << 0.0, eps, random.uniform() < 0.5 ? 1.0 : -1.0;
  cone.G(0, 0) = -1.0;
  raw.cones.push_back(cone);
  raw.q = Vector::Unit(raw.n, 0);
  for (Index j = 1; j < raw.n; ++j) raw.add_row(Vector::Unit(raw.n, j), -1.0, 1.0);
  if (eps > 0.0) {
    const double begin = std::pow(eps, -(1.0 - cone.alpha) / cone.alpha);
    for (const double share : {1.0 + 1e-12, 1.01, 2.0})
      raw.planted.emplace_back(Vector::Unit(raw.n, 0) * (share * begin));
    raw.inside = raw.planted.back();
  }
  raw.dual_feasible = true;
  return raw;
}

}  // namespace

const std::vector<Family>& exponential_families() {
  static const std::vector<Family> families = {{"exponential", exponential_program}};
  return families;
}

const std::vector<Family>& hostile_exponential_families() {
  static const std::vector<Family> families = {
      {"touched_exponential", touched_exponential}, {"far_exponential", far_exponential}, {"far_power", far_power}};
  return families;
}

}  // namespace pliant::judge
