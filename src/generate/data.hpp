// Arrays of random numbers, filled in parallel, in memory or on their way to a file.
#pragma once

#include "generate/family.hpp"
#include "parallel/parallel.hpp"
#include "parallel/per_thread.hpp"
#include "pliant/problem.hpp"

#include <functional>
#include <initializer_list>
#include <memory>
#include <vector>

namespace pliant::generation {

inline constexpr Index kMaxRowChunks = 256;

/// f(i) for i = 0..rows-1, in parallel; each call writes about `numbers_per_row` numbers.
template <class F>
void for_each_row(Index rows, Index numbers_per_row, F f) {
  const Index bytes = rows * numbers_per_row * static_cast<Index>(sizeof(double));
  parallel::for_chunks(parallel::make_chunks(rows, bytes, kMaxRowChunks), [&](Index, Index begin, Index end) {
    for (Index i = begin; i < end; ++i) f(i);
  });
}

/// The number of entries of an array of this shape; throws InputError if it is absurdly large.
Index checked_size(std::initializer_list<Index> shape);

/// Rows given by a rule: made at once and kept in memory, or made again whenever they are needed while the instance is
/// being written (Parameters::deferred). The rule is the same, and so are the numbers.
template <class T>
class RowArray {
 public:
  using Rule = std::function<void(Index i, T* row)>;

  RowArray(const Parameters& p, Index rows, Index row_size, Rule rule) : row_size_(row_size), rule_(std::move(rule)) {
    const Index size = checked_size({rows, row_size});
    if (p.deferred() != nullptr) {
      shared_ = p.deferred()->add<T>(rows, row_size, rule_);
      return;
    }
    // Not initialised, so that the threads that fill the pages also touch them first.
    data_ = std::make_shared_for_overwrite<T[]>(static_cast<std::size_t>(size));
    for_each_row(rows, row_size, [&](Index i) { rule_(i, data_.get() + i * row_size); });
    shared_ = SharedArray<T>(data_.get(), size, data_);
  }

  const SharedArray<T>& share() const { return shared_; }

  /// Row i. Valid until this thread asks for another row of this type.
  const T* row(Index i) const {
    if (data_ != nullptr) return data_.get() + i * row_size_;
    auto& made = parallel::per_thread<std::vector<T>>();
    made.resize(static_cast<std::size_t>(row_size_));
    rule_(i, made.data());
    return made.data();
  }

 private:
  Index row_size_;
  Rule rule_;
  std::shared_ptr<T[]> data_;  // null: made when needed
  SharedArray<T> shared_;
};

using NumberRows = RowArray<double>;
using IndexRows = RowArray<Index>;

inline Eigen::Map<Vector> as_vector(double* data, Index n) { return {data, n}; }
inline Eigen::Map<const Vector> as_vector(const double* data, Index n) { return {data, n}; }

enum class RowNorm { free, unit };

/// rows x cols numbers, row i = scale * N(0, I) from row i of the stream, divided by its norm if `unit`.
NumberRows normal_rows(const Parameters& p, Label stream, Index rows, Index cols, RowNorm norm, double scale = 1.0);

/// One number per row: rule(i).
NumberRows column(const Parameters& p, Index rows, std::function<double(Index i)> rule);

/// lo + (hi - lo) U(0,1), entry after entry, `per_row` of them in each row.
NumberRows uniform_rows(const Parameters& p, Label stream, Index rows, Index per_row, double lo, double hi);

/// The least of f(i), i = 0..rows-1, where each call reads about `numbers_per_row` numbers; infinite without rows.
double least(Index rows, Index numbers_per_row, const std::function<double(Index i)>& f);

Vector normal_vector(const random::Stream& stream, Index n);
Vector unit_vector(const random::Stream& stream, Index n);

/// A CSR matrix with `value` on the diagonal.
DataMatrix scaled_identity(Index n, double value);
DataMatrix diagonal_matrix(const Vector& diagonal);

/// Adds mu/2 |x|^2 + c'x with c = 3 N(0, I), a pull towards a random side of the feasible set.
void minimize_random_square(Problem& problem, double mu, const random::Stream& cost);

/// Standard deviation of the entries of c.
inline constexpr double kCostScale = 3.0;

}  // namespace pliant::generation
