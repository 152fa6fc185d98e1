// Arithmetic of one cone of positive semidefinite matrices, points given as svec: the Nesterov-Todd scaling
//
//   R'ZR = R^-1 S R^-T = diag(lambda),   H V = Q V Q,   Q = R R',   H Z = S
//
// from S = L1 L1', Z = L2 L2' and the singular values of L2'L1 = U diag(lambda) V': R = L1 V diag(lambda)^-1/2. Near
// the central path all lambda are about sqrt(mu), however ill-conditioned S and Z are.
#pragma once

#include "pliant/svec.hpp"

namespace pliant {

class SemidefiniteScaling {
 public:
  /// False if s or z is not in the interior.
  bool compute(ConstVectorRef s, ConstVectorRef z);

  /// svec(Q V Q)
  Vector multiply(ConstVectorRef v) const;
  /// The constant of the corrector: s + R (lambda \ (R^-1 dS R^-T o R' dZ R - sigma mu I)) R', o the symmetric product.
  Vector corrector(ConstVectorRef s, ConstVectorRef ds, ConstVectorRef dz, double sigma_mu) const;
  /// f(value) for the entries of the lower triangle of H in svec coordinates, column by column.
  template <class F>
  void for_each_entry(const F& f) const;

 private:
  Vector lambda_;
  Matrix R_, R_inverse_, Q_;
};

namespace semidefinite {

/// ln det of the matrix, minus infinity unless it is positive definite.
double log_det(ConstVectorRef u);
/// The longest step from u (interior) along du within the cone; infinite if there is no end.
double longest_step(ConstVectorRef u, ConstVectorRef du);

}  // namespace semidefinite

// The entry of (i, j) and (k, l) is c_ij c_kl (Q_ik Q_jl + Q_il Q_jk)/2, c = 1 on the diagonal and sqrt(2) elsewhere.
template <class F>
void SemidefiniteScaling::for_each_entry(const F& f) const {
  const Index order = Q_.rows();
  for_each_svec_entry(order, [&](Index, Index k, Index l) {
    for (Index j = l; j < order; ++j) {
      for (Index i = j == l ? k : j; i < order; ++i) {
        f(0.5 * svec_scale(i, j) * svec_scale(k, l) * (Q_(i, k) * Q_(j, l) + Q_(i, l) * Q_(j, k)));
      }
    }
  });
}

}  // namespace pliant
