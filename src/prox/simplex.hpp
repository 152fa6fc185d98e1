// The indicator of the simplex {x >= 0, sum x = R}.
#pragma once

#include "prox/sized_set.hpp"

namespace pliant {

class SimplexProx final : public SizedSet {
 public:
  SimplexProx(Index n, double radius) : SizedSet("simplex", n, radius) {}

  /// The larger of -min x_j and |sum x - R|.
  double domain_violation(ConstVectorRef x) const override;
  void prox(ConstVectorRef v, double step, VectorRef out) const override;
  void residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const override;
  double lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const override;
  double domain_radius(ConstVectorRef x) const override;
};

}  // namespace pliant
