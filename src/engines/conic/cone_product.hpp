// A product of cones with the scaling of a primal-dual pair (s, z).
//
// Every cone gives a symmetric positive definite H with the secant property H z = s (also H z~ = s~ for the shadow
// points s~ = -grad f*(z), z~ = -grad f(s)):
//
//   nonnegative   H = s/z
//   second order  H = W^2 = eta^2 (2 w w' - J), the Nesterov-Todd scaling, lambda = W z = W^-1 s
//   semidefinite  H V = Q V Q, the Nesterov-Todd scaling of matrices (semidefinite_cone.hpp)
//   exponential,  H from the rank-3 formula of Tuncel and Myklebust (as computed by Dahl and Andersen); mu grad^2 f*(z)
//   power         where s and z are too close to the central path for it
//
// Zero cones have s = 0, z free and H = 0. A direction satisfies ds = -(H dz + c), c being
//
//   predictor     s
//   corrector     s - sigma mu s~ + what is left of second order
//
#pragma once

#include "engines/conic/barrier3.hpp"
#include "engines/conic/semidefinite_cone.hpp"

#include <vector>

namespace pliant {

class ConeProduct {
 public:
  /// One cone: rows first..first + rows - 1 of the product.
  struct Block {
    Cone cone;
    Index first;
    Index place;  ///< among the cones of its kind
  };

  explicit ConeProduct(const std::vector<Cone>& cones);

  Index rows() const { return rows_; }
  double degree() const { return degree_; }
  bool symmetric() const { return H3_.empty(); }
  const std::vector<Block>& blocks() const { return blocks_; }

  /// The centre of every cone; 0 for zero cones.
  void centre(Vector& u) const;
  /// Moves u into the interior along the centre (symmetric cones only); `dual`: zero cones are left free.
  void shift_inside(Vector& u, bool dual) const;

  /// False if s or z is not in the interior. `dual_only`: mu grad^2 f* for the cones that are not symmetric.
  bool scale(const Vector& s, const Vector& z, double mu, bool dual_only);
  /// out = H v
  void multiply(const Vector& v, Vector& out) const;
  /// The constant c of the corrector, from the predictor's ds and dz.
  void corrector(const Vector& s, const Vector& z, const Vector& ds, const Vector& dz, double sigma_mu,
                 Vector& out) const;
  /// The longest step <= limit that keeps s and z inside, about the longest for cones that are not symmetric.
  double longest_step(const Vector& s, const Vector& ds, const Vector& z, const Vector& dz, double limit) const;
  /// Whether s and z lie in the interior, and if so f(s) + f*(z) in `value`.
  bool barrier(const Vector& s, const Vector& z, double& value) const;

  // What H is made of, for the Newton matrix.
  double eta(const Block& b) const { return eta_[static_cast<std::size_t>(b.place)]; }
  /// w of a second-order cone.
  Eigen::Map<const Vector> w(const Block& b) const { return {w_.data() + b.first, b.cone.rows}; }
  const Vector& ratio() const { return w_; }  ///< s/z in the rows of nonnegative cones
  const Matrix3& H3(const Block& b) const { return H3_[static_cast<std::size_t>(b.place)]; }
  const SemidefiniteScaling& psd(const Block& b) const { return psd_[static_cast<std::size_t>(b.place)]; }

 private:
  bool scale_second_order(const Block& b, const Vector& s, const Vector& z);
  void correct_second_order(const Block& b, const Vector& s, const Vector& z, const Vector& ds, const Vector& dz,
                            double sigma_mu, Vector& out) const;

  std::vector<Block> blocks_;
  Index rows_ = 0;
  double degree_ = 0.0;
  Vector w_;
  std::vector<double> eta_;
  std::vector<Matrix3> H3_;
  std::vector<SemidefiniteScaling> psd_;
};

}  // namespace pliant
