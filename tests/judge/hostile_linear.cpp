// Hostile linear programs: the truth about them comes from the exact simplex method.
#include "judge/families.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::judge {
namespace {

Vector unit(Index n, Index j) { return Vector::Unit(n, j); }

// Free variables more, held by a box row each, so that dimension and number of rows vary.
void add_idle_rows(Random& random, RawCase& raw, Index first) {
  for (Index j = first; j < raw.n; ++j)
    raw.add_row(unit(raw.n, j), -random.uniform(0.5, 2.0), random.uniform(0.5, 2.0));
  const Index extra = random.integer(0, 6);
  for (Index k = 0; k < extra; ++k) {  // far from everything
    Vector g = random.vector(raw.n);
    raw.add_le(g, power_of_ten(random, 14.0, 16.0) * g.norm());
  }
}

// min -x subject to slope x + y <= 1, x, y >= 0: bounded, but the wall is nearly parallel to the ray.
RawCase slow_wall(Random& random) {
  RawCase raw(random.integer(2, 5));
  const double slope = power_of_ten(random, -14.0, -4.0);
  const double top = random.uniform() < 0.5 ? 1.0 : power_of_ten(random, -3.0, 6.0);
  Vector wall = unit(raw.n, 1);
  wall[0] = slope;
  raw.q = -unit(raw.n, 0);
  if (random.uniform() < 0.5) raw.q[1] = random.normal();
  raw.add_le(wall, top);
  if (random.uniform() < 0.5) {
    raw.lo = Vector::Constant(raw.n, 0.0);
    raw.hi = Vector::Constant(raw.n, kInfinity);
  } else {
    raw.add_le(-unit(raw.n, 0), 0.0);
    raw.add_le(-unit(raw.n, 1), 0.0);
  }
  add_idle_rows(random, raw, 2);
  raw.rays = {unit(raw.n, 0), Vector(unit(raw.n, 0) - slope * unit(raw.n, 1))};
  perturb(random, raw);
  return raw;
}

// min x + y subject to x + y >= 10^k, x - y <= 1: feasible, but far away.
RawCase far_set(Random& random) {
  RawCase raw(random.integer(1, 5));
  const double far = power_of_ten(random, 5.0, 15.0);
  raw.q = Vector::Ones(raw.n);
  Vector sum = Vector::Ones(raw.n);
  if (random.uniform() < 0.5) sum = sum.cwiseProduct(random.vector(raw.n).cwiseAbs() + Vector::Constant(raw.n, 0.1));
  raw.add_le(-sum, -far);
  for (Index j = 1; j < raw.n; ++j) raw.add_le(unit(raw.n, j - 1) - unit(raw.n, j), random.uniform(0.0, 2.0));
  if (raw.n > 1 && random.uniform() < 0.5)
    raw.add_le(unit(raw.n, raw.n - 1) - unit(raw.n, 0), random.uniform(0.0, 2.0));
  if (random.uniform() < 0.3)
    raw.add_le(sum, far * (1.0 + (random.uniform() < 0.5 ? 1.0 : -1.0) * power_of_ten(random, -16.0, -6.0)));
  perturb(random, raw);
  return raw;
}

// Two lines that meet far away: x + y <= 1 and x + (1 + angle) y >= 2, or equalities of the kind.
RawCase distant_crossing(Random& random) {
  RawCase raw(random.integer(2, 4));
  const double angle = power_of_ten(random, -14.0, -4.0);
  Vector g = random.uniform() < 0.5 ? Vector(Vector::Ones(raw.n)) : random.vector(raw.n);
  Vector turned = g;
  turned[raw.n - 1] *= 1.0 + angle;
  raw.q = random.uniform() < 0.5 ? Vector(random.vector(raw.n)) : g;
  if (random.uniform() < 0.5) {
    raw.E.resize(2, raw.n);
    raw.E << g.transpose(), turned.transpose();
    raw.e.resize(2);
    raw.e << 1.0, 2.0;
    if (random.uniform() < 0.5) raw.e[1] = 1.0 + power_of_ten(random, -14.0, 0.0);
  } else {
    raw.add_le(g, 1.0);
    raw.add_le(-turned, random.uniform() < 0.5 ? -2.0 : -1.0 - power_of_ten(random, -14.0, 0.0));
  }
  for (Index j = 0; j + 1 < raw.n; ++j) raw.add_row(unit(raw.n, j), -1.0, 1.0);
  if (random.uniform() < 0.2) raw.bound_all(-power_of_ten(random, 0.0, 14.0), power_of_ten(random, 0.0, 14.0));
  return raw;
}

// Pairs of rows +-h_k + angle d against the objective -d: bounded where the angle is positive, a wedge to infinity
// where it is not.
RawCase wedge(Random& random) {
  RawCase raw(random.integer(2, 6));
  const Matrix Q = random.uniform() < 0.3 ? Matrix(Matrix::Identity(raw.n, raw.n)) : rotation(random, raw.n);
  const Vector d = Q.col(0);
  double angle = power_of_ten(random, -14.0, -3.0);
  const double kind = random.uniform();
  if (kind < 0.15) angle = 0.0;
  if (kind > 0.85) angle = -angle;
  const double size = random.uniform() < 0.3 ? power_of_ten(random, -6.0, 6.0) : 1.0;
  for (Index k = 1; k < raw.n; ++k) {
    raw.add_le(size * (Q.col(k) + angle * d), random.uniform(0.0, 1.0));
    raw.add_le(size * (-Q.col(k) + angle * d), random.uniform(0.0, 1.0));
  }
  raw.q = -d * (random.uniform() < 0.3 ? power_of_ten(random, -6.0, 6.0) : 1.0);
  raw.rays = {d, Vector(d + 1e-9 * random.vector(raw.n))};
  perturb(random, raw);
  return raw;
}

// Rows and columns of wildly different units.
RawCase wild_scales(Random& random) {
  RawCase raw(random.integer(1, 6));
  const Index m = random.integer(1, 20);
  const double wildness = random.uniform(0.0, 14.0);
  Vector columns(raw.n);
  for (double& c : columns) c = power_of_ten(random, -0.5 * wildness, 0.5 * wildness);
  const Vector x = random.vector(raw.n).cwiseQuotient(columns);
  for (Index i = 0; i < m; ++i) {
    const double scale = power_of_ten(random, -wildness, wildness);
    const Vector g = scale * random.vector(raw.n).cwiseProduct(columns);
    raw.add_le(g, g.dot(x) + scale * random.uniform(-0.2, 1.0));
  }
  raw.q = random.vector(raw.n).cwiseProduct(columns) * power_of_ten(random, -wildness, wildness);
  if (random.uniform() < 0.5) {
    raw.lo = -10.0 * columns.cwiseInverse();
    raw.hi = 10.0 * columns.cwiseInverse();
  }
  return raw;
}

// A box so wide that a proof by it loses everything to rounding.
RawCase huge_box(Random& random) {
  RawCase raw(random.integer(1, 6));
  const double width = power_of_ten(random, 6.0, 15.0);
  raw.bound_all(-width, width);
  if (random.uniform() < 0.3) raw.lo.setZero();
  const Index m = random.integer(raw.n, 3 * raw.n);
  const Vector x = random.vector(raw.n);
  Vector gradient = Vector::Zero(raw.n);
  for (Index i = 0; i < m; ++i) {
    const Vector g = random.vector(raw.n);
    const bool active = i < raw.n;
    raw.add_le(g, g.dot(x) + (active ? 0.0 : random.uniform(0.1, 1.0)));
    if (active) gradient += random.uniform(0.1, 1.0) * g;
  }
  raw.q = -gradient;
  return raw;
}

// Rows whose positive combination is 0'x <= total, total beside 0: feasible or not by a few ulps.
RawCase near_contradiction(Random& random) {
  RawCase raw(random.integer(1, 6));
  const Index k = random.integer(2, raw.n + 1);
  Vector last = Vector::Zero(raw.n), lambda(k);
  const double scale = random.uniform() < 0.5 ? 1.0 : std::ldexp(1.0, static_cast<int>(random.integer(-40, 40)));
  double total = 0.0;
  for (Index i = 0; i + 1 < k; ++i) {
    const Vector g = small_integers(random, raw.n);
    lambda[i] = static_cast<double>(random.integer(1, 4));
    const double h = static_cast<double>(random.integer(-4, 4)) * scale;
    raw.add_le(g, h);
    last -= lambda[i] * g;
    total += lambda[i] * h;
  }
  const double miss = (random.uniform() < 0.5 ? -1.0 : 1.0) * power_of_ten(random, -17.0, -6.0) *
                      (random.uniform() < 0.2 ? 0.0 : 1.0) * scale;
  raw.add_le(last, -total + miss);
  const Index extra = random.integer(0, 8);
  for (Index i = 0; i < extra; ++i) raw.add_le(random.vector(raw.n), 100.0 * scale * random.uniform());
  if (random.uniform() < 0.3) raw.bound_all(-power_of_ten(random, 0.0, 12.0), power_of_ten(random, 0.0, 12.0));
  raw.q = random.vector(raw.n);
  perturb(random, raw);
  lambda[k - 1] = 1.0;
  RationalVector proof(linear_part(raw).rows.size());
  const std::size_t first = proof.size() - static_cast<std::size_t>(raw.row_hi.size());  // behind the box
  for (Index i = 0; i < k; ++i) proof[first + static_cast<std::size_t>(i)] = exact(lambda[i]);
  raw.row_multipliers.push_back(std::move(proof));
  return raw;
}

// A row with a huge constant beside small ones: it must not lend them its scale.
RawCase huge_constant(Random& random) {
  RawCase raw(random.integer(1, 5));
  const Vector x = random.vector(raw.n);
  const Index m = random.integer(1, 10);
  for (Index i = 0; i < m; ++i) {
    const Vector g = random.vector(raw.n);
    raw.add_le(g, g.dot(x) + random.uniform(-0.3, 1.0));
  }
  const double huge = power_of_ten(random, 6.0, 13.0);
  raw.add_le(random.vector(raw.n), huge);
  if (random.uniform() < 0.5) raw.add_le(random.vector(raw.n), -huge);
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.7) raw.bound_all(-random.uniform(1.0, 20.0), random.uniform(1.0, 20.0));
  return raw;
}

