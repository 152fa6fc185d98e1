#include "pliant/prox_term.hpp"

namespace pliant {

void ProxTerm::dual_infeasibility(ConstVectorRef x, ConstVectorRef g, VectorRef r) const {
  Vector inside = x;
  project(inside);
  residual(inside, g, r);
}

double ProxTerm::lower_model_estimate(ConstVectorRef x, ConstVectorRef, double) const { return value(x); }

}  // namespace pliant
