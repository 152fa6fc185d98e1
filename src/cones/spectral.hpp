// The eigenvalues of many cones as constraints: spectral softplus.
//
// Row i r + j is the j-th largest eigenvalue of cone i (cones/eigen_frame.hpp), r the rank. A cone holds exactly if its
// first row is <= 0. The other rows are not convex by themselves, but every sum over a whole cone of an increasing
// convex function of its eigenvalues is convex and smooth (as the function is), which is all a penalty needs: weights
// passed to the operations below are those of one function. There are no constants: one eigenvalue alone is not smooth. Rows of one cone are always taken together
// (ConstraintBatch::group).
//
// Multipliers live in the dual cone: lambda_j of the rows at x stand for z = sum lambda_j e_j(x). Away from x that is
// the point of the dual cone that counts.
#pragma once

#include "cones/cone_block.hpp"
#include "pliant/constraint_batch.hpp"

namespace pliant {

class SpectralBatch final : public ConstraintBatch {
 public:
  explicit SpectralBatch(ConeBlock cones) : cones_(std::move(cones)) {}

  std::string_view family() const override;
  Index size() const override { return cones_.cones() * rank(); }
  Index dimension() const override { return cones_.dimension(); }
  BatchStructure structure() const override;
  Index bytes(Rows rows) const override;
  double constant_scale() const override { return cones_.constant_scale(); }
  void constant_magnitudes(Rows rows, VectorRef out) const override {
    for (Index k = 0; k < rows.size(); ++k) out[k] = cones_.constant_scale(rows[k] / rank());
  }

  void read_values(ConstVectorRef x, Rows rows, VectorRef a, const WeightedGradient* sum) const override;
  void read_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                   const WeightedGradient* sum) const override;
  void read_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums) const override;
  /// Eigenvalues have kinks: the norms are those of the steepest gradient anywhere, and nothing is left to curvature.
  void read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const override;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override;
  void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const override;
  void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const override;
  void validate() const override;

  const ConeBlock& cones() const { return cones_; }
  /// Values and sums of derivatives weighed by them in one read: `weigh(first, count)` fills the weights of `sums` for rows
  /// whose values stand in `a` by then, called once per block of whole cones, from several threads at once. `slacks` are
  /// left cone after cone.
  void read_values_and_derivatives(ConstVectorRef x, Rows rows, VectorRef a, VectorRef slacks,
                                   FunctionRef<void(Index first, Index count)> weigh, const DerivativeSums& sums) const;
  /// Points of the dual cones for multipliers of rows (whole cones) at x: shape().rows numbers for each cone.
  Vector dual_points(ConstVectorRef x, Rows rows, ConstVectorRef lambda) const;
  /// The same to first order at the end (t = 1) of a line of whole cones along which lambda_j moves with its eigenvalue
  /// by outer_j (slope_j + shift_j), moved into the dual cone.
  Vector dual_points_along(const LineModel& line, ConstVectorRef lambda, ConstVectorRef outer,
                           ConstVectorRef shift) const;
  /// The part z's of the Lagrangian and gradient += G'z, z the dual points of the cones behind rows; returns -sum z's.
  double add_dual_points(ConstVectorRef x, Rows rows, ConstVectorRef z, VectorRef gradient) const;

 private:
  Index rank() const { return cones_.shape().rank; }
  /// A few cones, decomposed.
  struct Block {
    Rows rows;            ///< of the batch
    Index position;       ///< of the first of them
    const double* a;      ///< their eigenvalues
    const double* s;      ///< slacks
    const double* frame;  ///< frames of the cones
  };
  /// f(block, partial) for blocks of whole cones, over threads; sums of `dim` numbers are added to `out`.
  void for_blocks(ConstVectorRef x, Rows rows, Index dim, FunctionRef<void(const Block&, double* partial)> f,
                  double* out) const;
  /// The sums of `read_derivatives`; `before` is called for every block ahead of its part of them.
  void sum_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums,
                       FunctionRef<void(const Block&)> before) const;
  void add_gradient(const Block& block, const double* w, double* gradient) const;
  void add_hessian(const Block& block, const double* curvature, const double* outer, MatrixRef H) const;
  /// The same of one cone that touches few columns, entry by entry; false if it touches many.
  bool add_sparse_hessian(Index cone, const double* basis, const double* weights, ConePatch& patch, MatrixRef H) const;
  void block_slopes(const Block& block, const double* d, double* slope) const;

  ConeBlock cones_;
};

}  // namespace pliant
