// Linear constraints G x <= h and two-sided rows lo <= G x <= hi stored once.
//
// A two-sided row r stands for up to two constraints: g_r'x - hi_r <= 0 and lo_r - g_r'x <= 0, in
// this order, row after row; infinite sides are left out. Constraint i is sign_i g_{r_i}'x - c_i.
#pragma once

#include "constraints/row_block_batch.hpp"
#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"

#include <vector>

namespace pliant {

class LinearBatch final : public RowBlockBatch {
 public:
  LinearBatch(DataMatrix G, Doubles h);
  LinearBatch(Doubles lo, DataMatrix G, Doubles hi);

  const DataMatrix& matrix() const { return G_; }
  bool two_sided() const { return two_sided_; }
  const Doubles& lower() const { return lo_; }
  const Doubles& upper() const { return hi_; }

  /// Stored row and sign of constraint i.
  struct Side {
    Index row;
    double sign;  // +1 upper, -1 lower
  };
  Side side(Index i) const { return two_sided_ ? sides_[static_cast<std::size_t>(i)] : Side{i, 1.0}; }
  /// c_i of constraint i.
  double constant(Index i) const {
    if (!two_sided_) return hi_[i];
    const Side side = sides_[static_cast<std::size_t>(i)];
    return side.sign > 0 ? hi_[side.row] : -lo_[side.row];
  }

  std::string_view family() const override { return "linear"; }
  Index size() const override { return two_sided_ ? static_cast<Index>(sides_.size()) : G_.rows(); }
  Index dimension() const override { return G_.cols(); }
  bool linear() const override { return true; }
  Index bytes(Rows rows) const override;
  std::vector<Doubles> arrays() const override { return {G_.values()}; }
  double constant_scale() const override;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override {
    prepare_affine_line(x, d, rows, line);
  }
  void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const override {
    affine_line_values(line, t, a, slope);
  }
  void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const override;
  RecessionCone recession_cone() const override;
  void validate() const override;
  /// One-sided rows only.
  std::shared_ptr<ConstraintBatch> with_constants(Doubles h) const override;
  Vector constant_terms() const override;

  Index dual_size() const override { return G_.rows(); }
  /// Signed dual of a row: multiplier of its upper side minus that of its lower side.
  void multipliers_to_duals(ConstVectorRef multipliers, VectorRef duals) const override;
  void duals_to_multipliers(ConstVectorRef duals, VectorRef multipliers) const override;

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
  Rows stored(Rows rows) const;
  /// f(k, side) for every constraint of `rows`.
  template <class F>
  void for_each_side(Rows rows, F f) const {
    for (Index k = 0; k < rows.size(); ++k) f(k, sides_[static_cast<std::size_t>(rows[k])]);
  }

  DataMatrix G_;
  Doubles lo_, hi_;
  bool two_sided_;
  std::vector<Side> sides_;
};

}  // namespace pliant
