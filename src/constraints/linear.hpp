// Linear constraints G x <= h and two-sided rows lo <= G x <= hi stored once (LinearRows, batch_structure.hpp).
#pragma once

#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/row_block_batch.hpp"

namespace pliant {

class LinearBatch final : public RowBlockBatch, public LinearRows {
 public:
  using LinearRows::LinearRows;

  std::string_view family() const override { return "linear"; }
  Index size() const override { return constraints(); }
  Index dimension() const override { return matrix().cols(); }
  BatchStructure structure() const override;
  StoredForm stored() const override;
  Index bytes(Rows rows) const override;
  double constant_scale() const override;
  void constant_magnitudes(Rows rows, VectorRef out) const override;
  void add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                         VectorRef gradient_sizes) const override;
  void convexity_defects(Rows rows, VectorRef defects) const override { defects.head(rows.size()).setZero(); }
  RecessionCone recession_cone() const override;
  void validate() const override;
  /// One-sided rows only.
  std::shared_ptr<ConstraintBatch> with_constants(Doubles h) const override;
  Vector constant_terms() const override;
  void read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const override;

 protected:
  void block_values(const double* x, Rows rows, double* a, double* scratch) const override;
  void block_add_gradient(const double* x, Rows rows, const double* w, const double* scratch,
                          double* gradient) const override;
  void block_gradient_norms(const double* x, Rows rows, const double* scratch, double* norms) const override;
  void block_smoothness(Rows rows, double* smoothness) const override;
  void block_slopes(const double* x, const double* d, Rows rows, const double* scratch, double* slopes) const override;
  void block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer,
                         const double* scratch, MatrixRef H) const override;
  std::optional<RowConstants> compute_constants() const override;

 private:
  void validate_sides() const;
  /// sign_i g_{r_i}'d. Slopes are computed from this alone: adding and taking away c_i would cost their digits.
  void block_products(const double* d, Rows rows, double* out) const;
  /// Stored rows behind a contiguous set of constraints.
  Rows rows_behind(Rows rows) const;
  /// f(k, side) for every constraint of `rows`.
  template <class F>
  void for_each_side(Rows rows, F f) const {
    for (Index k = 0; k < rows.size(); ++k) f(k, side(rows[k]));
  }
};

/// linear_le without a look at h: its numbers are known to be finite, or not there yet (io/deferred_arrays.hpp).
BatchPtr finite_linear_le(DataMatrix G, Doubles h);

}  // namespace pliant
