// The term -log det X over x = svec(X), X symmetric p x p (include/pliant/svec.hpp), +infinity unless X is positive
// definite. With V = X^-1:
//
//   grad      = -svec(V)
//   Hess      : <D, Hess D> = tr(V D V D), the symmetric Kronecker product of V with itself
//   line      T(X + tD) = T(X) - sum_k ln(1 + t e_k),  e the eigenvalues of L^-1 D L^-T, X = LL'
//   minimum   min_X -log det X + <G, X> = log det G + p at X = G^-1, -infinity unless G is positive definite
//
// It is strictly convex, but neither strongly convex nor smooth on its whole domain, and unbounded below.
#pragma once

#include "pliant/objective_term.hpp"

namespace pliant {

class LogDetTerm final : public ObjectiveTerm {
 public:
  explicit LogDetTerm(Index order);

  /// p
  Index order() const { return order_; }

  std::string_view kind() const override { return "log_det"; }
  Index dimension() const override;
  Index components() const override { return 1; }
  StoredForm stored() const override { return {"log_det"}; }  // n says it all
  Index bytes() const override { return 0; }

  double value(ConstVectorRef x) const override;
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const override;
  void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const override;
  /// -1/e_min, infinite if no e is negative, 0 if X is not positive definite.
  double max_step(ConstVectorRef x, ConstVectorRef d) const override;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const override;
  LinePoint line_point(ObjectiveLine& line, double t) const override;
  double component_value(Index i, ConstVectorRef x) const override;
  void add_component_gradient(Index i, ConstVectorRef x, double weight, VectorRef gradient) const override;

  double smoothness() const override { return kInfinity; }
  double component_smoothness(Index) const override { return kInfinity; }
  double strong_convexity() const override { return 0.0; }
  double lower_bound() const override { return -kInfinity; }
  std::optional<LinearMinimum> minimum_with(ConstVectorRef g) const override;
  std::optional<LinearMinimum> minimum_within(ConstVectorRef g, ConstVectorRef slack) const override;
  double add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const override;
  Index rounding_length() const override { return 1; }
  double convexity_defect() const override { return 0.0; }

  /// There are no data.
  void validate() const override {}

 private:
  Index order_;
};

}  // namespace pliant
