// The linear term c'x + constant.
#pragma once

#include "pliant/array.hpp"
#include "pliant/objective_term.hpp"

namespace pliant {

class LinearTerm final : public ObjectiveTerm {
 public:
  LinearTerm(Doubles c, double constant);

  const Doubles& c() const { return c_; }
  double constant() const { return constant_; }

  std::string_view kind() const override { return "linear"; }
  Index dimension() const override { return c_.size(); }
  TermStructure structure() const override {
    TermStructure out;
    out.linear = {&c_, constant_};
    return out;
  }
  StoredForm stored() const override { return {"linear", {{"c", c_}, {"constant", constant_}}}; }
  Index components() const override { return 1; }
  Index bytes() const override { return c_.size() * static_cast<Index>(sizeof(double)); }

  double value(ConstVectorRef x) const override;
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const override;
  void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const override;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const override;
  LinePoint line_point(ObjectiveLine& line, double t) const override;
  double component_value(Index i, ConstVectorRef x) const override;
  void add_component_gradient(Index i, ConstVectorRef x, double weight, VectorRef gradient) const override;

  double smoothness() const override { return 0.0; }
  double component_smoothness(Index) const override { return 0.0; }
  double strong_convexity() const override { return 0.0; }
  /// -infinity unless c = 0.
  double lower_bound() const override;
  double add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const override;
  double convexity_defect() const override { return 0.0; }
  /// c'd
  Growth growth(ConstVectorRef x, ConstVectorRef d) const override;

  void validate() const override;

 private:
  Doubles c_;
  double constant_;
};

}  // namespace pliant
