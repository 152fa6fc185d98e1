#include "linalg/regularised_cholesky.hpp"

#include "linalg/symmetric_eigen.hpp"
#include "machine/activity.hpp"

#include <utility>

namespace pliant {

bool RegularisedCholesky::factorize(const Matrix& H) {
  const machine::Activity factorising("factorising a dense matrix");
  H_ = &H;
  if (!H.allFinite()) return false;
  const Vector diagonal = H.diagonal();
  if (diagonal.size() == 0) return true;
  const Vector shift = diagonal.array() + rules_.share * diagonal.maxCoeff();
  for (double r = rules_.least; r < rules_.limit; r *= rules_.growth) {
    factor_ = H;
    factor_.diagonal() += r * shift;
    if (cholesky_in_place(factor_)) return true;
  }
  return false;
}

bool RegularisedCholesky::solve(const Vector& r_x, const Vector& /*r_y*/, Vector& dx, Vector& dy) {
  const auto L = std::as_const(factor_).triangularView<Eigen::Lower>();
  const auto once = [&](Vector v) {
    L.solveInPlace(v);
    L.transpose().solveInPlace(v);
    return v;
  };
  dy.resize(0);
  dx = once(r_x);
  Vector residual = r_x - *H_ * dx;
  double size = residual.norm();
  for (int k = 0; k < rules_.refinements; ++k) {
    const Vector better = dx + once(residual);
    const Vector left = r_x - *H_ * better;
    if (!(left.norm() < rules_.refinement_gain * size)) break;
    dx = better;
    residual = left;
    size = left.norm();
  }
  return dx.allFinite();
}

}  // namespace pliant
