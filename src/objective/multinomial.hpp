// The multinomial logistic term over x = (w_0, ..., w_{K-1}), stacked weight vectors of K classes:
//
//   T(x)      = (1/l) sum_i [ln sum_c exp(z_ic) - z_{i,label_i}],   z_ic = a_i'w_c
//   grad_c T  = (1/l) sum_i (p_ic - [label_i = c]) a_i,             p_i = softmax(z_i)
//   Hess_ce T = (1/l) sum_i p_ic ([c = e] - p_ie) a_i a_i'
//
// The matrix diag(p) - pp' has no eigenvalue above 1/2, so T is lambda_max(A'A)/(2l)-smooth.
#pragma once

#include "linalg/spectrum.hpp"
#include "parallel/parallel.hpp"
#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/objective_term.hpp"

namespace pliant {

class MultinomialTerm final : public ObjectiveTerm {
 public:
  MultinomialTerm(DataMatrix A, Indices labels, Index classes);

  const DataMatrix& A() const { return A_; }
  const Indices& labels() const { return labels_; }
  Index classes() const { return classes_; }

  std::string_view kind() const override { return "multinomial"; }
  Index dimension() const override { return A_.cols() * classes_; }
  Index components() const override { return A_.rows(); }
  StoredForm stored() const override {
    return {"multinomial", {{"A", A_}, {"labels", labels_}, {"classes", classes_}}};
  }
  Index bytes() const override { return A_.bytes() + labels_.size() * static_cast<Index>(sizeof(Index)); }

  double value(ConstVectorRef x) const override;
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const override;
  void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const override;
  double component_value(Index i, ConstVectorRef x) const override;
  void add_component_gradient(Index i, ConstVectorRef x, double weight, VectorRef gradient) const override;

  double smoothness() const override;
  double component_smoothness(Index i) const override;
  double strong_convexity() const override { return 0.0; }
  double lower_bound() const override { return 0.0; }
  /// The mean of max_c a_i'd_c - a_i'd_{label_i}.
  Growth growth(ConstVectorRef x, ConstVectorRef d) const override;
  double add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const override;
  Index rounding_length() const override;
  double convexity_defect() const override { return 0.0; }

  void validate() const override;

 private:
  double share() const { return 1.0 / static_cast<double>(A_.rows()); }
  /// Margins of the rows, class after class: z[c * stride + k].
  void margins(ConstVectorRef x, Rows rows, Index stride, double* z) const;
  /// Margins become softmax probabilities; returns the sum of the losses.
  double softmax(Rows rows, Index stride, double* z) const;

  DataMatrix A_;
  Indices labels_;
  Index classes_;
  Index block_;
  parallel::Chunks chunks_;
  LazyEigenvalueBounds gram_;
};

}  // namespace pliant
