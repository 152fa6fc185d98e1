// Scaling and corrector of an exponential or power cone at s and z.
#pragma once

#include "engines/conic/barrier3.hpp"

namespace pliant {

/// H with H z = s and H z~ = s~ (cone_product.hpp), mu grad^2 f*(z) if `dual_only` or where s and z are too close to
/// the central path. False if s or z is not in the interior.
bool scaling3(const Cone& cone, const Vector3& s, const Vector3& z, double mu, bool dual_only, Matrix3& H);

/// s - sigma mu s~ and what is left of second order, from the predictor's ds and dz. z lies in the interior.
Vector3 corrector3(const Cone& cone, const Vector3& s, const Vector3& z, const Vector3& ds, const Vector3& dz,
                   double sigma_mu);

}  // namespace pliant
