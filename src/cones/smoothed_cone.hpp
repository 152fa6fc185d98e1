// Many cones with a smoothed largest eigenvalue: the paper's treatment of non-smooth constraints.
//
//   a_i(x) = nu ln sum_j exp(a_ij(x)/nu),   max_j a_ij <= a_i <= max_j a_ij + nu ln r
//
// a_ij the r eigenvalues of cone i (cones/eigen_frame.hpp). With p the softmax weights of the eigenvalues and g_j their
// gradients: gradient g = sum p_j g_j, Hessian sum_j (p_j/nu)(g_j - g)(g_j - g)' and, for pairs of eigenvalues, 2
// [p]_jl times the square of their G'e_p. One row per cone, smooth, for every method.
#pragma once

#include "cones/cone_block.hpp"
#include "pliant/row_block_batch.hpp"

namespace pliant {

class SmoothedConeBatch final : public RowBlockBatch {
 public:
  SmoothedConeBatch(ConeBlock cones, double nu) : cones_(std::move(cones)), nu_(nu) {}

  std::string_view family() const override;
  Index size() const override { return cones_.cones(); }
  Index dimension() const override { return cones_.dimension(); }
  Index bytes(Rows rows) const override;
  BatchStructure structure() const override;
  double constant_scale() const override { return cones_.constant_scale(); }
  void constant_magnitudes(Rows rows, VectorRef out) const override {
    for (Index k = 0; k < rows.size(); ++k) out[k] = cones_.constant_scale(rows[k]);
  }
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override;
  void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const override;
  /// As bounds, Lipschitz constants instead of norms and curvature: that of size 1/nu says little beyond a distance of
  /// nu.
  void read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const override;
  void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const override;
  void validate() const override;

  const ConeBlock& cones() const { return cones_; }
  /// Points of the dual cones, shape().rows numbers each, for multipliers of all rows at x.
  Vector dual_points(ConstVectorRef x, ConstVectorRef lambda) const;
  /// nu ln r: how much larger a_i may be than the largest eigenvalue.
  double error() const;

 protected:
  Index scratch_per_row() const override { return 2 * cones_.shape().rank + cones_.shape().frame(); }
  void block_values(const double* x, Rows rows, double* a, double* scratch) const override;
  void block_add_gradient(const double* x, Rows rows, const double* w, const double* scratch,
                          double* gradient) const override;
  void block_smoothness(Rows rows, double* smoothness) const override;
  void block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer,
                         const double* scratch, MatrixRef H) const override;
  std::optional<RowConstants> compute_constants() const override;

 private:
  /// The value of a cone with slack s; kept: softmax weights, eigenvalues, frame.
  double evaluate(const double* s, double* kept) const;

  ConeBlock cones_;
  double nu_;
};

}  // namespace pliant
