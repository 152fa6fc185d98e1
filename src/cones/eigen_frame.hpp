// Eigenvalues of symmetric cones: of -s for s = h - Gx, so that s lies in the cone exactly if none is positive.
//
//   second order   a_+- = -s_0 +- |s_1..|      e_+- = (1, -+u), u = s_1../|s_1..|      pairs (0, q), q orthogonal to u
//   semidefinite   a_j = eigenvalues of -S     e_j = svec(v_j v_j')                    pairs svec((v_j v_l' + v_l
//   v_j')/2)
//
// A function of the eigenvalues with derivatives w_j at a_j has, as a function of x,
//
//   gradient  G'z, z = sum_j w_j e_j
//   Hessian   sum_j w_j' (G'e_j)(G'e_j)' + sum_pairs 2 [w]_jl (G'e_p)(G'e_p)',   [w]_jl = (w_j - w_l)/(a_j - a_l).
//
// There are as many e's as the cone has rows.
#pragma once

#include "pliant/cones.hpp"

namespace pliant {

struct ConeShape {
  ConeKind kind = ConeKind::second_order;
  Index rows = 0;
  Index rank = 0;  ///< eigenvalues: 2, or the order of the matrix

  Index pairs() const { return rows - rank; }
  /// Numbers that `decompose` keeps for the other functions.
  Index frame() const { return kind == ConeKind::second_order ? rows - 1 : rank * rank; }
};

/// Orders of matrices up to this one are treated in batches.
constexpr Index kLargestSmallOrder = 16;
/// The shape of a second-order cone of two rows or more, or of a semidefinite one of such an order.
bool has_small_frame(const Cone& cone);
ConeShape shape_of(const Cone& cone);

/// Eigenvalues of -s, the largest first, and their frame.
void decompose(const ConeShape& shape, const double* s, double* a, double* frame);
/// z = sum_j w_j e_j
void combine(const ConeShape& shape, const double* frame, const double* w, double* z);
/// slope_j = e_j'g: what the eigenvalues change along d, g = G d.
void eigen_slopes(const ConeShape& shape, const double* frame, const double* g, double* slope);
/// All e's as columns (rows x rows, column after column): those of the eigenvalues, then those of the pairs.
void frame_basis(const ConeShape& shape, const double* frame, double* basis);
/// Weights of the columns of `frame_basis` in the Hessian: w_j' for eigenvalues, 2 [w]_jl for pairs. Where w_j and w_l
/// agree to most digits the mean of w_j' and w_l' stands for the quotient.
void basis_weights(const ConeShape& shape, const double* a, const double* w, const double* derivative, double* weights);

}  // namespace pliant
