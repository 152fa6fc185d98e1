// Log-sum-exp constraints a_i(x) = ln sum_k exp(A_ik x + b_ik) <= 0.
//
// With p the softmax weights of the inner values A_i x + b_i: gradient A_i'p, Hessian
// A_i'(diag p - p p')A_i = sum_k p_k (A_ik - g)(A_ik - g)' with g the gradient.
#pragma once

#include "constraints/stacked_rows.hpp"
#include "pliant/array.hpp"
#include "pliant/row_block_batch.hpp"

namespace pliant {

class LogSumExpBatch final : public RowBlockBatch {
 public:
  /// A: m x terms x n, b: m x terms numbers.
  LogSumExpBatch(Index m, Index n, Index terms, Doubles A, Doubles b);

  const Doubles& A() const { return A_; }
  const Doubles& b() const { return b_; }
  Index terms() const { return terms_; }

  std::string_view family() const override { return "log_sum_exp"; }
  Index size() const override { return m_; }
  Index dimension() const override { return n_; }
  Index bytes(Rows rows) const override;
  BatchStructure structure() const override;
  StoredForm stored() const override;
  double constant_scale() const override;
  void constant_magnitudes(Rows rows, VectorRef out) const override;
  void add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                         VectorRef gradient_sizes) const override;
  void convexity_defects(Rows rows, VectorRef defects) const override { defects.head(rows.size()).setZero(); }
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override;
  void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const override;
  /// ln sum_k exp(z_k + t dz_k) <= a(x) + t max_k dz_k
  void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const override;
  RecessionCone recession_cone() const override;
  void validate() const override;

 protected:
  Index scratch_per_row() const override { return terms_; }
  void block_values(const double* x, Rows rows, double* a, double* scratch) const override;
  void block_add_gradient(const double* x, Rows rows, const double* w, const double* scratch,
                          double* gradient) const override;
  void block_gradient_norms(const double* x, Rows rows, const double* scratch, double* norms) const override;
  void block_smoothness(Rows rows, double* smoothness) const override;
  void block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer,
                         const double* scratch, MatrixRef H) const override;
  std::optional<RowConstants> compute_constants() const override;

 private:
  RowMajorMap matrix(Index i) const { return {A_.data() + i * terms_ * n_, terms_, n_}; }
  ConstVectorMap offsets(Index i) const { return {b_.data() + i * terms_, terms_}; }
  ConstVectorMap term(Index i, Index k) const { return {A_.data() + (i * terms_ + k) * n_, n_}; }
  double smoothness(Index i) const;

  Index m_;
  Index n_;
  Index terms_;
  Doubles A_, b_;
};

}  // namespace pliant
