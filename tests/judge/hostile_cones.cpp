// Hostile cones: sets that begin far away, cones touched at their apex, eigenvalues beside 0, and polyhedra in
// disguise.
#include "judge/families.hpp"

#include <cmath>

namespace pliant::judge {
namespace {

// |(x, 1)| <= x + eps: feasible from x = (1 - eps^2)/(2 eps) on, so far away; never feasible for eps <= 0.
RawCase hyperbola(Random& random) {
  RawCase raw(random.integer(1, 3));
  const double kind = random.uniform();
  const double eps = kind < 0.1 ? 0.0 : (kind < 0.2 ? -1.0 : 1.0) * power_of_ten(random, -12.0, -1.0);
  RawCone cone{ConeKind::second_order, Matrix::Zero(3, raw.n), Vector::Zero(3)};
  cone.G(0, 0) = -1.0;
  cone.h[0] = eps;
  cone.G(1, 0) = -1.0;
  cone.h[2] = 1.0;
  raw.cones.push_back(cone);
  raw.q = Vector::Unit(raw.n, 0) * (random.uniform() < 0.8 ? 1.0 : -1.0);
  for (Index j = 1; j < raw.n; ++j) raw.add_row(Vector::Unit(raw.n, j), -1.0, 1.0);
  if (random.uniform() < 0.3) raw.add_le(Vector::Unit(raw.n, 0), power_of_ten(random, 0.0, 13.0));
  if (eps > 0.0) {
    for (const double share : {1.0 + 1e-12, 1.001, 2.0}) {
      raw.planted.emplace_back(Vector::Unit(raw.n, 0) * (share * 0.5 * (1.0 / eps - eps)));
    }
    raw.inside = raw.planted.back();
  }
  raw.dual_feasible = raw.q[0] > 0.0;
  return raw;
}

// [x 1; 1 eps] semidefinite: x >= 1/eps, entries in the order of svec.
RawCase far_semidefinite(Random& random) {
  RawCase raw(random.integer(1, 3));
  const double eps = power_of_ten(random, -13.0, 1.0) * (random.uniform() < 0.85 ? 1.0 : 0.0);
  const double off = random.uniform() < 0.5 ? 1.0 : random.normal();
  RawCone cone{ConeKind::semidefinite, Matrix::Zero(3, raw.n), Vector::Zero(3)};
  cone.G(0, 0) = -1.0;
  cone.h[1] = off;
  cone.h[2] = eps;
  raw.cones.push_back(cone);
  raw.q = Vector::Unit(raw.n, 0);
  for (Index j = 1; j < raw.n; ++j) raw.add_row(Vector::Unit(raw.n, j), -1.0, 1.0);
  if (eps > 0.0) {
    for (const double share : {1.0, 1.0 + 1e-12, 1.01, 2.0}) {
      raw.planted.emplace_back(Vector::Unit(raw.n, 0) * (share * 0.5 * off * off / eps));
    }
    raw.inside = raw.planted.back();
  }
  raw.dual_feasible = true;
  return raw;
}

// A matrix whose eigenvalue beside 0 decides: F0 + x F1 semidefinite, F0 = Q diag(1.., +-tiny) Q'.
RawCase edge_semidefinite(Random& random) {
  RawCase raw(random.integer(1, 3));
  const Index order = random.integer(2, 4);
  Vector values(order);
  for (double& v : values) v = random.uniform(0.1, 1.0);
  values[0] = (random.uniform() < 0.5 ? 1.0 : -1.0) * power_of_ten(random, -15.0, -8.0);
  const Matrix Q = random.uniform() < 0.3 ? Matrix(Matrix::Identity(order, order)) : rotation(random, order);
  const Index rows = order * (order + 1) / 2;
  RawCone cone{ConeKind::semidefinite, Matrix::Zero(rows, raw.n), Vector::Zero(rows)};
  const auto fill = [&](const Matrix& S, auto set) {
    Index k = 0;
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i, ++k) set(k, (i == j ? 1.0 : std::sqrt(2.0)) * S(i, j));
    }
  };
  fill(Q * values.asDiagonal() * Q.transpose(), [&](Index k, double v) { cone.h[k] = v; });
  for (Index j = 0; j < raw.n; ++j) {  // -F_j semidefinite or small: x = 0 is nearly the only point
    const Vector u = random.vector(order);
    const double size = random.uniform() < 0.5 ? 1.0 : power_of_ten(random, -10.0, 0.0);
    fill(size * u * u.transpose(), [&](Index k, double v) { cone.G(k, j) = v; });
  }
  raw.cones.push_back(cone);
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.7) raw.bound_all(-power_of_ten(random, -1.0, 3.0), power_of_ten(random, -1.0, 3.0));
  raw.planted.emplace_back(Vector::Zero(raw.n));
  raw.inside = Vector(Vector::Constant(raw.n, -1e-3));
  return raw;
}

