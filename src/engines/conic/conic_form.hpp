// Conic programs in the form the homogeneous engine works on:
//
//   minimise   1/2 x'Px + q'x + constant
//   subject to h - Gx = s in K,   K a product of cones over consecutive rows
//
// with the dual   maximise -1/2 x'Px - h'z + constant   subject to Px + q + G'z = 0, z in K*.
#pragma once

#include "engines/interior/equilibration.hpp"
#include "pliant/cones.hpp"

#include <vector>

namespace pliant {

struct ConicForm : QuadraticCost {
  SparseMatrix G;
  Vector h;
  std::vector<Cone> cones;

  Index rows() const { return h.size(); }
};

/// Throws InputError where shapes disagree or a cone is not one of this engine's.
void validate(const ConicForm& form);

/// Scales `form` in place. The rows of a cone that is not a product of half-lines share one factor; x is scaled such
/// that |h| <= 1.
Equilibration equilibrate(ConicForm& form);

}  // namespace pliant
