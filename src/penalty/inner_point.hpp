// A point with everything known there.
#pragma once

#include "lagrangian/lagrangian.hpp"

namespace pliant {

struct InnerPoint {
  Vector x;
  LagrangianEvaluation at;
  double phi = 0.0;       ///< Phi(x), without psi
  double residual = 0.0;  ///< norm of the smallest element of grad Phi(x) + subdifferential psi(x)
};

}  // namespace pliant
