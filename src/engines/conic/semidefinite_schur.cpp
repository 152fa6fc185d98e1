#include "engines/conic/semidefinite_schur.hpp"

#include "parallel/parallel.hpp"

#include <algorithm>

namespace pliant {
namespace {

// Flops of a matrix product cost about this share of those of short dot products.
constexpr double kProductCost = 0.1;
constexpr Index kMostChunks = 64;

using Entry = SemidefiniteBlock::Entry;

// Row k of H for one F_j, j = variables[k], against all F_i behind it.
class Column {
 public:
  Column(const SemidefiniteBlock& block, const Matrix& multiplier, const Matrix& inverse)
      : block_(block), multiplier_(multiplier), inverse_(inverse), place_(static_cast<std::size_t>(block.order), -1) {}

  void add(std::size_t k, Matrix& H) {
    gather(k);
    const double order = static_cast<double>(block_.order);
    const double asked = 2.0 * static_cast<double>(block_.starts.back() - block_.starts[k]);
    if (kProductCost * order * order < asked) {
      U_.noalias() = multiplier_rows_.transpose() * W_;
      add_row(k, H, [&](Index a, Index b) { return U_(a, b); });
    } else {
      add_row(k, H, [&](Index a, Index b) { return multiplier_rows_.col(a).dot(W_.col(b)); });
    }
  }

 private:
  const Entry& entry(Index p) const { return block_.entries[static_cast<std::size_t>(p)]; }

  // R, W = (F_j S^-1)_R and L_R.
  void gather(std::size_t k) {
    rows_.clear();
    const auto touch = [&](Index row) {
      Index& place = place_[static_cast<std::size_t>(row)];
      if (place >= 0) return;
      place = static_cast<Index>(rows_.size());
      rows_.push_back(row);
    };
    for (Index p = block_.starts[k]; p < block_.starts[k + 1]; ++p) {
      touch(entry(p).row);
      touch(entry(p).column);
    }
    // Columns of symmetric matrices are contiguous, their rows are not: W' first.
    across_.setZero(block_.order, static_cast<Index>(rows_.size()));
    for (Index p = block_.starts[k]; p < block_.starts[k + 1]; ++p) {
      const Entry& e = entry(p);
      across_.col(place_[static_cast<std::size_t>(e.row)]) += e.value * inverse_.col(e.column);
      if (e.row != e.column) across_.col(place_[static_cast<std::size_t>(e.column)]) += e.value * inverse_.col(e.row);
    }
    W_ = across_.transpose();
    for (std::size_t r = 0; r < rows_.size(); ++r) across_.col(static_cast<Index>(r)) = multiplier_.col(rows_[r]);
    multiplier_rows_ = across_.transpose();
    for (const Index row : rows_) place_[static_cast<std::size_t>(row)] = -1;
  }

  template <class U>
  void add_row(std::size_t k, Matrix& H, const U& u) const {
    const Index j = block_.variables[k];
    for (std::size_t l = k; l < block_.variables.size(); ++l) {
      double sum = 0.0;
      for (Index p = block_.starts[l]; p < block_.starts[l + 1]; ++p) {
        const Entry& e = entry(p);
        sum += e.value * (e.row == e.column ? u(e.row, e.row) : u(e.row, e.column) + u(e.column, e.row));
      }
      const Index i = block_.variables[l];
      H(std::max(i, j), std::min(i, j)) += sum;
    }
  }

  const SemidefiniteBlock& block_;
  const Matrix& multiplier_;
  const Matrix& inverse_;
  std::vector<Index> place_, rows_;
  Matrix across_, W_, multiplier_rows_, U_;
};

}  // namespace

void add_newton_matrix(const SemidefiniteBlock& block, const Matrix& multiplier, const Matrix& inverse, Matrix& H) {
  const auto count = static_cast<Index>(block.variables.size());
  const Index bytes = count * block.order * block.order * static_cast<Index>(sizeof(double));
  parallel::for_chunks(parallel::make_chunks(count, bytes, kMostChunks), [&](Index, Index begin, Index end) {
    Column column(block, multiplier, inverse);
    for (Index k = begin; k < end; ++k) column.add(static_cast<std::size_t>(k), H);
  });
}

}  // namespace pliant
