// Cones spelt out independently of the library: membership in long double, points of a cone and of its dual.
#pragma once

#include "pliant/cones.hpp"
#include "support/symmetric.hpp"

#include <Eigen/Eigenvalues>

#include <cmath>
#include <vector>

namespace pliant::testing {

inline Index psd_order(Index rows) {
  Index k = 0;
  while (k * (k + 1) / 2 < rows) ++k;
  return k;
}

inline double psd_least_eigenvalue(const Vector& s) {
  const Matrix S = long_smat(s, psd_order(s.size())).cast<double>();
  return Eigen::SelfAdjointEigenSolver<Matrix>(S, Eigen::EigenvaluesOnly).eigenvalues()[0];
}

inline Vector plain_svec(const Matrix& X) {
  std::vector<double> out;
  for (Index j = 0; j < X.cols(); ++j) {
    for (Index i = j; i < X.rows(); ++i) out.push_back(i == j ? X(i, j) : std::sqrt(2.0) * X(i, j));
  }
  return Eigen::Map<const Vector>(out.data(), static_cast<Index>(out.size()));
}

/// Membership up to `margin` in the terms of the cone's own inequality.
inline bool in_cone(const Cone& cone, const Vector& s, double margin) {
  const long double m = margin;
  switch (cone.kind) {
    case ConeKind::zero:
      return s.lpNorm<Eigen::Infinity>() <= margin;
    case ConeKind::nonnegative:
      return s.minCoeff() >= -margin;
    case ConeKind::second_order: {
      long double squares = 0.0L;
      for (Index i = 1; i < s.size(); ++i) squares += static_cast<long double>(s[i]) * s[i];
      return std::sqrt(squares) <= s[0] + m;
    }
    case ConeKind::semidefinite:
      return psd_least_eigenvalue(s) >= -margin;
    case ConeKind::exponential: {
      const long double x = s[0] - m, y = s[1] + m, z = s[2] + m;
      return y > 0.0L ? y * std::exp(x / y) <= z : y == 0.0L && x <= 0.0L && z >= 0.0L;
    }
    case ConeKind::power: {
      const long double x = s[0] + m, y = s[1] + m, a = cone.alpha;
      return x >= 0.0L && y >= 0.0L &&
             std::pow(x, a) * std::pow(y, 1.0L - a) >= std::abs(static_cast<long double>(s[2]));
    }
  }
  return false;
}

/// e of the distance min {t : s + t e in K}.
inline Vector interior_direction(const Cone& cone) {
  Vector e = Vector::Ones(cone.rows);
  if (cone.kind == ConeKind::second_order) e.tail(cone.rows - 1).setZero();
  if (cone.kind == ConeKind::semidefinite) e = plain_svec(Matrix::Identity(psd_order(cone.rows), psd_order(cone.rows)));
  if (cone.kind == ConeKind::exponential) e << -1.0, 1.0, 1.0;
  if (cone.kind == ConeKind::power) e << 1.0, 1.0, 0.0;
  return e;
}

/// A random point of K, now and then on its boundary.
inline Vector point_of_cone(Random& random, const Cone& cone) {
  const double lift = random.uniform() < 0.3 ? 0.0 : random.uniform();
  Vector s = random.vector(cone.rows);
  switch (cone.kind) {
    case ConeKind::zero:
      return Vector::Zero(cone.rows);
    case ConeKind::nonnegative:
      return (s.array().abs() - 0.5).cwiseMax(0.0);
    case ConeKind::second_order:
      s[0] = s.tail(cone.rows - 1).norm() + lift;
      return s;
    case ConeKind::semidefinite: {
      const Index k = psd_order(cone.rows);
      const Matrix B = random.matrix(k, random.integer(1, k));
      return plain_svec(B * B.transpose());
    }
    case ConeKind::exponential:
      s[1] = random.uniform(0.1, 2.0);
      s[2] = s[1] * std::exp(s[0] / s[1]) + lift;
      return s;
    case ConeKind::power:
      s[0] = random.uniform(0.1, 2.0);
      s[1] = random.uniform(0.1, 2.0);
      s[2] = random.uniform(-1.0, 1.0) * std::pow(s[0], cone.alpha) * std::pow(s[1], 1.0 - cone.alpha);
      return s;
  }
  return s;
}

/// One cone of every kind but zero.
inline std::vector<Cone> cone_zoo() {
  return {{ConeKind::nonnegative, 3},  {ConeKind::second_order, 1}, {ConeKind::second_order, 4},
          {ConeKind::semidefinite, 1}, {ConeKind::semidefinite, 3}, {ConeKind::semidefinite, 10},
          {ConeKind::exponential, 3},  {ConeKind::power, 3, 0.3},   {ConeKind::power, 3, 0.5}};
}

}  // namespace pliant::testing
