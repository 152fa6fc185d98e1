// The Newton matrix of a block, H_ij = tr(F_i L F_j S^-1), with sparse F_i.
//
// With R the rows where F_j is not 0 and W = (F_j S^-1)_R, the product U = L F_j S^-1 = L_R' W has entries that are dot
// products of |R| numbers, and H_ij = <F_i, U'>. For every j the cheaper way is taken: all of U as a matrix product, or
// only the entries that the F_i with fewer entries than F_j ask for.
#pragma once

#include "engines/conic/semidefinite_form.hpp"

namespace pliant {

/// Lower triangle of H += the block's part; `multiplier` is L, `inverse` S^-1, both with both triangles.
void add_newton_matrix(const SemidefiniteBlock& block, const Matrix& multiplier, const Matrix& inverse, Matrix& H);

}  // namespace pliant
