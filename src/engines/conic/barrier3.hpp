// Barriers of the two three-dimensional cones that are not symmetric, the exponential and the power cone.
//
// Both dual cones carry a logarithmically homogeneous barrier of degree 3,
//
//   f*(z) = -ln psi(z) - sum_i c_i ln |z_i|
//
//   exponential: psi = z2 - z1 - z1 ln(-z3/z1),                                          c = (1, 0, 1),   z1 < 0 < z3
//   power:       psi = (z1/alpha)^(2 alpha) (z2/(1-alpha))^(2 - 2 alpha) - z3^2,         c = (1-alpha, alpha, 0)
//
// and the primal barrier is the conjugate f(s) = sup_z -s'z - f*(z), so that -grad f(s) is the z with -grad f*(z) = s.
#pragma once

#include "pliant/cones.hpp"

#include <Eigen/Core>

#include <optional>

namespace pliant {

using Vector3 = Eigen::Vector3d;
using Matrix3 = Eigen::Matrix3d;

/// Degree of both barriers: f(t s) = f(s) - 3 ln t.
inline constexpr double kDegree3 = 3.0;

/// The barrier of the dual cone at an interior point.
class DualBarrier3 {
 public:
  /// Null if z is not in the interior of the dual cone.
  static std::optional<DualBarrier3> at(const Cone& cone, const Vector3& z);

  double value() const;
  Vector3 gradient() const;
  Matrix3 hessian() const;
  /// The third derivative in directions u and v.
  Vector3 third(const Vector3& u, const Vector3& v) const;

 private:
  DualBarrier3() = default;
  Vector3 psi_third(const Vector3& u, const Vector3& v) const;

  ConeKind kind_ = ConeKind::exponential;
  double alpha_ = 0.5;
  Vector3 z_, c_;
  double psi_ = 0.0;
  double phi_ = 0.0;  // the product of powers
  Vector3 g_;         // derivatives of psi
  Matrix3 H_;
};

/// Whether s lies in the interior of the cone.
bool inside3(const Cone& cone, const Vector3& s);

/// -grad f(s), or null if s is not in the interior of the cone.
std::optional<Vector3> negative_gradient3(const Cone& cone, const Vector3& s);

/// The point with s = -grad f(s) = z: the centre of primal and dual cone.
Vector3 centre3(const Cone& cone);

}  // namespace pliant