// Pairs x_i - x_j <= 0, x_j - x_i <= 0: multipliers may grow without end, and cancel.
RawCase opposed_rows(Random& random) {
  RawCase raw(random.integer(2, 5));
  for (Index j = 1; j < raw.n; ++j) {
    const double h = random.uniform() < 0.7 ? 0.0 : random.normal();
    raw.add_le(unit(raw.n, j - 1) - unit(raw.n, j), h);
    raw.add_le(unit(raw.n, j) - unit(raw.n, j - 1), -h);
  }
  raw.add_le(unit(raw.n, 0), random.uniform(1.0, 20.0));
  raw.q = -unit(raw.n, random.integer(0, raw.n - 1));
  const double kind = random.uniform();
  if (kind < 0.5) {
    raw.bound_all(-power_of_ten(random, 0.0, 6.0), power_of_ten(random, 1.5, 6.0));
  } else if (kind < 0.7) {
    raw.bound_all(-power_of_ten(random, 0.0, 6.0), kInfinity);
  }
  return raw;
}

// Rows g'x <= 0 with entries that cancel along d = (1, .., 1), and a cost that their multipliers balance up to rounding:
// what is left of the gradient moves the minimum over a wide box along d, however exact everything is at x = 0.
RawCase cancelling_gradient(Random& random) {
  RawCase raw(random.integer(2, 5));
  const double width = power_of_ten(random, 0.0, 8.0), size = power_of_ten(random, -3.0, 12.0);
  const Index m = random.integer(1, 6);
  RationalVector multipliers;
  Vector balance = Vector::Zero(raw.n);
  for (Index i = 0; i < m; ++i) {
    Vector g = Vector::Zero(raw.n);
    const Index j = random.integer(0, raw.n - 1), k = (j + random.integer(1, raw.n - 1)) % raw.n;
    g[j] = random.normal();
    g[k] = -g[j];
    const double lambda = size * random.uniform(0.1, 1.0);
    raw.add_le(g, 0.0);
    balance += lambda * g;
    multipliers.push_back(exact(lambda));
  }
  raw.q = -balance;
  // Bounds on one side now and then: there the sign of what is left decides.
  const double kind = random.uniform();
  raw.bound_all(kind < 0.2 ? -kInfinity : -width, kind > 0.8 ? kInfinity : width);
  RationalVector proof(linear_part(raw).rows.size());
  std::copy(multipliers.rbegin(), multipliers.rend(), proof.rbegin());
  raw.row_multipliers.push_back(std::move(proof));
  return raw;
}

