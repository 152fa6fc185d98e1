// The group term psi(x) = sum_g w_g |x_g|_2 over disjoint groups of variables.
#pragma once

#include "pliant/prox_term.hpp"
#include "pliant/regularizers.hpp"

namespace pliant {

class GroupL2Prox final : public ProxTerm {
 public:
  explicit GroupL2Prox(GroupParameters parameters);

  const GroupParameters& parameters() const { return parameters_; }

  std::string_view kind() const override { return "group_l2"; }
  Index dimension() const override { return parameters_.groups.size(); }
  ProxStructure structure() const override {
    ProxStructure out;
    out.groups = &parameters_;
    return out;
  }
  StoredForm stored() const override {
    return {"group_l2", {{"groups", parameters_.groups}, {"weights", parameters_.weights}}};
  }

  double value(ConstVectorRef x) const override;
  double domain_violation(ConstVectorRef) const override { return 0.0; }
  void project(VectorRef) const override {}
  void prox(ConstVectorRef v, double step, VectorRef out) const override;
  void residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const override;
  double strong_convexity() const override { return 0.0; }
  double lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const override;
  double lower_model_bounded(ConstVectorRef x, ConstVectorRef g, double mu, double psi_max) const override;
  double linear_minimum(ConstVectorRef x, ConstVectorRef g, double radius) const override;
  Growth growth(ConstVectorRef x, ConstVectorRef d) const override;
  double domain_radius(ConstVectorRef) const override { return kInfinity; }
  void validate() const override;

 private:
  Index count() const { return parameters_.weights.size(); }
  double weight(Index group) const { return parameters_.weights[group]; }
  Index group(Index j) const { return parameters_.groups[j]; }

  GroupParameters parameters_;
};

}  // namespace pliant
