#include "engines/conic/scaling3.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Geometry>

#include <cmath>

namespace pliant {
namespace {

// Closer to the central path than this the rank-3 formula divides rounding by rounding.
constexpr double kCentral = 1e-8;
constexpr double kCentralSecond = 1e-15;

}  // namespace

// H = s s'/(s'z) + ds ds'/(ds'dz) + t a a' with ds = s - mu s~, dz = z - mu z~ and the axis a normal to z and z~; t is
// the size of what mu grad^2 f* has beyond its part in s~ and grad^2 f* z~.
bool scaling3(const Cone& cone, const Vector3& s, const Vector3& z, double mu, bool dual_only, Matrix3& H) {
  const auto dual = DualBarrier3::at(cone, z);
  if (!dual) return false;
  const Matrix3 hessian = dual->hessian();
  H = mu * hessian;
  if (dual_only) return hessian.allFinite();
  const auto shadow_z = negative_gradient3(cone, s);
  if (!shadow_z) return false;
  const Vector3 shadow_s = -dual->gradient();
  const double own_mu = s.dot(z) / kDegree3, shadow_mu = shadow_s.dot(*shadow_z) / kDegree3;
  const Vector3 delta_s = s - own_mu * shadow_s, delta_z = z - own_mu * *shadow_z;
  const double first = own_mu * shadow_mu - 1.0;
  const double second = shadow_z->dot(hessian * *shadow_z) - kDegree3 * shadow_mu * shadow_mu;
  const double product = delta_s.dot(delta_z);
  if (!(std::abs(first) > kCentral && std::abs(second) > kCentralSecond && own_mu > 0.0 && product > 0.0)) {
    return H.allFinite();
  }
  const Vector3 rest = hessian * *shadow_z - shadow_mu * shadow_s;
  const double t =
      own_mu * (hessian - shadow_s * shadow_s.transpose() / kDegree3 - rest * rest.transpose() / second).norm();
  const Vector3 axis = z.cross(*shadow_z).normalized();
  const Matrix3 out =
      s * s.transpose() / (kDegree3 * own_mu) + delta_s * delta_s.transpose() / product + t * axis * axis.transpose();
  if (out.allFinite()) H = out;
  return H.allFinite();
}

Vector3 corrector3(const Cone& cone, const Vector3& s, const Vector3& z, const Vector3& ds, const Vector3& dz,
                   double sigma_mu) {
  const auto dual = DualBarrier3::at(cone, z);
  if (!dual) return s;  // scaling3 has been there
  const Eigen::LDLT<Matrix3> ldl(dual->hessian());
  Vector3 second = Vector3::Zero();
  if (ldl.info() == Eigen::Success && ldl.isPositive()) second = 0.5 * dual->third(ldl.solve(ds), dz);
  if (!second.allFinite()) second.setZero();
  return s + sigma_mu * dual->gradient() - second;
}

}  // namespace pliant