// Rows that nearly cancel, and a point of the set just where the lines that are left meet: far away, but not infinitely.
// A combination of them is 0'x <= -1 up to the last digits.
RawCase last_digit_crossing(Random& random) {
  RawCase raw(random.integer(1, 4));
  const Index k = random.integer(1, 3);
  Vector sum = Vector::Zero(raw.n);
  for (Index i = 0; i < k; ++i) {
    const Vector g = random.vector(raw.n);
    raw.add_le(g, random.uniform(-1.0, 1.0));
    sum += g;
  }
  // A few units in the last place, most of the time less than rounding could make of 0.
  for (double& t : sum) t *= 1.0 + static_cast<double>(random.integer(-40, 40)) * 0x1p-52;
  raw.add_le(-sum, -raw.row_hi.sum() - power_of_ten(random, -3.0, 3.0));
  raw.q = random.uniform() < 0.5 ? Vector(sum) : Vector(random.vector(raw.n));
  if (random.uniform() < 0.3)
    raw.bound_all(random.uniform() < 0.5 ? -kInfinity : -power_of_ten(random, 3.0, 17.0), kInfinity);
  RationalVector proof(linear_part(raw).rows.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(k) + 1; ++i) proof[proof.size() - 1 - i] = 1;
  raw.row_multipliers.push_back(std::move(proof));
  return raw;
}

