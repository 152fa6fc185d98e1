// Convex quadratic constraints a_i(x) = 1/2 x'P_i x + q_i'x + r_i <= 0 with P_i dense, low rank or
// diagonal.
//
//   gradient P_i x + q_i, Hessian P_i,
//   a_i(x + t d) = a_i(x) + t (d'P_i x + q_i'd) + t^2/2 d'P_i d
#pragma once

#include "constraints/quadratic_forms.hpp"
#include "pliant/array.hpp"
#include "pliant/row_block_batch.hpp"

namespace pliant {

/// What the three families share; `Form` holds the P_i (quadratic_forms.hpp).
template <class Form>
class QuadraticBatch : public RowBlockBatch {
 public:
  QuadraticBatch(Index m, Form form, Doubles q, Doubles r);

  const Doubles& q() const { return rows_.q; }
  const Doubles& r() const { return rows_.r; }

  std::string_view family() const override { return Form::kFamily; }
  Index size() const override { return m_; }
  Index dimension() const override { return form_.n; }
  Index bytes(Rows rows) const override;
  BatchStructure structure() const override;
  StoredForm stored() const override;
  double constant_scale() const override;
  void constant_magnitudes(Rows rows, VectorRef out) const override;
  void add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                         VectorRef gradient_sizes) const override;
  void convexity_defects(Rows rows, VectorRef defects) const override;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override;
  /// Slope x'P_i d + q_i'd, curvature d'P_i d.
  void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const override;
  /// q_i'd <= 0 and P_i d = 0.
  RecessionCone recession_cone() const override;
  void validate() const override;
  Vector constant_terms() const override { return ConstVectorMap(r().data(), m_); }

 protected:
  Index scratch_per_row() const override { return form_.scratch_per_row(); }
  Index inner_length() const override { return 2 * form_.n + form_.scratch_per_row() + kOwnRoundings; }
  void block_values(const double* x, Rows rows, double* a, double* scratch) const override;
  void block_add_gradient(const double* x, Rows rows, const double* w, const double* scratch,
                          double* gradient) const override;
  void block_gradient_norms(const double* x, Rows rows, const double* scratch, double* norms) const override;
  void block_smoothness(Rows rows, double* smoothness) const override;
  void block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer,
                         const double* scratch, MatrixRef H) const override;
  std::optional<RowConstants> compute_constants() const override;

  const Form& form() const { return form_; }
  /// `changed` after its name and the check of its constant terms.
  std::shared_ptr<ConstraintBatch> checked(std::shared_ptr<QuadraticBatch> changed) const;

 private:
  ConstVectorMap linear_part(Index i) const { return {q().data() + i * form_.n, form_.n}; }

  Index m_;
  Form form_;
  QuadraticRows rows_;  // the same data, for those who ask what the rows are
};

class QuadraticDenseBatch final : public QuadraticBatch<DenseForm> {
 public:
  /// P: m x n x n, q: m x n, r: m numbers.
  QuadraticDenseBatch(Index m, Index n, Doubles P, Doubles q, Doubles r);
  std::shared_ptr<ConstraintBatch> with_constants(Doubles r) const override {
    return checked(std::make_shared<QuadraticDenseBatch>(size(), dimension(), P(), q(), std::move(r)));
  }
  const Doubles& P() const { return form().data; }
};

class QuadraticLowRankBatch final : public QuadraticBatch<LowRankForm> {
 public:
  /// factors: m x rank x n numbers.
  QuadraticLowRankBatch(Index m, Index n, Index rank, Doubles factors, Doubles q, Doubles r);
  std::shared_ptr<ConstraintBatch> with_constants(Doubles r) const override {
    return checked(std::make_shared<QuadraticLowRankBatch>(size(), dimension(), rank(), factors(), q(), std::move(r)));
  }
  const Doubles& factors() const { return form().data; }
  Index rank() const { return form().rank; }
};

class QuadraticDiagonalBatch final : public QuadraticBatch<DiagonalForm> {
 public:
  /// diagonals: m x n numbers.
  QuadraticDiagonalBatch(Index m, Index n, Doubles diagonals, Doubles q, Doubles r);
  std::shared_ptr<ConstraintBatch> with_constants(Doubles r) const override {
    return checked(std::make_shared<QuadraticDiagonalBatch>(size(), dimension(), diagonals(), q(), std::move(r)));
  }
  const Doubles& diagonals() const { return form().data; }
};

}  // namespace pliant
