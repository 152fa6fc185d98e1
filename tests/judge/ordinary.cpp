// Ordinary problems: random rows around a random point, bounded or not, feasible or not.
#include "judge/families.hpp"

#include <cmath>

namespace pliant::judge {
namespace {

// Rows g'x <= g(x0) + slack, or two-sided ones.
void add_rows(Random& random, RawCase& raw, Index m, const Vector& x0, double least_slack) {
  for (Index i = 0; i < m; ++i) {
    const Vector g = random.vector(raw.n);
    const double t = g.dot(x0);
    const double high = t + random.uniform(least_slack, 1.0);
    raw.add_row(g, random.uniform() < 0.2 ? std::min(t, high) - random.uniform(0.0, 2.0) : -kInfinity, high);
  }
}

// Half of them bounded by construction: the cost is a combination of rows.
void choose_cost(Random& random, RawCase& raw) {
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.5) return;
  raw.q.setZero();
  for (Index i = 0; i < raw.row_hi.size(); ++i) raw.q -= random.uniform() * raw.G.row(i).transpose();
}

void choose_domain(Random& random, RawCase& raw) {
  const double kind = random.uniform();
  if (kind < 0.35) raw.bound_all(-random.uniform(0.5, 10.0), random.uniform(0.5, 10.0));
  if (kind >= 0.35 && kind < 0.45) raw.bound_all(0.0, kInfinity);
  if (kind >= 0.45 && kind < 0.5) raw.simplex = random.uniform(0.5, 5.0);
  if (kind >= 0.9) raw.l1 = random.log_uniform(1e-2, 1.0);
}

RawCase linear_program(Random& random) {
  RawCase raw(random.integer(1, 8));
  const Vector x0 = random.vector(raw.n);
  add_rows(random, raw, random.integer(1, random.uniform() < 0.1 ? 40 : 12), x0, random.uniform() < 0.2 ? -0.5 : 0.0);
  if (raw.n > 1 && random.uniform() < 0.3) {
    const Index k = random.integer(1, raw.n - 1);
    raw.E = small_integers(random, k * raw.n).reshaped(k, raw.n);
    raw.e = raw.E * x0;
  }
  choose_cost(random, raw);
  choose_domain(random, raw);
  return raw;
}

RawCase quadratic_program(Random& random) {
  RawCase raw = linear_program(random);
  raw.simplex = 0.0;
  const Index rank = random.integer(1, raw.n);
  const Matrix B = small_integers(random, rank * raw.n, 4).reshaped(rank, raw.n);  // B'B is exact: convex indeed
  raw.P = B.transpose() * B;
  if (random.uniform() < 0.2) raw.l2 = random.log_uniform(1e-6, 1.0);
  return raw;
}

RawCase second_order_program(Random& random) {
  RawCase raw(random.integer(1, 5));
  const Vector x0 = random.vector(raw.n);
  const Index cones = random.integer(1, 3);
  const bool inside = random.uniform() < 0.8;
  for (Index k = 0; k < cones; ++k) {
    const Index rows = random.integer(2, 4);
    RawCone cone{ConeKind::second_order, random.matrix(rows, raw.n), random.vector(rows)};
    const Vector s = cone.h - cone.G * x0;
    cone.h[0] += s.tail(rows - 1).norm() - s[0] + (inside ? random.uniform(0.05, 1.0) : random.uniform(-1.0, 0.5));
    raw.cones.push_back(cone);
  }
  if (random.uniform() < 0.5) add_rows(random, raw, random.integer(1, 4), x0, 0.01);
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.6) raw.bound_all(-5.0, 5.0);
  raw.planted.push_back(x0);
  raw.inside = x0;
  return raw;
}

RawCase semidefinite_program(Random& random) {
  RawCase raw(random.integer(1, 4));
  const Index order = random.integer(2, 3), rows = order * (order + 1) / 2;
  const Vector x0 = random.vector(raw.n);
  RawCone cone{ConeKind::semidefinite, random.matrix(rows, raw.n), Vector(rows)};
  cone.h = cone.G * x0;
  Index k = 0;
  for (Index j = 0; j < order; j += 1) {  // + a multiple of the identity
    cone.h[k] += random.uniform() < 0.85 ? 0.5 : -0.1;
    k += order - j;
  }
  raw.cones.push_back(cone);
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.6) raw.bound_all(-5.0, 5.0);
  raw.planted.push_back(x0);
  raw.inside = x0;
  return raw;
}

RawCase quadratic_rows(Random& random) {
  RawCase raw(random.integer(1, 5));
  const Vector x0 = random.vector(raw.n);
  const Index m = random.integer(1, 4);
  for (Index i = 0; i < m; ++i) {
    RawQuadratic row;
    row.q = random.vector(raw.n);
    const Matrix B = random.matrix(random.integer(1, raw.n), raw.n);
    const double kind = random.uniform();
    if (kind < 0.4) {
      row.factor = B;
    } else if (kind < 0.7) {
      row.P = random.vector(raw.n).cwiseAbs().asDiagonal();
    } else {
      row.P = small_integers(random, raw.n * raw.n, 3).reshaped(raw.n, raw.n);
      row.P = (row.P.transpose() * row.P).eval();
    }
    const double bend = row.factor.size() > 0 ? (row.factor * x0).squaredNorm() : x0.dot(row.P * x0);
    row.r = -0.5 * bend - row.q.dot(x0) - random.uniform(-0.1, 1.0);
    raw.quadratics.push_back(row);
  }
  if (random.uniform() < 0.4) add_rows(random, raw, random.integer(1, 4), x0, 0.0);
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.3) raw.P = Matrix(random.vector(raw.n).cwiseAbs().asDiagonal());
  if (random.uniform() < 0.5) raw.bound_all(-5.0, 5.0);
  if (!raw.has_box() && random.uniform() < 0.3) raw.ball = random.uniform(1.0, 6.0);
  raw.planted.push_back(x0);
  raw.inside = x0;
  return raw;
}

}  // namespace

const std::vector<Family>& ordinary_families() {
  static const std::vector<Family> families = [] {
    std::vector<Family> all = {{"linear", linear_program},
                               {"quadratic", quadratic_program},
                               {"second_order", second_order_program},
                               {"semidefinite", semidefinite_program},
                               {"quadratic_rows", quadratic_rows}};
    for (const std::vector<Family>* part :
         {&exponential_families(), &group_families(), &smooth_families(), &price_families()}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }();
  return families;
}

}  // namespace pliant::judge
