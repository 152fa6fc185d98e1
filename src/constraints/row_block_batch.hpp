// CPU implementation of the batch contract from serial kernels over a block of rows.
//
// A family supplies kernels; this class cuts the rows into deterministic chunks (one thread each)
// and the chunks into blocks small enough to stay in cache, so that a sweep (values, then weights,
// then gradient of the same rows) reads memory once.
//
// A values kernel may leave intermediate results (P_i x, softmax weights) in `scratch`
// (scratch_per_row() numbers per row); gradient, norm and Hessian kernels receive that scratch for
// the same x and rows. Families with scratch_per_row() == 0 are called without a values kernel first.
#pragma once

#include "pliant/constraint_batch.hpp"

namespace pliant {

class RowBlockBatch : public ConstraintBatch {
 public:
  void values(ConstVectorRef x, Rows rows, VectorRef a) const final;
  void sweep(ConstVectorRef x, Rows rows, const WeightMap& map, VectorRef a, VectorRef w,
             VectorRef gradient) const final;
  void add_weighted_gradient(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef gradient) const final;
  void add_weighted_hessian(ConstVectorRef x, Rows rows, ConstVectorRef curvature, ConstVectorRef outer,
                            MatrixRef H) const final;
  void add_weighted_derivatives(ConstVectorRef x, Rows rows, ConstMatrixRef w, ConstVectorRef curvature,
                                ConstVectorRef outer, MatrixRef gradients, MatrixRef H) const final;
  void slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope) const final;
  void sweep_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, const WeightMap& map, VectorRef slope, VectorRef w,
                    VectorRef gradient) const final;
  void values_and_gradient_norms(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms) const final;
  void values_and_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms,
                         VectorRef smoothness) const override;
  double component_value(Index i, ConstVectorRef x) const override;
  void add_component_gradient(Index i, ConstVectorRef x, double w, VectorRef gradient) const override;

 protected:
  /// Numbers per row that block_values leaves for the other kernels.
  virtual Index scratch_per_row() const { return 0; }
  /// False for families whose functions must not be called from several threads (user callbacks).
  virtual bool concurrent() const { return true; }

  // Serial kernels. x has dimension() entries; a, w, norms, scratch belong to these rows.
  virtual void block_values(const double* x, Rows rows, double* a, double* scratch) const = 0;
  virtual void block_add_gradient(const double* x, Rows rows, const double* w, const double* scratch,
                                  double* gradient) const = 0;
  /// By default, as the slopes below, through the gradients.
  virtual void block_gradient_norms(const double* x, Rows rows, const double* scratch, double* norms) const;
  /// Upper bounds of the smoothness constants, from data that the values kernel has just read.
  virtual void block_smoothness(Rows rows, double* smoothness) const = 0;
  /// grad a_k(x)'d; by default through the gradients.
  virtual void block_slopes(const double* x, const double* d, Rows rows, const double* scratch, double* slopes) const;
  /// Lower triangle; rows with both weights 0 cost nothing.
  virtual void block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer,
                                 const double* scratch, MatrixRef H) const = 0;

  /// prepare_line and line_values of families that are affine in x, from block_values and block_slopes.
  void prepare_affine_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const;
  static void affine_line_values(const LineModel& line, double t, VectorRef a, VectorRef slope);
  /// f(k, gradient of rows[k]), one after the other.
  void for_each_gradient(const double* x, Rows rows, const double* scratch,
                         FunctionRef<void(Index k, ConstVectorRef gradient)> f) const;
  /// Runs f(begin, end) over deterministic chunks of the positions of `rows`.
  void for_row_chunks(Rows rows, FunctionRef<void(Index begin, Index end)> f) const;
  /// How many of these rows stay in cache together.
  Index rows_per_block(Rows rows) const;

 private:
  Index rows_within(Rows rows, Index block_bytes) const;
  /// `smoothness` may be null.
  void measure(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const;
  /// kernel(k, part, kept, unused, partial) adds block `part` (positions k, k+1, ...) into a partial sum of `dim`
  /// numbers; `kept` is the scratch of the kernels, `unused` room for values nobody wants. out += total.
  using BlockKernel = FunctionRef<void(Index k, Rows part, double* kept, double* unused, double* partial)>;
  void reduce_blocks(Rows rows, Index dim, Index max_chunks, BlockKernel kernel, double* out) const;
};

}  // namespace pliant
