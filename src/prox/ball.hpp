// The indicator of the Euclidean ball {|x| <= R} about the origin.
#pragma once

#include "prox/sized_set.hpp"

namespace pliant {

class BallProx final : public SizedSet {
 public:
  BallProx(Index n, double radius) : SizedSet("ball", n, radius) {}

  /// max(0, |x| - R)
  double domain_violation(ConstVectorRef x) const override;
  void prox(ConstVectorRef v, double step, VectorRef out) const override;
  void residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const override;
  double lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const override;
  double domain_radius(ConstVectorRef x) const override;
};

}  // namespace pliant
