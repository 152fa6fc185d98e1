// CPU implementation of the batch contract from serial kernels over a block of rows.
//
// A family supplies kernels; this class cuts the rows into deterministic chunks (one thread each)
// and the chunks into blocks small enough to stay in cache, so that a sweep (values, then weights,
// then gradient of the same rows) reads memory once.
//
// A values kernel may leave intermediate results (P_i x, softmax weights) in `scratch`
// (scratch_per_row() numbers per row); gradient, norm and Hessian kernels receive that scratch for
// the same x and rows. Families with scratch_per_row() == 0 are called without a values kernel first.
//
// A family writes block_values, block_add_gradient, block_smoothness and block_add_hessian, what ConstraintBatch asks
// of its data, and prepare_line unless its rows are affine (docs/how-to/add-a-constraint-family.md).
#pragma once

#include "pliant/constraint_batch.hpp"

namespace pliant {

class RowBlockBatch : public ConstraintBatch {
 public:
  void read_values(ConstVectorRef x, Rows rows, VectorRef a, const WeightedGradient* sum) const final;
  void read_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                   const WeightedGradient* sum) const final;
  void read_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums) const final;
  void read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const override;
  /// Of families that are affine in x, from block_values and block_slopes; others must have their own.
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override;
  /// Chunked sums: the rows of a chunk one after the other, then a tree over the chunks.
  Index rounding_length(Rows rows) const override;
  double component_value(Index i, ConstVectorRef x) const override;
  void add_component_gradient(Index i, ConstVectorRef x, double w, VectorRef gradient) const override;

 protected:
  /// Numbers per row that block_values leaves for the other kernels.
  virtual Index scratch_per_row() const { return 0; }
  /// How often values and gradients use each stored number: threads share out work, not bytes.
  virtual Index uses_of_number() const { return 1; }
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

  /// f(k, gradient of rows[k]), one after the other.
  void for_each_gradient(const double* x, Rows rows, const double* scratch,
                         FunctionRef<void(Index k, ConstVectorRef gradient)> f) const;
  /// Runs f(begin, end) over deterministic chunks of the positions of `rows`.
  void for_row_chunks(Rows rows, FunctionRef<void(Index begin, Index end)> f) const;
  /// Runs f(k, partial) for the positions of `rows`, in the chunks of sums of vectors: out += sum of the partial ones.
  void reduce_rows(Rows rows, FunctionRef<void(Index k, double* partial)> f, VectorRef out) const;
  /// Roundings behind one entry of one gradient, or one value.
  virtual Index inner_length() const { return dimension() + kOwnRoundings; }
  static constexpr Index kOwnRoundings = 16;  ///< products, differences and the like around the sums
  /// How many of these rows stay in cache together.
  Index rows_per_block(Rows rows) const;
  /// Temporary memory of the calling thread for a kernel, two buffers of any size: asking again gives the same one. A
  /// RankUpdatePanel uses the first.
  static double* block_memory(Index size);
  static double* second_block_memory(Index size);

 private:
  Index rows_within(Rows rows, Index block_bytes) const;
  /// What reading these rows is worth, in bytes of a plain read.
  Index work(Rows rows) const { return uses_of_number() * bytes(rows); }
  /// How many chunks a sum over these rows is cut into at most, and what it is worth.
  struct Cut {
    Index most;
    Index work;
    Index block_bytes;
  };
  Cut vector_cut(Rows rows) const;
  /// A sum of n x n matrices and so many vectors.
  Cut matrix_cut(Rows rows, Index vectors) const;
  void add_gradient(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef gradient) const;
  void add_hessian(ConstVectorRef x, Rows rows, const HessianSum& sum) const;
  /// kernel(k, part, kept, unused, partial) adds block `part` (positions k, k+1, ...) into a partial sum of `dim`
  /// numbers; `kept` is the scratch of the kernels, `unused` room for values nobody wants. out += total.
  using BlockKernel = FunctionRef<void(Index k, Rows part, double* kept, double* unused, double* partial)>;
  /// A number per row by kernel(k, part, kept, unused), and the weighted sum of gradients in the same read.
  using NumbersKernel = FunctionRef<void(Index k, Rows part, double* kept, double* unused)>;
  void read_numbers(ConstVectorRef x, Rows rows, NumbersKernel kernel, const double* numbers,
                    const WeightedGradient* sum) const;
  void reduce_blocks(Rows rows, Index dim, const Cut& cut, BlockKernel kernel, double* out) const;
  const void* data_address() const;
};

}  // namespace pliant