// |Ax + b| <= c'x + d touched at the apex, scaled.
RawCase apex(Random& random) {
  RawCase raw(random.integer(1, 4));
  const Index rows = random.integer(2, 4);
  const double scale = random.uniform() < 0.5 ? 1.0 : power_of_ten(random, -8.0, 8.0);
  const Vector x = small_integers(random, raw.n);
  RawCone cone{ConeKind::second_order, Matrix(rows, raw.n), Vector(rows)};
  for (Index i = 0; i < rows; ++i) {
    const Vector g = scale * small_integers(random, raw.n);
    cone.G.row(i) = g.transpose();
    cone.h[i] = g.dot(x);  // h - Gx = 0 at x
  }
  cone.h[0] += (random.uniform() < 0.5   ? 1.0
                : random.uniform() < 0.5 ? 0.0
                                         : -1.0) *
               scale * power_of_ten(random, -16.0, -3.0);
  raw.cones.push_back(cone);
  raw.planted.push_back(x);
  raw.inside = x;
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.6) raw.bound_all(-power_of_ten(random, 0.7, 6.0), power_of_ten(random, 0.7, 6.0));
  return raw;
}

// |(eps x, y)| <= 1 and its relatives: min -x is bounded, by a cone that its ray leaves as slowly as eps.
RawCase slow_cone(Random& random) {
  RawCase raw(2);
  const double eps = power_of_ten(random, -13.0, -3.0);
  const double kind = random.uniform();
  RawCone cone{kind < 0.4   ? ConeKind::second_order
               : kind < 0.7 ? ConeKind::semidefinite
                            : ConeKind::power,
               Matrix::Zero(3, 2), Vector::Zero(3)};
  const Index first = cone.kind == ConeKind::power ? 2 : 1, other = cone.kind == ConeKind::power ? 0 : 2;
  cone.h[0] = 1.0;
  if (cone.kind != ConeKind::second_order) cone.h[3 - first] = 1.0;  // (1, 1, eps x) or [1, eps x; eps x, 1]
  cone.G(first, 0) = eps;
  cone.G(other, 1) = random.uniform(0.5, 1.0);
  raw.cones.push_back(cone);
  raw.add_row(Vector::Unit(2, 1), -0.5, 0.5);
  raw.q << -1.0, 0.0;
  raw.inside = Vector::Zero(2);
  for (const double share : {0.5, 0.99}) raw.planted.emplace_back(Vector::Unit(2, 0) * (share / eps));
  raw.rays = {Vector(Vector::Unit(2, 0))};
  raw.dual_feasible = true;
  return raw;
}

// A hostile linear program whose rows are given as cones.
RawCase disguised_rows(Random& random) {
  const std::vector<Family>& linear = hostile_linear_families();
  RawCase raw = linear[static_cast<std::size_t>(random.integer(0, static_cast<Index>(linear.size()) - 1))].make(random);
  RawCone cone{ConeKind::nonnegative, {}, {}};
  std::vector<std::pair<Vector, double>> rows;
  for (Index i = 0; i < raw.row_hi.size(); ++i) {
    const Vector g = raw.G.row(i).transpose();
    if (std::isfinite(raw.row_hi[i])) rows.emplace_back(g, raw.row_hi[i]);
    if (std::isfinite(raw.row_lo[i])) rows.emplace_back(-g, -raw.row_lo[i]);
  }
  cone.G.resize(static_cast<Index>(rows.size()), raw.n);
  cone.h.resize(static_cast<Index>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    cone.G.row(static_cast<Index>(i)) = rows[i].first.transpose();
    cone.h[static_cast<Index>(i)] = rows[i].second;
  }
  raw.G.resize(0, raw.n);
  raw.row_lo.resize(0);
  raw.row_hi.resize(0);
  if (!rows.empty()) raw.cones.push_back(cone);
  if (raw.e.size() > 0) {
    raw.cones.push_back({ConeKind::zero, raw.E, raw.e});
    raw.E.resize(0, 0);
    raw.e.resize(0);
  }
  return raw;
}

}  // namespace

const std::vector<Family>& hostile_cone_families() {
  static const std::vector<Family> families = {{"hyperbola", hyperbola},
                                               {"far_semidefinite", far_semidefinite},
                                               {"edge_semidefinite", edge_semidefinite},
                                               {"apex", apex},
                                               {"slow_cone", slow_cone},
                                               {"disguised_rows", disguised_rows}};
  return families;
}

}  // namespace pliant::judge
