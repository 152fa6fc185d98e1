// Hostile quadratics: indefinite by a hair, or curved by a hair where the objective falls.
#include "judge/families.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace pliant::judge {
namespace {

Matrix symmetric(const Matrix& M) { return 0.5 * (M + M.transpose()); }

// A matrix with one eigenvalue -tiny (relative to the largest), and its eigenvector.
struct Indefinite {
  Matrix P;
  Vector direction;
  double depth = 0.0;
};

Indefinite almost_semidefinite(Random& random, Index n, double deepest) {
  Indefinite out;
  const double largest = power_of_ten(random, -6.0, 6.0);
  out.depth = largest * power_of_ten(random, -15.0, deepest);
  Vector values(n);
  for (double& v : values) v = largest * power_of_ten(random, -12.0, 0.0);
  values[0] = -out.depth;
  if (n > 1) values[1] = largest;
  const Matrix Q = random.uniform() < 0.3 ? Matrix(Matrix::Identity(n, n)) : rotation(random, n);
  out.P = symmetric(Q * values.asDiagonal() * Q.transpose());
  out.direction = Q.col(0);
  return out;
}

// Points along +-direction up to the box of width R.
void plant_along(RawCase& raw, const Vector& direction, double radius) {
  const double longest = direction.lpNorm<Eigen::Infinity>();
  for (const double t : {1.0, -1.0, 0.5, -0.5}) {
    Vector x = (t * radius * (1.0 - 1e-12) / longest) * direction;
    raw.planted.emplace_back(x.cwiseMax(-radius).cwiseMin(radius));
  }
}

// min 1/2 x'Px over a box, P with an eigenvalue below 0 that tolerances do not see.
RawCase hidden_indefinite(Random& random) {
  RawCase raw(random.integer(1, 8));
  const Indefinite form = almost_semidefinite(random, raw.n, -9.0);
  raw.P = form.P;
  const double radius = power_of_ten(random, 0.0, 6.0);
  if (random.uniform() < 0.8) {
    raw.bound_all(-radius, radius);
  } else {
    raw.ball = radius;
  }
  if (random.uniform() < 0.4) raw.q = form.depth * radius * 0.1 * random.vector(raw.n);
  plant_along(raw, form.direction, raw.ball > 0.0 ? 0.9 * radius / std::sqrt(static_cast<double>(raw.n)) : radius);
  const Index m = random.integer(0, 4);
  for (Index i = 0; i < m; ++i) {
    const Vector g = random.vector(raw.n);
    raw.add_le(g, 10.0 * radius * g.norm());
  }
  raw.planted.emplace_back(Vector::Zero(raw.n));
  return raw;
}

// P = B'B as somebody computed it, of less than full rank: rounding leaves an eigenvalue of either sign where 0 was meant,
// and a factorisation that runs to its end does not tell.
RawCase rounded_gram(Random& random) {
  RawCase raw(random.integer(2, 8));
  const Matrix B = power_of_ten(random, -3.0, 3.0) * random.matrix(random.integer(1, raw.n - 1), raw.n);
  raw.P = symmetric(B.transpose() * B);
  const double radius = power_of_ten(random, 0.0, 10.0);
  if (random.uniform() < 0.6) raw.bound_all(-radius, radius);
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(raw.P);
  for (Index k = 0; k < raw.n - B.rows(); ++k) plant_along(raw, eigen.eigenvectors().col(k), radius);
  if (random.uniform() < 0.3) raw.add_le(random.vector(raw.n), 100.0 * radius);
  return raw;
}

// An indefinite form in a constraint: min c'x subject to 1/2 x'Px <= r in a box.
RawCase hidden_indefinite_row(Random& random) {
  RawCase raw(random.integer(2, 6));
  const Indefinite form = almost_semidefinite(random, raw.n, -11.0);
  const double radius = power_of_ten(random, 0.0, 5.0);
  raw.bound_all(-radius, radius);
  Vector down = random.vector(raw.n);
  down -= down.dot(form.direction) * form.direction;
  raw.q = down;
  const double r = 0.5 * form.depth * radius * radius * power_of_ten(random, -3.0, 1.0);
  raw.quadratics.push_back({form.P, {}, Vector::Zero(raw.n), -r});
  // Far along the direction there is room in -down.
  const double bend = 0.5 * down.dot(form.P * down);
  for (const double share : {0.9, 0.5, -0.9}) {
    const Vector far = share * radius / form.direction.lpNorm<Eigen::Infinity>() * form.direction;
    const double room = r - 0.5 * far.dot(form.P * far);
    if (room > 0.0 && bend > 0.0) raw.planted.emplace_back(far - std::sqrt(room / bend) * (1.0 - 1e-6) * down);
  }
  raw.inside = Vector::Zero(raw.n);
  return raw;
}

// min -x + tiny x^2/2: bounded, though the curvature is within rounding of the largest.
RawCase flat_curvature(Random& random) {
  RawCase raw(random.integer(1, 5));
  const double largest = power_of_ten(random, -3.0, 6.0);
  Vector values(raw.n);
  for (double& v : values) v = largest * random.uniform(0.1, 1.0);
  const double kind = random.uniform();
  values[0] = kind < 0.15 ? 0.0 : largest * power_of_ten(random, -18.0, -8.0);
  // A rotation rounds: the smallest eigenvalue may then be of either sign.
  const Matrix Q = random.uniform() < 0.5 ? Matrix(Matrix::Identity(raw.n, raw.n)) : rotation(random, raw.n);
  raw.P = symmetric(Q * values.asDiagonal() * Q.transpose());
  raw.q = -Q.col(0) * power_of_ten(random, -3.0, 3.0);
  const Index m = random.integer(0, 4);
  for (Index i = 0; i < m; ++i) {
    Vector g = random.vector(raw.n);
    if (g.dot(Q.col(0)) > 0.0) g = -g;
    raw.add_le(g, random.uniform(0.1, 2.0));
  }
  raw.rays = {Vector(Q.col(0)), Vector(-raw.q)};
  raw.planted.emplace_back(Vector::Zero(raw.n));
  for (const double t : {1e3, 1e8, 1e12}) raw.planted.emplace_back(t * Q.col(0));
  return raw;
}

// A planted solution in exact numbers: integers for P = B'B, x, G and the multipliers of active rows.
RawCase exact_quadratic(Random& random) {
  RawCase raw(random.integer(1, 6));
  const Matrix B = small_integers(random, raw.n * raw.n, 3).reshaped(raw.n, raw.n);
  const double scale = std::ldexp(1.0, static_cast<int>(random.integer(-20, 20)));
  raw.P = scale * (B.transpose() * B);
  const Vector x = small_integers(random, raw.n);
  Vector gradient = raw.P * x;
  const Index m = random.integer(1, 12);
  for (Index i = 0; i < m; ++i) {
    const Vector g = small_integers(random, raw.n);
    const bool active = random.uniform() < 0.4;
    raw.add_le(g, g.dot(x) + (active ? 0.0 : static_cast<double>(random.integer(1, 9))));
    if (active) gradient += scale * static_cast<double>(random.integer(0, 5)) * g;
  }
  raw.q = -gradient;
  raw.planted.push_back(x);
  raw.dual_feasible = true;
  const double kind = random.uniform();
  if (kind < 0.4) raw.bound_all(-power_of_ten(random, 1.0, 14.0), power_of_ten(random, 1.0, 14.0));
  if (kind > 0.8) raw.l2 = scale * power_of_ten(random, -12.0, 0.0);
  return raw;
}

// Quadratic rows whose set is tiny, huge or far away.
RawCase far_ellipsoid(Random& random) {
  RawCase raw(random.integer(1, 4));
  const double far = power_of_ten(random, 0.0, 8.0);
  const Vector centre = far * random.vector(raw.n);
  const double radius = power_of_ten(random, -6.0, 6.0);
  Vector diagonal(raw.n);
  for (double& d : diagonal) d = power_of_ten(random, -3.0, 3.0);
  const Vector q = -diagonal.cwiseProduct(centre);
  const double r = 0.5 * centre.dot(diagonal.cwiseProduct(centre)) - 0.5 * radius * radius;
  raw.quadratics.push_back({Matrix(diagonal.asDiagonal()), {}, q, r});
  raw.inside = centre;
  raw.planted.push_back(centre);
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.5) raw.add_le(raw.q, raw.q.dot(centre) + radius * random.normal());
  raw.dual_feasible = true;
  return raw;
}

}  // namespace

const std::vector<Family>& hostile_curved_families() {
  static const std::vector<Family> families = {
      {"hidden_indefinite", hidden_indefinite}, {"hidden_indefinite_row", hidden_indefinite_row},
      {"rounded_gram", rounded_gram},           {"flat_curvature", flat_curvature},
      {"exact_quadratic", exact_quadratic},     {"far_ellipsoid", far_ellipsoid}};
  return families;
}

}  // namespace pliant::judge
