#include "engines/conic/semidefinite_cone.hpp"

#include "engines/interior/steps.hpp"
#include "linalg/dense_blocks.hpp"
#include "linalg/singular_values.hpp"
#include "linalg/symmetric_eigen.hpp"

#include <cmath>

namespace pliant {
namespace {

// L with LL' = smat(u), the rest 0; false if there is none.
bool factor(ConstVectorRef u, Matrix& L) {
  L = smat(u);
  if (!cholesky_in_place(L)) return false;
  L.triangularView<Eigen::StrictlyUpper>().setZero();
  return true;
}

}  // namespace

bool SemidefiniteScaling::compute(ConstVectorRef s, ConstVectorRef z) {
  Matrix L1, L2;
  if (!factor(s, L1) || !factor(z, L2)) return false;
  const SingularValues svd = singular_values(L2.transpose() * L1);
  if (!svd.values.allFinite() || !(svd.values.minCoeff() > 0.0)) return false;
  lambda_ = svd.values;
  const Vector root = lambda_.cwiseSqrt().cwiseInverse();
  R_.noalias() = L1 * svd.right.transpose() * root.asDiagonal();
  R_inverse_.noalias() = root.asDiagonal() * svd.left.transpose() * L2.transpose();
  Q_.noalias() = R_ * R_.transpose();
  return R_.allFinite() && R_inverse_.allFinite() && Q_.allFinite();
}

Vector SemidefiniteScaling::multiply(ConstVectorRef v) const { return svec(Q_ * smat(v) * Q_); }

Vector SemidefiniteScaling::corrector(ConstVectorRef s, ConstVectorRef ds, ConstVectorRef dz, double sigma_mu) const {
  const Matrix primal = R_inverse_ * smat(ds) * R_inverse_.transpose(), dual = R_.transpose() * smat(dz) * R_;
  Matrix r = primal * dual;
  symmetrize(r);
  r.diagonal().array() -= sigma_mu;
  for (Index j = 0; j < r.cols(); ++j) {
    for (Index i = 0; i < r.rows(); ++i) r(i, j) *= 2.0 / (lambda_[i] + lambda_[j]);
  }
  return s + svec(R_ * r * R_.transpose());
}

namespace semidefinite {

double log_det(ConstVectorRef u) {
  Matrix L;
  return factor(u, L) ? 2.0 * L.diagonal().array().log().sum() : -kInfinity;
}

double longest_step(ConstVectorRef u, ConstVectorRef du) {
  Matrix L;
  return factor(u, L) ? interior::longest_matrix_step(L, smat(du)) : 0.0;
}

}  // namespace semidefinite
}  // namespace pliant
