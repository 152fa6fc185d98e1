// A read-only data matrix, dense row-major or CSR, seen as a stack of rows.
//
// Linear constraints, equalities, generalised linear objective terms and quadratic forms all read
// their data through these kernels. They are serial and touch only the rows they are given: callers
// cut the rows into cache-sized blocks and spread those over threads (src/parallel).
//
// Eigen matrices, dense or sparse and of either order, convert to it where a function takes one. They are copied, once;
// view() borrows a row-major one instead.
#pragma once

#include "pliant/array.hpp"
#include "pliant/rows.hpp"
#include "pliant/types.hpp"

#include <concepts>
#include <string_view>
#include <type_traits>
#include <vector>

namespace Eigen {
template <typename Scalar, int Options, typename StorageIndex>
class SparseMatrix;  // whoever has one includes <Eigen/SparseCore>
}

namespace pliant {

using RowMajorMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A matrix of Eigen or an expression of one.
template <class Derived>
concept EigenMatrix = std::is_same_v<typename Derived::Scalar, double>;
/// One that is stored row by row.
template <class Derived>
concept RowMajorStorage = EigenMatrix<Derived> && bool(Derived::IsRowMajor) &&
                          bool(Derived::Flags& Eigen::DirectAccessBit);

class DataMatrix {
 public:
  DataMatrix() = default;

  /// Copies an Eigen matrix or an expression of one.
  template <EigenMatrix Derived>
  DataMatrix(const Eigen::MatrixBase<Derived>& matrix) {
    std::vector<double> values(static_cast<std::size_t>(matrix.size()));
    Eigen::Map<RowMajorMatrix>(values.data(), matrix.rows(), matrix.cols()) = matrix.derived();
    *this = dense(matrix.rows(), matrix.cols(), std::move(values));
  }
  /// Copies an Eigen sparse matrix, compressed or not, into CSR.
  template <std::same_as<double> Scalar, int Options, class StorageIndex>
  DataMatrix(const Eigen::SparseMatrix<Scalar, Options, StorageIndex>& matrix) {
    Eigen::SparseMatrix<Scalar, Eigen::RowMajor, Index> rows(matrix);  // columns ascending
    rows.makeCompressed();
    *this =
        csr(rows.rows(), rows.cols(), std::vector<Index>(rows.outerIndexPtr(), rows.outerIndexPtr() + rows.rows() + 1),
            std::vector<Index>(rows.innerIndexPtr(), rows.innerIndexPtr() + rows.nonZeros()),
            std::vector<double>(rows.valuePtr(), rows.valuePtr() + rows.nonZeros()));
  }

  /// Borrows a row-major matrix: it must outlive everything made from it. Others do not compile, since they would have
  /// to be copied.
  template <RowMajorStorage Derived>
  static DataMatrix view(const Eigen::MatrixBase<Derived>& matrix) {
    const Derived& stored = matrix.derived();
    return view(stored.data(), stored.rows(), stored.cols(), stored.outerStride(), stored.innerStride());
  }
  /// rows*cols numbers, row after row.
  static DataMatrix dense(Index rows, Index cols, Doubles values);
  /// CSR: row i holds columns[starts[i]..starts[i+1]) (ascending) with `values` beside them.
  static DataMatrix csr(Index rows, Index cols, Indices starts, Indices columns, Doubles values);
  /// The same as the constructor, by name.
  static DataMatrix from(const Eigen::Ref<const Matrix>& matrix);
  /// The rows of both matrices, one after the other: CSR if one of them is.
  static DataMatrix stack(const DataMatrix& above, const DataMatrix& below);

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
  static DataMatrix view(const double* data, Index rows, Index cols, Index row_stride, Index column_stride);
  /// f(column, value) for the entries of a row that are stored and, of a dense one, not 0.
  template <class F>
  void for_each_entry(Index i, const F& f) const {
    const Index begin = sparse_ ? starts_[i] : i * cols_;
    const Index end = sparse_ ? starts_[i + 1] : begin + cols_;
    for (Index p = begin; p < end; ++p) {
      if (sparse_ || values_[p] != 0.0) f(sparse_ ? columns_[p] : p - begin, values_[p]);
    }
  }

  Index rows_ = 0;
  Index cols_ = 0;
  bool sparse_ = false;
  Doubles values_;
  Indices starts_;
  Indices columns_;
};

}  // namespace pliant
