// Rows of CSR, one after the other.
#pragma once

#include "pliant/data_matrix.hpp"

#include <utility>
#include <vector>

namespace pliant {

/// f(column, value) for the entries of a row that are not 0.
template <class F>
void for_each_entry(const DataMatrix& M, Index row, const F& f) {
  const Index begin = M.is_sparse() ? M.starts()[row] : row * M.cols();
  const Index end = M.is_sparse() ? M.starts()[row + 1] : begin + M.cols();
  for (Index p = begin; p < end; ++p) {
    if (M.values()[p] != 0.0) f(M.is_sparse() ? M.columns()[p] : p - begin, M.values()[p]);
  }
}

class CsrBuilder {
 public:
  explicit CsrBuilder(Index cols) : cols_(cols) {}

  Index rows() const { return static_cast<Index>(starts_.size()) - 1; }
  /// Columns ascend within a row.
  void entry(Index column, double value) {
    columns_.push_back(column);
    values_.push_back(value);
  }
  void entries(const DataMatrix& M, Index row, double factor) {
    for_each_entry(M, row, [&](Index column, double value) { entry(column, factor * value); });
  }
  void end_row() { starts_.push_back(static_cast<Index>(values_.size())); }

  DataMatrix take() {
    const Index count = rows();  // before the starts are gone
    return DataMatrix::csr(count, cols_, std::move(starts_), std::move(columns_), std::move(values_));
  }
  /// Dense where most entries are not 0: rows are then read without indices.
  DataMatrix take_as_stored_best() {
    constexpr double kMostlyFull = 0.5;  // above it numbers with indices, 16 bytes each, take more than all numbers
    const auto cells = static_cast<double>(rows()) * static_cast<double>(cols_);
    if (static_cast<double>(values_.size()) <= kMostlyFull * cells) return take();
    std::vector<double> dense(static_cast<std::size_t>(rows() * cols_), 0.0);
    for (Index i = 0; i < rows(); ++i) {
      for (Index p = starts_[static_cast<std::size_t>(i)]; p < starts_[static_cast<std::size_t>(i) + 1]; ++p) {
        dense[static_cast<std::size_t>(i * cols_ + columns_[static_cast<std::size_t>(p)])] =
            values_[static_cast<std::size_t>(p)];
      }
    }
    return DataMatrix::dense(rows(), cols_, std::move(dense));
  }

 private:
  Index cols_;
  std::vector<Index> starts_{0}, columns_;
  std::vector<double> values_;
};

}  // namespace pliant
