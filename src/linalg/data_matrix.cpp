#include "pliant/data_matrix.hpp"

#include "linalg/row_products.hpp"
#include "parallel/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {
namespace {

using RowMajorMap = Eigen::Map<const RowMajorMatrix>;
using VectorMap = Eigen::Map<const Vector>;

// Rows copied together before a rank update, so that it runs as one matrix product.
constexpr Index kGramRows = 256;

// The first entry that is NaN or infinite, -1 if there is none. Read once, by all threads: the data may be a file.
Index first_not_finite(const Doubles& values) {
  constexpr Index kMaxChunks = 64;
  constexpr Index kBlock = 4096;  // small enough for the cache, so that a bad block is not fetched again
  const auto chunks =
      parallel::make_chunks(values.size(), values.size() * static_cast<Index>(sizeof(double)), kMaxChunks);
  std::vector<Index> found(static_cast<std::size_t>(chunks.count), -1);
  parallel::for_chunks(chunks, [&](Index chunk, Index begin, Index end) {
    for (Index block = begin; block < end; block += kBlock) {
      const Index count = std::min(kBlock, end - block);
      if (VectorMap(values.data() + block, count).allFinite()) continue;
      Index p = block;
      while (std::isfinite(values[p])) ++p;
      found[static_cast<std::size_t>(chunk)] = p;
      return;
    }
  });
  const auto first = std::find_if(found.begin(), found.end(), [](Index p) { return p >= 0; });
  return first == found.end() ? -1 : *first;
}

}  // namespace

DataMatrix DataMatrix::dense(Index rows, Index cols, Doubles values) {
  if (values.size() != rows * cols) {
    throw InputError(
        fmt::format("dense matrix: expected {} x {} = {} entries, got {}", rows, cols, rows * cols, values.size()));
  }
  DataMatrix m;
  m.rows_ = rows;
  m.cols_ = cols;
  m.values_ = std::move(values);
  return m;
}

DataMatrix DataMatrix::csr(Index rows, Index cols, Indices starts, Indices columns, Doubles values) {
  if (starts.size() != rows + 1) {
    throw InputError(fmt::format("CSR matrix: expected {} row starts, got {}", rows + 1, starts.size()));
  }
  if (columns.size() != values.size()) {
    throw InputError(fmt::format("CSR matrix: {} column indices but {} values", columns.size(), values.size()));
  }
  DataMatrix m;
  m.rows_ = rows;
  m.cols_ = cols;
  m.sparse_ = true;
  m.values_ = std::move(values);
  m.starts_ = std::move(starts);
  m.columns_ = std::move(columns);
  return m;
}

DataMatrix DataMatrix::from(const Eigen::Ref<const Matrix>& matrix) { return DataMatrix(matrix); }

DataMatrix DataMatrix::view(const double* data, Index rows, Index cols, Index row_stride, Index column_stride) {
  if ((rows > 1 && row_stride != cols) || (cols > 1 && column_stride != 1)) {
    throw InputError("view: expected a row-major matrix without gaps between its rows");
  }
  return dense(rows, cols, Doubles(data, rows * cols, nullptr));
}

DataMatrix DataMatrix::stack(const DataMatrix& above, const DataMatrix& below) {
  if (above.cols_ != below.cols_) {
    throw InputError(fmt::format("stacked matrices: expected {} columns, got {}", above.cols_, below.cols_));
  }
  const Index rows = above.rows_ + below.rows_;
  std::vector<double> values;
  if (!above.sparse_ && !below.sparse_) {
    values.reserve(static_cast<std::size_t>(rows * above.cols_));
    for (const DataMatrix* part : {&above, &below})
      values.insert(values.end(), part->values_.begin(), part->values_.end());
    return dense(rows, above.cols_, std::move(values));
  }
  std::vector<Index> starts{0}, columns;
  for (const DataMatrix* part : {&above, &below}) {
    for (Index i = 0; i < part->rows_; ++i) {
      part->for_each_entry(i, [&](Index column, double value) {
        columns.push_back(column);
        values.push_back(value);
      });
      starts.push_back(static_cast<Index>(values.size()));
    }
  }
  return csr(rows, above.cols_, std::move(starts), std::move(columns), std::move(values));
}

Index DataMatrix::bytes(Rows rows) const {
  constexpr Index kNumber = sizeof(double);
  if (!sparse_) return rows.size() * cols_ * kNumber;
  Index nonzeros = 0;
  if (rows.contiguous()) {
    nonzeros = rows.size() == 0 ? 0 : starts_[rows.first() + rows.size()] - starts_[rows.first()];
  } else {
    for (Index k = 0; k < rows.size(); ++k) nonzeros += starts_[rows[k] + 1] - starts_[rows[k]];
  }
  return nonzeros * (kNumber + static_cast<Index>(sizeof(Index))) + rows.size() * static_cast<Index>(sizeof(Index));
}

