#include "cones/dual_cone.hpp"

#include "cones/cone_checks.hpp"
#include "cones/distance.hpp"
#include "linalg/rounding.hpp"
#include "linalg/safe_norm.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "pliant/svec.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

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

// A matrix with empty rows and columns is semidefinite where the rest of it is. Proofs often have such: what is 0 needs no
// room for rounding.
std::vector<Index> occupied_rows(const Matrix& Z) {
  std::vector<Index> out;
  for (Index j = 0; j < Z.cols(); ++j) {
    if (!Z.col(j).isZero(0.0)) out.push_back(j);
  }
  return out;
}

// Negative eigenvalues become 0.
void project_semidefinite(VectorRef z) {
  Matrix whole = smat(z);
  const std::vector<Index> rows = occupied_rows(whole);
  if (rows.empty()) return;
  const Matrix Z = whole(rows, rows);
  if (Matrix factor = Z; cholesky_in_place(factor)) return;
  const SymmetricEigen eigen = symmetric_eigen(Z);
  Index negative = 0;
  while (negative < eigen.values.size() && eigen.values[negative] < 0.0) ++negative;
  if (negative == 0) return;
  const Index positive = eigen.values.size() - negative;
  const Matrix half =
      eigen.vectors.rightCols(positive) * eigen.values.tail(positive).cwiseMax(0.0).cwiseSqrt().asDiagonal();
  whole(rows, rows) = half * half.transpose();
  z = svec(whole);
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

namespace {

// Moves along (1, 0, ..) until z_0 exceeds every value the norm may have.
void enter_second_order(VectorRef z) {
  const double norm = safe_norm(z.tail(z.size() - 1));
  z[0] = std::max(z[0], norm + rounding_error(static_cast<double>(z.size() + 8), norm));
}

// Moves along I. A factorisation of Z + tI that runs to its end proves lambda_min(Z) >= -t - gamma_{p+1} tr(Z + tI) (S. M.
// Rump); the division of the entries by sqrt(2) costs no more than two roundings again.
void enter_semidefinite(VectorRef z) {
  constexpr double kGrowth = 16.0;
  constexpr int kTrials = 8;
  const Matrix whole = smat(z);
  const std::vector<Index> rows = occupied_rows(whole);
  if (rows.empty()) return;
  const Matrix Z = whole(rows, rows);
  const double size = static_cast<double>(Z.rows());
  const double margin = rounding_error(2.0 * (size + 4.0), Z.diagonal().cwiseAbs().sum() + safe_norm(Z));
  double step = 0.0;
  for (int trial = 0; trial < kTrials; ++trial, step = step == 0.0 ? 4.0 * margin : kGrowth * step) {
    Matrix shifted = Z;
    shifted.diagonal().array() += step - margin - rounding_error(2.0 * (size + 4.0), size * step);
    if (!cholesky_in_place(shifted)) continue;
    const Index p = whole.rows();
    for (const Index j : rows) z[j * p - j * (j - 1) / 2] += step;
    return;
  }
  z.setZero();
}

// Membership with room for the rounding of logarithms, products and differences.
constexpr double kLogRoom = 32.0 * kUnitRoundoff;

bool certainly_in_exponential_dual(ConstVectorRef z) {
  const double x = z[0] - z[1], y = -z[0];
  if (z.isZero(0.0)) return true;
  if (!(y > 0.0) || !(z[2] > 0.0)) return z[0] == 0.0 && z[1] >= 0.0 && z[2] >= 0.0;
  const double log = std::log(z[2] / y);
  return x + kLogRoom * (std::abs(z[0]) + std::abs(z[1]) + y * (1.0 + std::abs(log))) <= y * log;
}

bool certainly_in_power_dual(double alpha, ConstVectorRef z) {
  if (!(z[0] >= 0.0) || !(z[1] >= 0.0)) return false;
  if (z[2] == 0.0) return true;
  if (!(z[0] > 0.0) || !(z[1] > 0.0)) return false;
  const double u = std::log(z[0] / alpha), v = std::log(z[1] / (1.0 - alpha)), w = std::log(std::abs(z[2]));
  return alpha * u + (1.0 - alpha) * v >= w + kLogRoom * (2.0 + std::abs(u) + std::abs(v) + std::abs(w));
}

template <class Inside>
void enter_along(VectorRef z, const Eigen::Vector3d& direction, const Inside& inside) {
  constexpr int kTrials = 12;
  constexpr double kGrowth = 16.0;
  double step = 8.0 * kUnitRoundoff * z.lpNorm<Eigen::Infinity>();
  for (int trial = 0; trial < kTrials && !inside(); ++trial, step *= kGrowth) z.head<3>() += step * direction;
  if (!inside()) z.setZero();
}

}  // namespace

void move_certainly_into_dual_cone(const Cone& cone, VectorRef z) {
  move_into_dual_cone(cone, z);
  if (!z.allFinite()) z.setZero();
  switch (cone.kind) {
    case ConeKind::zero:
    case ConeKind::nonnegative:
      break;
    case ConeKind::second_order:
      enter_second_order(z);
      break;
    case ConeKind::semidefinite:
      enter_semidefinite(z);
      break;
    case ConeKind::exponential:
      enter_along(z, {-1.0, 1.0, 1.0}, [&] { return certainly_in_exponential_dual(z); });
      break;
    case ConeKind::power:
      enter_along(z, {cone.alpha, 1.0 - cone.alpha, 0.0}, [&] { return certainly_in_power_dual(cone.alpha, z); });
      break;
  }
}

namespace {

// A factorisation of (price - room) I - Z that runs to its end: see enter_semidefinite.
bool certainly_below(double price, const Matrix& Z) {
  const double size = static_cast<double>(Z.rows());
  const double traces = size * price + Z.diagonal().cwiseAbs().sum() + safe_norm(Z);
  Matrix left = -Z;
  left.diagonal().array() += price - rounding_error(2.0 * (size + 4.0), traces);
  return cholesky_in_place(left);
}

bool certainly_below_price(const Cone& cone, double price, ConstVectorRef z) {
  if (z.isZero(0.0)) return true;
  if (cone.kind == ConeKind::semidefinite) return certainly_below(price, smat(z));
  const double largest = 0.5 * z[0] + 0.5 * safe_norm(z.tail(z.size() - 1));
  return largest + rounding_error(static_cast<double>(z.size() + 8), largest) <= price;
}

}  // namespace

void move_certainly_below_price(const Cone& cone, double price, VectorRef z) {
  constexpr int kTrials = 10;
  constexpr double kGrowth = 16.0;
  const Vector given = z;
  double less = 0.0;  // 0 has both properties, and all between z and 0 have those of z
  for (int trial = 0; trial < kTrials; ++trial, less = less == 0.0 ? 8.0 * kUnitRoundoff : kGrowth * less) {
    z = (1.0 - less) * given;
    move_certainly_into_dual_cone(cone, z);
    if (certainly_below_price(cone, price, z)) return;
  }
  z.setZero();
}

void move_into_dual_cone(const ConicConstraint& conic, VectorRef z) {
  for_each_cone(conic, [&](const Cone& cone, Index begin) { move_into_dual_cone(cone, z.segment(begin, cone.rows)); });
}

}  // namespace pliant
