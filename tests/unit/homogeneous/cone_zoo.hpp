// Cones, and random points inside them, on their boundary and outside, made from the definitions alone.
#pragma once

#include "engines/conic/conic_form.hpp"
#include "support/cone_samples.hpp"

#include <gtest/gtest.h>
#include <Eigen/QR>

#include <cmath>
#include <vector>

namespace pliant::testing {

inline std::vector<Cone> cone_zoo(Random& random) {
  return {{ConeKind::nonnegative, 4, 0.5},  {ConeKind::second_order, 1, 0.5},
          {ConeKind::second_order, 3, 0.5}, {ConeKind::second_order, 9, 0.5},  // large enough for the sparse expansion
          {ConeKind::exponential, 3, 0.5},  {ConeKind::power, 3, random.uniform(0.05, 0.95)},
          {ConeKind::power, 3, 0.5},        {ConeKind::semidefinite, 1, 0.5},
          {ConeKind::semidefinite, 3, 0.5}, {ConeKind::semidefinite, 10, 0.5}};
}

/// A complementary pair: s in K, z in K*, s'z = 0.
struct ConePair {
  Vector s, z;
};

inline ConePair complementary_pair(const Cone& cone, Random& random) {
  ConePair out{Vector::Zero(cone.rows), Vector::Zero(cone.rows)};
  const double a = cone.alpha, size = random.log_uniform(0.3, 3.0), dual = random.log_uniform(0.3, 3.0);
  switch (cone.kind) {
    case ConeKind::zero:
      out.z = random.vector(cone.rows);
      break;
    case ConeKind::nonnegative:
      for (Index i = 0; i < cone.rows; ++i) (i % 2 == 0 ? out.s : out.z)[i] = random.uniform(0.5, 2.0);
      break;
    case ConeKind::second_order: {
      if (cone.rows == 1) {
        out.s[0] = size;
        break;
      }
      const Vector u = random.vector(cone.rows - 1).normalized();
      out.s << size, size * u;
      out.z << dual, -dual * u;
      break;
    }
    case ConeKind::exponential: {  // s = (x, y, y e^(x/y)), z the inward normal there: (-e^r, e^r (r - 1), 1)
      const double r = random.uniform(-1.0, 1.0), y = size;
      out.s << r * y, y, y * std::exp(r);
      out.z << -dual * std::exp(r), dual * std::exp(r) * (r - 1.0), dual;
      break;
    }
    case ConeKind::power: {  // the gradient of x^a y^(1-a) - |z|
      const double x = size, y = random.log_uniform(0.3, 3.0), v = std::pow(x, a) * std::pow(y, 1.0 - a);
      const double sign = random.uniform() < 0.5 ? -1.0 : 1.0;
      out.s << x, y, sign * v;
      out.z << dual * a * v / x, dual * (1.0 - a) * v / y, -sign * dual;
      break;
    }
    case ConeKind::semidefinite: {  // complementary ranges; one of the two may be all of it
      const Index order = psd_order(cone.rows), rank = random.integer(order == 1 ? 1 : 0, order);
      const Matrix Q = Eigen::HouseholderQR<Matrix>(random.matrix(order, order)).householderQ();
      Vector slack = Vector::Zero(order), multiplier = Vector::Zero(order);
      for (Index i = 0; i < order; ++i) (i < rank ? slack : multiplier)[i] = random.uniform(0.5, 2.0);
      out.s = plain_svec(Q * slack.asDiagonal() * Q.transpose());
      out.z = plain_svec(Q * multiplier.asDiagonal() * Q.transpose());
      break;
    }
  }
  return out;
}

/// How far s is outside of the cone, from its definition (0: inside).
inline double outside(const Cone& cone, const Vector& s) {
  switch (cone.kind) {
    case ConeKind::zero:
      return s.lpNorm<Eigen::Infinity>();
    case ConeKind::nonnegative:
      return cone.rows == 0 ? 0.0 : std::max(0.0, -s.minCoeff());
    case ConeKind::second_order:
      return std::max(0.0, s.tail(cone.rows - 1).norm() - s[0]);
    case ConeKind::exponential:
      if (s[1] <= 0.0) return std::max({-s[1], s[0], -s[2], 0.0});
      return std::max(0.0, s[1] * std::exp(s[0] / s[1]) - s[2]);
    case ConeKind::power:
      if (s[0] < 0.0 || s[1] < 0.0) return std::max({-s[0], -s[1], std::abs(s[2])});
      return std::max(0.0, std::abs(s[2]) - std::pow(s[0], cone.alpha) * std::pow(s[1], 1.0 - cone.alpha));
    case ConeKind::semidefinite:
      return std::max(0.0, -psd_least_eigenvalue(s));
  }
  return kInfinity;
}

/// The same for the dual cone.
inline double outside_dual(const Cone& cone, const Vector& z) {
  if (cone.kind == ConeKind::zero) return 0.0;
  if (cone.kind == ConeKind::exponential) {  // z3 >= -z1 exp(z2/z1 - 1), z1 < 0
    if (z[0] >= 0.0) return std::max({z[0], -z[1], -z[2], 0.0});
    return std::max(0.0, -z[0] * std::exp(z[1] / z[0] - 1.0) - z[2]);
  }
  if (cone.kind == ConeKind::power) {
    const Vector scaled = Eigen::Vector3d(z[0] / cone.alpha, z[1] / (1.0 - cone.alpha), z[2]);
    return outside(cone, scaled);
  }
  return outside(cone, z);
}

/// Well inside K and K*: sums of several boundary points.
inline ConePair interior_pair(const Cone& cone, Random& random) {
  ConePair out{Vector::Zero(cone.rows), Vector::Zero(cone.rows)};
  for (int k = 0; k < 6; ++k) {
    const ConePair pair = complementary_pair(cone, random);
    const ConePair other = complementary_pair(cone, random);
    out.s += pair.s;
    out.z += other.z;
  }
  if (cone.kind == ConeKind::nonnegative || cone.kind == ConeKind::semidefinite || cone.rows == 1) {
    out.s += 0.1 * interior_direction(cone);
    out.z += 0.1 * interior_direction(cone);
  }
  return out;
}

}  // namespace pliant::testing
