// Soft rows: sums of positive parts sum_i w_i max(0, a_i(x)) in the objective.
//
// A hard row forbids a_i(x) > 0; a soft one has a price for it, and its multiplier ends at that price: 0 <= lambda_i <= w_i.
// Quantile and absolute regression, support vector machines and CVaR are sums of this kind. Problem::minimize adds them.
#pragma once

#include "pliant/array.hpp"
#include "pliant/cones.hpp"
#include "pliant/constraint_batch.hpp"
#include "pliant/data_matrix.hpp"

namespace pliant {

struct SoftRows {
  BatchPtr rows;    ///< the a_i
  Doubles weights;  ///< w_i >= 0, one per constraint of the batch: a two-sided row has a price for each side
};

/// w max(0, a); what cannot be evaluated is not free.
inline double priced(double w, double a) { return w == 0.0 || a <= 0.0 ? 0.0 : w * a; }

/// sum_i w_i max(0, a_i(x)); no weights: 1 each.
SoftRows positive_part(BatchPtr rows, Doubles weights = {});
/// sum_i w_i max(0, G_i x - h_i).
SoftRows positive_part(DataMatrix G, Doubles h, Doubles weights = {});
/// sum_i w_i sum_j max(0, a_ij(x)), a_ij the eigenvalues of -(h - Gx) in cone i, one weight per cone. Second-order cones of
/// one size, or semidefinite ones: |u| - s and -|u| - s of a cone |u| <= s, so that the price is w (|u| - s) where
/// -|u| <= s <= |u|, 0 beyond and -2 w s below; the eigenvalues of F0 + sum x_j F_j for a matrix that should be <= 0. A row is
/// an eigenvalue, the largest of a cone first, and has the weight of its cone.
SoftRows positive_part(const ConicConstraint& cones, const Doubles& weights = {});

// The losses below take one weight per row of A (none: 1 each) and divide by the number l of rows.

/// (1/l) sum_i w_i rho_tau(b_i - A_i x), rho_tau(r) = max(tau r, (tau - 1) r): tau is the share of points below the fit.
SoftRows quantile(DataMatrix A, Doubles b, double tau, Doubles weights = {});
/// (1/l) sum_i w_i |A_i x - b_i|.
SoftRows absolute(DataMatrix A, Doubles b, Doubles weights = {});
/// (1/l) sum_i w_i max(0, |A_i x - b_i| - eps).
SoftRows epsilon_insensitive(DataMatrix A, Doubles b, double eps, Doubles weights = {});
/// (1/l) sum_i w_i max(0, 1 - y_i A_i x), y_i in {-1, +1}.
SoftRows hinge(DataMatrix A, const Doubles& y, Doubles weights = {});

}  // namespace pliant
