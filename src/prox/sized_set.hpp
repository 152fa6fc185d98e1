// The indicator of a bounded set that one number describes, its size R: what such sets share. Each of them says how to project
// and what lies in its normal cones.
#pragma once

#include "pliant/prox_term.hpp"

namespace pliant {

class SizedSet : public ProxTerm {
 public:
  double radius() const { return radius_; }

  std::string_view kind() const final { return kind_; }
  Index dimension() const final { return n_; }
  ProxStructure structure() const final {
    ProxStructure out;
    out.radius = radius_;
    return out;
  }
  StoredForm stored() const final { return {kind_, {{"radius", radius_}}}; }

  double value(ConstVectorRef) const final { return 0.0; }
  void project(VectorRef x) const final { prox(x, 1.0, x); }
  double strong_convexity() const final { return 0.0; }
  double lower_model_bounded(ConstVectorRef x, ConstVectorRef g, double mu, double) const final {
    return lower_model(x, g, mu);
  }
  /// The set lies within any radius that matters: ignoring it weakens the bound at most.
  double linear_minimum(ConstVectorRef x, ConstVectorRef g, double) const final { return lower_model(x, g, 0.0); }
  /// Bounded: no direction but 0 stays.
  Growth growth(ConstVectorRef, ConstVectorRef d) const final { return d.isZero(0.0) ? Growth{0.0, 0.0} : Growth{}; }
  void validate() const final {}

 protected:
  /// kind: a literal. Throws InputError unless there are variables and the radius is a positive number.
  SizedSet(std::string_view kind, Index n, double radius);

  std::string_view kind_;
  Index n_;
  double radius_;
};

}  // namespace pliant
