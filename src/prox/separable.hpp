// The separable term psi(x) = sum_j w1 |x_j| + (w2/2) x_j^2 + indicator[lo_j, hi_j](x_j).
//
// It covers none, l1, l2 squared, elastic net, box and nonnegative, and any sum of them. Everything
// is closed form per coordinate: the minimiser over an interval of a convex function of one
// variable is the unconstrained minimiser clipped to the interval.
#pragma once

#include "pliant/prox_term.hpp"
#include "pliant/regularizers.hpp"

#include <string>

namespace pliant {

class SeparableProx final : public ProxTerm {
 public:
  /// lo and hi are both empty (no bounds) or both of length n.
  SeparableProx(std::string_view kind, Index n, SeparableParameters parameters);

  const SeparableParameters& parameters() const { return parameters_; }
  bool has_bounds() const { return !parameters_.lo.empty(); }

  std::string_view kind() const override { return kind_; }
  Index dimension() const override { return n_; }
  ProxStructure structure() const override {
    ProxStructure out;
    out.separable = &parameters_;
    return out;
  }
  StoredForm stored() const override;

  double value(ConstVectorRef x) const override;
  double domain_violation(ConstVectorRef x) const override;
  void project(VectorRef x) const override;
  void prox(ConstVectorRef v, double step, VectorRef out) const override;
  void residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const override;
  double strong_convexity() const override { return parameters_.l2; }
  double lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const override;
  double lower_model_bounded(ConstVectorRef x, ConstVectorRef g, double mu, double psi_max) const override;
  double linear_minimum(ConstVectorRef x, ConstVectorRef g, double radius) const override;
  Growth growth(ConstVectorRef x, ConstVectorRef d) const override;
  double domain_radius(ConstVectorRef x) const override;
  void validate() const override;

  void dual_infeasibility(ConstVectorRef x, ConstVectorRef g, VectorRef r) const override;
  double lower_model_estimate(ConstVectorRef x, ConstVectorRef g, double mu) const override;

 private:
  /// g_j + subdifferential of w1|.| + (w2/2)(.)^2 + (normal cone where the bounds count); its point nearest to 0.
  double nearest_to_zero(double x, double g, bool lower_counts, bool upper_counts) const;
  double lo(Index j) const { return has_bounds() ? parameters_.lo[j] : -kInfinity; }
  double hi(Index j) const { return has_bounds() ? parameters_.hi[j] : kInfinity; }

  std::string kind_;
  Index n_;
  SeparableParameters parameters_;
};

}  // namespace pliant