// A box so narrow that what is left of gradients does not matter: rounding of values decides alone. Rows hold at x0 by a
// few units in the last place, and their sum is a constant.
RawCase narrow_box(Random& random) {
  RawCase raw(random.integer(1, 5));
  const Vector x0 = power_of_ten(random, -2.0, 6.0) * random.vector(raw.n);
  const Index k = random.integer(1, 4);
  Vector sum = Vector::Zero(raw.n);
  const auto add_touched = [&](const Vector& g) {
    const double value = g.dot(x0), size = g.cwiseAbs().dot(x0.cwiseAbs());
    raw.add_le(g, value + size * static_cast<double>(random.integer(-2, 6)) * 0x1p-53);
  };
  for (Index i = 0; i < k; ++i) {
    const Vector g = random.vector(raw.n);
    add_touched(g);
    sum += g;
  }
  add_touched(-sum);
  const Vector width = power_of_ten(random, -15.0, -9.0) * x0.cwiseAbs();
  raw.lo = x0 - width;
  raw.hi = x0 + width;
  raw.q = random.vector(raw.n);
  raw.planted.push_back(x0);
  RationalVector proof(linear_part(raw).rows.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(k) + 1; ++i) proof[proof.size() - 1 - i] = 1;
  raw.row_multipliers.push_back(std::move(proof));
  return raw;
}

// q'd + w |d|_1 beside 0: the l1 term just holds the objective, or just does not.
RawCase l1_edge(Random& random) {
  RawCase raw(random.integer(1, 4));
  raw.q = random.vector(raw.n);
  raw.l1 = raw.q.lpNorm<Eigen::Infinity>();
  const double kind = random.uniform();
  if (kind < 0.4) raw.l1 *= 1.0 + power_of_ten(random, -16.0, -6.0);
  if (kind > 0.6) raw.l1 *= 1.0 - power_of_ten(random, -16.0, -6.0);
  raw.add_le(random.vector(raw.n), 1.0);
  if (random.uniform() < 0.5) raw.add_le(random.vector(raw.n), random.normal());
  raw.rays = {Vector(-raw.q)};
  return raw;
}

}  // namespace

const std::vector<Family>& hostile_linear_families() {
  static const std::vector<Family> families = {{"slow_wall", slow_wall},
                                               {"far_set", far_set},
                                               {"distant_crossing", distant_crossing},
                                               {"wedge", wedge},
                                               {"wild_scales", wild_scales},
                                               {"huge_box", huge_box},
                                               {"near_contradiction", near_contradiction},
                                               {"huge_constant", huge_constant},
                                               {"opposed_rows", opposed_rows},
                                               {"cancelling_gradient", cancelling_gradient},
                                               {"last_digit_crossing", last_digit_crossing},
                                               {"narrow_box", narrow_box},
                                               {"l1_edge", l1_edge}};
  return families;
}

}  // namespace pliant::judge
