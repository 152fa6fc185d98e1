// Rank-one rows <q_i q_i', X> - b_i = q_i'X q_i - b_i <= 0 over x = svec(X) (include/pliant/svec.hpp).
//
// Linear in x with gradient svec(q_i q_i'), which is formed only for Hessians: m rows of p(p+1)/2 numbers are stored
// as m points of p numbers. Lifted points are stored without their last entry, q_i = (p_i, 1).
//
//   values    one quadratic form at points side by side
//   gradient  sum w_i q_i q_i', one weighted Gram matrix per block
//   norms     |svec(qq')| = |q|^2
//
// In other coordinates X = R'YR a row is (Rq)'Y(Rq): values transform Y, gradients transform the Gram matrix.
#pragma once

#include "pliant/array.hpp"
#include "pliant/row_block_batch.hpp"

namespace pliant {

class RankOneBatch final : public RowBlockBatch {
 public:
  /// `points` is m x order, or m x (order - 1) if lifted.
  RankOneBatch(Index m, Index order, bool lifted, Doubles points, Doubles b);

  /// The same rows over y = svec(Y), X = R'YR: rank one rows of the points R q_i, which are not formed.
  std::shared_ptr<RankOneBatch> in_coordinates(Matrix R) const;

  Index order() const { return order_; }
  bool lifted() const { return lifted_; }
  /// Numbers stored per point.
  Index width() const { return width_; }
  const Doubles& points() const { return points_; }
  const Doubles& b() const { return b_; }

  std::string_view family() const override { return "rank_one"; }
  Index size() const override { return m_; }
  Index dimension() const override { return dimension_; }
  BatchStructure structure() const override;
  /// None in other coordinates: files hold the points as they were given.
  StoredForm stored() const override;
  Index bytes(Rows rows) const override { return rows.size() * width_ * static_cast<Index>(sizeof(double)); }
  double constant_scale() const override;
  void constant_magnitudes(Rows rows, VectorRef out) const override;
  void add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                         VectorRef gradient_sizes) const override;
  void convexity_defects(Rows rows, VectorRef defects) const override { defects.head(rows.size()).setZero(); }
  void validate() const override;
  RecessionCone recession_cone() const override;

 protected:
  Index uses_of_number() const override { return order_; }
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
  const double* point(Index i) const { return points_.data() + i * width_; }
  /// q_i as given
  void fill_stored(Index i, Eigen::Map<Vector> q) const;
  /// q_i, or R q_i
  void fill_point(Index i, Eigen::Map<Vector> q) const;
  bool transformed() const { return R_.size() > 0; }
  /// out_k = q_k'D q_k, D = smat(d) (R'smat(d)R). Slopes are computed from this alone, without b.
  void block_forms(const double* d, Rows rows, double* out) const;

  Index m_, order_, width_, dimension_;
  bool lifted_;
  Doubles points_, b_;
  Matrix R_;  // empty: the identity
};

}  // namespace pliant