double DataMatrix::dot(Index row, const double* x) const {
  if (!sparse_) return VectorMap(values_.data() + row * cols_, cols_).dot(VectorMap(x, cols_));
  double sum = 0.0;
  for (Index p = starts_[row]; p < starts_[row + 1]; ++p) sum += values_[p] * x[columns_[p]];
  return sum;
}

void DataMatrix::axpy(Index row, double w, double* out) const {
  if (!sparse_) {
    Eigen::Map<Vector>(out, cols_) += w * VectorMap(values_.data() + row * cols_, cols_);
    return;
  }
  for (Index p = starts_[row]; p < starts_[row + 1]; ++p) out[columns_[p]] += w * values_[p];
}

Vector DataMatrix::row(Index i) const {
  Vector r = Vector::Zero(cols_);
  axpy(i, 1.0, r.data());
  return r;
}

void DataMatrix::multiply(const double* x, Rows rows, double* out) const {
  if (!sparse_) {
    row_products(values_.data(), cols_, rows, x, out);
    return;
  }
  for (Index k = 0; k < rows.size(); ++k) out[k] = dot(rows[k], x);
}

void DataMatrix::add_transposed(Rows rows, const double* w, double* out) const {
  if (!sparse_ && rows.contiguous()) {
    Eigen::Map<Vector>(out, cols_).noalias() +=
        RowMajorMap(values_.data() + rows.first() * cols_, rows.size(), cols_).transpose() * VectorMap(w, rows.size());
    return;
  }
  if (!sparse_) return add_weighted_rows(values_.data(), cols_, rows, w, out);
  for (Index k = 0; k < rows.size(); ++k) {
    if (w[k] != 0.0) axpy(rows[k], w[k], out);
  }
}

// Gathers sqrt|w_k| row_k of the rows that count into a panel and adds panel'panel, separately for
// positive and negative weights (negative ones do not occur in penalties, but the contract allows them).
void DataMatrix::add_gram(Rows rows, const double* w, MatrixRef H) const {
  if (sparse_) {
    for (Index k = 0; k < rows.size(); ++k) {
      if (w[k] == 0.0) continue;
      const Index begin = starts_[rows[k]];
      const Index end = starts_[rows[k] + 1];
      for (Index p = begin; p < end; ++p) {
        const double scaled = w[k] * values_[p];
        for (Index q = p; q < end; ++q) H(columns_[q], columns_[p]) += scaled * values_[q];
      }
    }
    return;
  }
  for (const double sign : {1.0, -1.0}) {
    Index next = 0;
    while (next < rows.size()) {
      const Index limit = std::min(kGramRows, rows.size());
      Eigen::Map<RowMajorMatrix> panel(parallel::scratch(parallel::Scratch::block, limit * cols_), limit, cols_);
      Index filled = 0;
      for (; next < rows.size() && filled < limit; ++next) {
        if (sign * w[next] <= 0.0) continue;
        panel.row(filled++) =
            std::sqrt(sign * w[next]) * VectorMap(values_.data() + rows[next] * cols_, cols_).transpose();
      }
      // Not BLAS: the serial OpenBLAS shares buffers between threads that call it at the same time.
      if (filled > 0) H.selfadjointView<Eigen::Lower>().rankUpdate(panel.topRows(filled).transpose(), sign);
    }
  }
}

void DataMatrix::squared_norms(Rows rows, double* out) const {
  for (Index k = 0; k < rows.size(); ++k) {
    const Index i = rows[k];
    const Index begin = sparse_ ? starts_[i] : i * cols_;
    const Index end = sparse_ ? starts_[i + 1] : begin + cols_;
    out[k] = VectorMap(values_.data() + begin, end - begin).squaredNorm();
  }
}

void DataMatrix::validate(std::string_view what) const {
  if (sparse_) {
    if (rows_ >= 0 && (starts_[0] != 0 || starts_[rows_] != values_.size())) {
      throw InputError(fmt::format("{}: row starts must run from 0 to the number of values {}", what, values_.size()));
    }
    for (Index i = 0; i < rows_; ++i) {
      if (starts_[i + 1] < starts_[i] || starts_[i + 1] > values_.size()) {
        throw InputError(fmt::format("{}: row starts decrease or leave the values at row {}", what, i));
      }
      for (Index p = starts_[i]; p < starts_[i + 1]; ++p) {
        if (columns_[p] < 0 || columns_[p] >= cols_) {
          throw InputError(fmt::format("{}: row {} has column {}, expected 0..{}", what, i, columns_[p], cols_ - 1));
        }
        if (p > starts_[i] && columns_[p] <= columns_[p - 1]) {
          throw InputError(fmt::format("{}: columns of row {} are not strictly ascending", what, i));
        }
      }
    }
  }
  const Index p = first_not_finite(values_);
  if (p < 0) return;
  Index row = sparse_ ? 0 : p / cols_;
  while (sparse_ && starts_[row + 1] <= p) ++row;
  throw InputError(fmt::format("{}: row {} contains {}, expected finite numbers", what, row, values_[p]));
}

}  // namespace pliant
