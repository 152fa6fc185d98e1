#include "cones/distance.hpp"

#include "cones/cone_checks.hpp"
#include "linalg/safe_norm.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "pliant/svec.hpp"

#include <cmath>

namespace pliant {

bool in_exponential_cone(double x, double y, double z) {
  if (y > 0.0) return z > 0.0 && x <= y * std::log(z / y);
  return y == 0.0 && x <= 0.0 && z >= 0.0;
}

bool in_power_cone(double alpha, double x, double y, double z) {
  if (!(x >= 0.0) || !(y >= 0.0)) return false;
  if (z == 0.0) return true;
  return x > 0.0 && y > 0.0 && alpha * std::log(x) + (1.0 - alpha) * std::log(y) >= std::log(std::abs(z));
}

double cone_distance(const Cone& cone, ConstVectorRef s) {
  if (!s.allFinite()) return kInfinity;
  const double scale = std::max(1e-300, s.size() > 0 ? s.lpNorm<Eigen::Infinity>() : 0.0);
  switch (cone.kind) {
    case ConeKind::zero:
      return s.size() > 0 ? s.lpNorm<Eigen::Infinity>() : -kInfinity;
    case ConeKind::nonnegative:
      return s.size() > 0 ? -s.minCoeff() : -kInfinity;
    case ConeKind::second_order:
      return safe_norm(s.tail(s.size() - 1)) - s[0];
    case ConeKind::semidefinite:
      return -smallest_eigenvalue(smat(s));
    case ConeKind::exponential:
      return smallest_shift([&](double t) { return in_exponential_cone(s[0] - t, s[1] + t, s[2] + t); }, scale);
    case ConeKind::power:
      return smallest_shift([&](double t) { return in_power_cone(cone.alpha, s[0] + t, s[1] + t, s[2]); }, scale);
  }
  return kInfinity;
}

}  // namespace pliant
