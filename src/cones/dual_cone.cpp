#include "cones/dual_cone.hpp"

#include "cones/cone_checks.hpp"
#include "cones/distance.hpp"
#include "linalg/safe_norm.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "pliant/svec.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Projection onto {z_0 >= |z_1..|}.
void project_second_order(VectorRef z) {
  const Index k = z.size() - 1;
  const double norm = safe_norm(z.tail(k));
  if (norm <= z[0]) return;
  if (norm <= -z[0]) {
    z.setZero();
    return;
  }
  const double half = 0.5 * (z[0] + norm);
  z.tail(k) *= half / norm;
  // Rounding of the new norm must not leave the cone.
  z[0] = std::max(half, safe_norm(z.tail(k)));
}

// Negative eigenvalues become 0.
void project_semidefinite(VectorRef z) {
  Matrix Z = smat(z);
  if (Matrix factor = Z; cholesky_in_place(factor)) return;
  const SymmetricEigen eigen = symmetric_eigen(Z);
  Index negative = 0;
  while (negative < eigen.values.size() && eigen.values[negative] < 0.0) ++negative;
  if (negative == 0) return;
  const Index positive = eigen.values.size() - negative;
  const Matrix half =
      eigen.vectors.rightCols(positive) * eigen.values.tail(positive).cwiseMax(0.0).cwiseSqrt().asDiagonal();
  Z.noalias() = half * half.transpose();
  z = svec(Z);
}

// K* = {(u, v, w) : (u - v, -u, w) in K}, with (-1, 1, 1) inside.
void shift_exponential(VectorRef z) {
  const auto inside = [&](double t) { return in_exponential_cone(z[0] - z[1] - 2.0 * t, t - z[0], z[2] + t); };
  if (inside(0.0)) return;
  const double t = smallest_shift(inside, std::max(1e-300, z.lpNorm<Eigen::Infinity>()));
  z[0] -= t;
  z[1] += t;
  z[2] += t;
}

// K* = {(u, v, w) : (u/alpha, v/(1-alpha), w) in K}, with (alpha, 1-alpha, 0) inside.
void shift_power(double alpha, VectorRef z) {
  const auto inside = [&](double t) { return in_power_cone(alpha, z[0] / alpha + t, z[1] / (1.0 - alpha) + t, z[2]); };
  if (inside(0.0)) return;
  const double t = smallest_shift(inside, std::max(1e-300, z.lpNorm<Eigen::Infinity>()));
  z[0] += alpha * t;
  z[1] += (1.0 - alpha) * t;
}

}  // namespace

void move_into_dual_cone(const Cone& cone, VectorRef z) {
  switch (cone.kind) {
    case ConeKind::zero:
      break;
    case ConeKind::nonnegative:
      z = z.cwiseMax(0.0);
      break;
    case ConeKind::second_order:
      project_second_order(z);
      break;
    case ConeKind::semidefinite:
      project_semidefinite(z);
      break;
    case ConeKind::exponential:
      shift_exponential(z);
      break;
    case ConeKind::power:
      shift_power(cone.alpha, z);
      break;
  }
}

void move_into_dual_cone(const ConicConstraint& conic, VectorRef z) {
  for_each_cone(conic, [&](const Cone& cone, Index begin) { move_into_dual_cone(cone, z.segment(begin, cone.rows)); });
}

}  // namespace pliant
