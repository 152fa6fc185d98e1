// Generalised linear terms T(x) = (1/l) sum_i loss(a_i'x, t_i) with dense or CSR rows a_i.
//
//   grad T = (1/l) A' loss'(Ax, t),   Hess T = (1/l) A' diag(loss''(Ax, t)) A
//   smoothness <= c lambda_max(A'A)/l with c the bound of loss''; component i: c |a_i|^2 / l
#pragma once

#include "linalg/spectrum.hpp"
#include "objective/losses.hpp"
#include "parallel/parallel.hpp"
#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/objective_term.hpp"

#include <string>

namespace pliant {

template <class Loss>
class GeneralizedLinearTerm : public ObjectiveTerm, public LossSum {
 public:
  const DataMatrix& A() const final { return A_; }
  const Doubles& targets() const final { return targets_; }
  LossKind loss_kind() const final { return Loss::kKind; }
  TermStructure structure() const final {
    TermStructure out;
    out.losses = this;
    return out;
  }
  StoredForm stored() const override { return {kind_, {{"A", A_}, {field_, targets_}}}; }

  std::string_view kind() const final { return kind_; }
  Index dimension() const final { return A_.cols(); }
  Index components() const final { return A_.rows(); }
  Index bytes() const final { return A_.bytes() + targets_.size() * static_cast<Index>(sizeof(double)); }

  double value(ConstVectorRef x) const final;
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const final {
    return add_gradient_and_slopes(x, weight, gradient, nullptr);
  }
  double add_gradient_and_slopes(ConstVectorRef x, double weight, VectorRef gradient, double* slopes) const final;
  void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const final;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const final;
  LinePoint line_point(ObjectiveLine& line, double t) const final;
  double component_value(Index i, ConstVectorRef x) const final;
  void add_component_gradient(Index i, ConstVectorRef x, double weight, VectorRef gradient) const final;

  double smoothness() const final;
  double component_smoothness(Index i) const final;
  /// lambda_min(A'A)/l for least squares, 0 for the others, whose curvature vanishes far out.
  double strong_convexity() const final;
  double lower_bound() const final { return 0.0; }
  Growth growth(ConstVectorRef x, ConstVectorRef d) const final;
  double add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const final;
  Index rounding_length() const final;
  double convexity_defect() const final { return 0.0; }

  void validate() const override;

 protected:
  /// `kind` and `field` (the name of the targets) stand in messages.
  GeneralizedLinearTerm(std::string_view kind, std::string_view field, DataMatrix A, Doubles targets, Loss loss);

  const Loss& loss() const { return loss_; }

 private:
  /// The sum of the losses of some rows, from z with room for two numbers a row, and their derivatives.
  double evaluate_block(const double* x, Rows rows, double* z, double* derivatives) const;
  /// out = A x
  void margins(ConstVectorRef x, Vector& out) const;
  double share() const { return 1.0 / static_cast<double>(A_.rows()); }

  std::string kind_, field_;
  DataMatrix A_;
  Doubles targets_;
  Loss loss_;
  Index block_;
  parallel::Chunks chunks_;
  LazyEigenvalueBounds gram_;
};

extern template class GeneralizedLinearTerm<SquareLoss>;
extern template class GeneralizedLinearTerm<LogisticLoss>;
extern template class GeneralizedLinearTerm<HuberLoss>;

class LeastSquaresTerm final : public GeneralizedLinearTerm<SquareLoss> {
 public:
  LeastSquaresTerm(DataMatrix A, Doubles b);
  const Doubles& b() const { return targets(); }
};

class LogisticTerm final : public GeneralizedLinearTerm<LogisticLoss> {
 public:
  LogisticTerm(DataMatrix A, Doubles y);
  const Doubles& y() const { return targets(); }
  void validate() const override;
};

class HuberTerm final : public GeneralizedLinearTerm<HuberLoss> {
 public:
  HuberTerm(DataMatrix A, Doubles b, double k);
  const Doubles& b() const { return targets(); }
  double k() const { return loss().k; }
  double threshold() const override { return k(); }
  StoredForm stored() const override {
    StoredForm out = GeneralizedLinearTerm::stored();
    out.fields.push_back({"k", k()});
    return out;
  }
};

/// One of the three.
inline bool is_generalized_linear(const ObjectiveTerm& term) { return term.structure().losses != nullptr; }

}  // namespace pliant
