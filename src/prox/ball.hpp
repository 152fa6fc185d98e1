// The indicator of the Euclidean ball {|x| <= R} about the origin.
#pragma once

#include "pliant/prox_term.hpp"

namespace pliant {

class BallProx final : public ProxTerm {
 public:
  BallProx(Index n, double radius);

  double radius() const { return radius_; }

  std::string_view kind() const override { return "ball"; }
  Index dimension() const override { return n_; }
  ProxStructure structure() const override {
    ProxStructure out;
    out.radius = radius_;
    return out;
  }
  StoredForm stored() const override { return {"ball", {{"radius", radius_}}}; }

  double value(ConstVectorRef) const override { return 0.0; }
  /// max(0, |x| - R)
  double domain_violation(ConstVectorRef x) const override;
  void project(VectorRef x) const override;
  void prox(ConstVectorRef v, double step, VectorRef out) const override;
  void residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const override;
  double strong_convexity() const override { return 0.0; }
  double lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const override;
  double lower_model_bounded(ConstVectorRef x, ConstVectorRef g, double mu, double psi_max) const override;
  double linear_minimum(ConstVectorRef x, ConstVectorRef g, double radius) const override;
  Growth growth(ConstVectorRef x, ConstVectorRef d) const override;
  double domain_radius(ConstVectorRef x) const override;
  void validate() const override {}

 private:
  Index n_;
  double radius_;
};

}  // namespace pliant
