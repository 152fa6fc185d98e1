// Problems with prices: sums of positive parts of rows and of eigenvalues of cones, ties at their kinks and prices beside
// what they hold.
#include "judge/families.hpp"

#include <cmath>

namespace pliant::judge {
namespace {

Vector draw_weights(Random& random, Index count) {
  Vector out(count);
  const double kind = random.uniform();
  for (double& w : out) {
    w = kind < 0.5 ? random.uniform(0.1, 2.0) : power_of_ten(random, -6.0, 6.0);
    if (kind > 0.3 && kind < 0.6 && random.uniform() < 0.3) w = 0.0;
  }
  return out;
}

// Small integers make ties, and rows that come three times multipliers that are not unique.
RawSoftRows draw_soft_rows(Random& random, Index n) {
  RawSoftRows out;
  const Index m = random.integer(1, 10);
  const bool ties = random.uniform() < 0.5;
  out.G = ties ? Matrix(small_integers(random, m * n, 2).reshaped(m, n)) : random.matrix(m, n);
  out.upper = ties ? small_integers(random, m, 2) : random.vector(m);
  if (random.uniform() < 0.3) {
    out.G = out.G.replicate(3, 1).eval();
    out.upper = out.upper.replicate(3, 1).eval();
  }
  out.weights = draw_weights(random, out.upper.size());
  return out;
}

RawSoftCones draw_soft_cones(Random& random, Index n) {
  RawSoftCones out;
  out.kind = random.uniform() < 0.5 ? ConeKind::second_order : ConeKind::semidefinite;
  const Index order = random.integer(1, 3);
  const Index size = out.kind == ConeKind::semidefinite ? order * (order + 1) / 2 : order + 1;
  const Index count = random.integer(1, 4);
  const Vector weights = draw_weights(random, count);
  const bool ties = random.uniform() < 0.3;
  for (Index k = 0; k < count; ++k) {
    RawSoftCones::Piece piece;
    piece.G = ties ? Matrix(small_integers(random, size * n, 2).reshaped(size, n)) : random.matrix(size, n);
    piece.h = ties ? small_integers(random, size, 1) : random.vector(size);
    if (random.uniform() < 0.2) piece.G.row(0).setZero();  // of a second-order cone: a norm alone
    piece.weight = weights[k];
    out.cones.push_back(piece);
  }
  return out;
}

// A box, squares, both, or nothing that holds x but prices.
void hold(Random& random, RawCase& raw) {
  const double kind = random.uniform();
  if (kind < 0.6) raw.bound_all(-random.uniform(0.5, 5.0), random.uniform(0.5, 5.0));
  if (kind > 0.4 && kind < 0.9) {
    const Matrix B = small_integers(random, raw.n * raw.n, 3).reshaped(raw.n, raw.n);
    raw.P = B.transpose() * B + Matrix::Identity(raw.n, raw.n);
  }
  raw.q = random.vector(raw.n) * (random.uniform() < 0.5 ? 1.0 : 0.1);
  raw.dual_feasible = kind < 0.9;
}

void add_hard_rows(Random& random, RawCase& raw) {
  const Index m = random.uniform() < 0.5 ? random.integer(1, 4) : 0;
  for (Index i = 0; i < m; ++i) {
    const Vector g = small_integers(random, raw.n, 2);
    raw.add_le(g, random.uniform(0.0, 1.0));
  }
  raw.planted.emplace_back(Vector::Zero(raw.n));
  raw.inside = Vector::Zero(raw.n);
}

RawCase soft_row_program(Random& random) {
  RawCase raw(random.integer(1, 4));
  for (Index k = random.integer(1, 2); k > 0; --k) raw.soft_rows.push_back(draw_soft_rows(random, raw.n));
  hold(random, raw);
  if (raw.has_box() && random.uniform() < 0.2) raw.l1 = random.log_uniform(1e-2, 1.0);
  add_hard_rows(random, raw);
  return raw;
}

RawCase soft_cone_program(Random& random) {
  RawCase raw(random.integer(1, 4));
  for (Index k = random.integer(1, 2); k > 0; --k) raw.soft_cones.push_back(draw_soft_cones(random, raw.n));
  if (random.uniform() < 0.3) raw.soft_rows.push_back(draw_soft_rows(random, raw.n));
  hold(random, raw);
  add_hard_rows(random, raw);
  return raw;
}

// How far something is beside what it is compared with: not at all, or by a hair to either side.
double beside(Random& random) {
  const double kind = random.uniform();
  if (kind < 0.3) return 1.0;
  return 1.0 + (kind < 0.65 ? 1.0 : -1.0) * std::pow(10.0, random.uniform(-16.0, -3.0));
}

// q pulls with a share of what the prices hold, beside all of it or none of it.
RawCase pulled_rows(Random& random) {
  RawCase raw(random.integer(1, 4));
  raw.soft_rows.push_back(draw_soft_rows(random, raw.n));
  const RawSoftRows& rows = raw.soft_rows.front();
  const double share = random.uniform() < 0.5 ? beside(random) : beside(random) - 1.0;
  raw.q = -share * (rows.G.transpose() * rows.weights);
  const double size = std::pow(10.0, random.uniform(0.0, 9.0));
  for (const double length : {1.0, size}) {
    raw.planted.emplace_back(-length * raw.q);
    raw.planted.emplace_back(length * raw.q);
  }
  raw.planted.emplace_back(Vector::Zero(raw.n));
  raw.rays = {Vector(-raw.q), raw.q};
  return raw;
}

// q'x + w |x - p|, |q| beside w; or <C, X> and prices on the eigenvalues of X - P, those of -C beside the price or 0.
RawCase pulled_cones(Random& random) {
  RawSoftCones cones;
  RawSoftCones::Piece piece;
  piece.weight = power_of_ten(random, -3.0, 3.0);
  const Index order = random.integer(2, 3), n = order * (order + 1) / 2;
  RawCase raw(n);
  if (random.uniform() < 0.5) {
    piece.G = Matrix::Zero(n + 1, n);
    piece.G.bottomRows(n) = -Matrix::Identity(n, n);
    piece.h = Vector::Zero(n + 1);
    piece.h.tail(n) = -random.vector(n);
    raw.q = random.vector(n).normalized() * (piece.weight * beside(random));
  } else {
    cones.kind = ConeKind::semidefinite;
    piece.G = Matrix::Identity(n, n);
    piece.h = random.vector(n);
    const Matrix Q = rotation(random, order);
    Vector values(order);
    for (double& v : values) {
      const double kind = random.uniform();
      v = piece.weight * (kind < 0.3 ? beside(random) : kind < 0.6 ? beside(random) - 1.0 : random.uniform());
    }
    const Matrix C = Q * values.asDiagonal() * Q.transpose();
    Index k = 0;
    for (Index j = 0; j < order; ++j) {
      for (Index i = j; i < order; ++i, ++k) raw.q[k] = -C(i, j) * (i == j ? 1.0 : std::sqrt(2.0));
    }
  }
  cones.cones.push_back(piece);
  raw.soft_cones.push_back(cones);
  const double size = std::pow(10.0, random.uniform(0.0, 9.0));
  for (const double length : {1.0, size}) raw.planted.emplace_back(-length * raw.q);
  raw.planted.emplace_back(Vector::Zero(n));
  raw.planted.emplace_back(piece.h.tail(n));
  raw.rays = {Vector(-raw.q)};
  return raw;
}

}  // namespace

const std::vector<Family>& price_families() {
  static const std::vector<Family> families = {{"soft_rows", soft_row_program}, {"soft_cones", soft_cone_program}};
  return families;
}

const std::vector<Family>& hostile_price_families() {
  static const std::vector<Family> families = {{"pulled_rows", pulled_rows}, {"pulled_cones", pulled_cones}};
  return families;
}

}  // namespace pliant::judge
