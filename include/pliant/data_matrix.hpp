// A read-only data matrix, dense row-major or CSR, seen as a stack of rows.
//
// Linear constraints, equalities, generalised linear objective terms and quadratic forms all read
// their data through these kernels. They are serial and touch only the rows they are given: callers
// cut the rows into cache-sized blocks and spread those over threads (src/parallel).
#pragma once

#include "pliant/array.hpp"
#include "pliant/rows.hpp"
#include "pliant/types.hpp"

#include <string_view>

namespace pliant {

class DataMatrix {
 public:
  DataMatrix() = default;

  /// rows*cols numbers, row after row.
  static DataMatrix dense(Index rows, Index cols, Doubles values);
  /// CSR: row i holds columns[starts[i]..starts[i+1]) (ascending) with `values` beside them.
  static DataMatrix csr(Index rows, Index cols, Indices starts, Indices columns, Doubles values);
  /// Copies an Eigen matrix.
  static DataMatrix from(const Eigen::Ref<const Matrix>& matrix);

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  bool is_sparse() const { return sparse_; }
  Index nonzeros() const { return values_.size(); }

  const Doubles& values() const { return values_; }
  const Indices& starts() const { return starts_; }
  const Indices& columns() const { return columns_; }

  /// Bytes of storage behind the given rows.
  Index bytes(Rows rows) const;
  Index bytes() const { return bytes(Rows::range(0, rows_)); }

  /// out_k = row_k . x
  void multiply(const double* x, Rows rows, double* out) const;
  /// out += sum_k w_k row_k
  void add_transposed(Rows rows, const double* w, double* out) const;
  /// Lower triangle of H += sum_k w_k row_k row_k^T (w_k = 0 skips the row).
  void add_gram(Rows rows, const double* w, MatrixRef H) const;
  /// out_k = |row_k|^2
  void squared_norms(Rows rows, double* out) const;

  double dot(Index row, const double* x) const;
  void axpy(Index row, double w, double* out) const;
  /// The row as a dense vector.
  Vector row(Index i) const;

  /// Throws InputError naming `what` if shape or entries are invalid (NaN, infinite, bad indices).
  void validate(std::string_view what) const;

 private:
  Index rows_ = 0;
  Index cols_ = 0;
  bool sparse_ = false;
  Doubles values_;
  Indices starts_;
  Indices columns_;
};

}  // namespace pliant
