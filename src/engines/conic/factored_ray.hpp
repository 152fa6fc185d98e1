// A proof of infeasibility as products of factors:
//
//   z = (y, c o c, svec(C C'), ...)   lies in K* whatever y, c and C are,   G'z = 0 by Gauss-Newton on the factors.
//
// Where a proof has to lie on the boundary of K* (entries that no row balances must vanish, with their rows and columns of the
// matrix), no correction of z itself can have G'z = 0 and z in K* at once: a matrix with a diagonal entry of 1e-20 and
// others of 1e-11 beside it is not semidefinite. A product is. Factors that are small beside the largest are cut off first:
// in the limit they vanish, and what they weigh may outweigh what a narrow contradiction gains.
#pragma once

#include "engines/conic/conic_form.hpp"

#include <optional>

namespace pliant {

/// A z near the given one with G'z = 0 up to rounding and h'z < 0, if that was found; `cut` is relative to the largest
/// eigenvalue. Cones other than zero, nonnegative and semidefinite ones keep their part of z. Does nothing where the dense
/// equations would be too many.
std::optional<Vector> factored_ray(const ConicForm& form, const Vector& z, double cut);

}  // namespace pliant
