// Arrays of random numbers, filled in parallel.
#pragma once

#include "generate/random.hpp"
#include "parallel/parallel.hpp"
#include "pliant/problem.hpp"

#include <initializer_list>
#include <memory>

namespace pliant::generation {

/// Numbers that are written once and then shared read-only. Cache-line aligned and not initialised,
/// so that the threads that fill them also touch their pages first.
class Numbers {
 public:
  /// An array of the given shape; throws InputError if it is absurdly large.
  explicit Numbers(std::initializer_list<Index> shape);

  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  Index size() const { return size_; }
  double& operator[](Index i) { return data_[i]; }
  Doubles share() const { return Doubles(data_.get(), size_, data_); }

 private:
  Index size_;
  std::shared_ptr<double[]> data_;
};

/// f(i) for i = 0..rows-1, in parallel; each call writes about `numbers_per_row` numbers.
template <class F>
void for_each_row(Index rows, Index numbers_per_row, F f) {
  constexpr Index kMaxChunks = 256;
  const Index bytes = rows * numbers_per_row * static_cast<Index>(sizeof(double));
  parallel::for_chunks(parallel::make_chunks(rows, bytes, kMaxChunks), [&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) f(i);
  });
}

inline Eigen::Map<Vector> as_vector(double* data, Index n) { return {data, n}; }
inline Eigen::Map<const Vector> as_vector(const double* data, Index n) { return {data, n}; }

enum class RowNorm { free, unit };

/// rows x cols numbers, row i = scale * N(0, I) from row i of the stream, divided by its norm if `unit`.
Numbers normal_rows(const Stream& stream, Index rows, Index cols, RowNorm norm, double scale = 1.0);

/// lo + (hi - lo) U(0,1), entry after entry.
Numbers uniform_numbers(const Stream& stream, Index count, double lo, double hi);

Vector normal_vector(const Stream& stream, Index n);
Vector unit_vector(const Stream& stream, Index n);

/// A CSR matrix with `value` on the diagonal.
DataMatrix scaled_identity(Index n, double value);

/// Adds mu/2 |x|^2 + c'x with c = 3 N(0, I), a pull towards a random side of the feasible set.
void minimize_random_square(Problem& problem, double mu, const Stream& cost);

/// Standard deviation of the entries of c.
inline constexpr double kCostScale = 3.0;

}  // namespace pliant::generation
