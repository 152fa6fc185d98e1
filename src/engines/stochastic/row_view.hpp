// One row of a data matrix, for methods that touch a row at a time.
#pragma once

#include "pliant/data_matrix.hpp"

namespace pliant {

/// A data row, dense (columns == nullptr) or sparse.
struct RowView {
  const double* values = nullptr;
  const Index* columns = nullptr;
  Index count = 0;

  RowView() = default;
  RowView(const double* v, const Index* c, Index n) : values(v), columns(c), count(n) {}
  RowView(const DataMatrix& A, Index r) {
    if (!A.is_sparse()) {
      values = A.values().data() + r * A.cols();
      count = A.cols();
      return;
    }
    const Index begin = A.starts()[r];
    values = A.values().data() + begin;
    columns = A.columns().data() + begin;
    count = A.starts()[r + 1] - begin;
  }

  double dot(const double* x) const {
    using Map = Eigen::Map<const Vector>;
    if (columns == nullptr) return Map(values, count).dot(Map(x, count));
    double sum = 0.0;
    for (Index p = 0; p < count; ++p) sum += values[p] * x[columns[p]];
    return sum;
  }
  /// f(column, value) for the stored entries.
  template <class F>
  void for_each(const F& f) const {
    if (columns == nullptr) {
      for (Index p = 0; p < count; ++p) f(p, values[p]);
      return;
    }
    for (Index p = 0; p < count; ++p) f(columns[p], values[p]);
  }
  /// out += w row
  void add(double w, double* out) const {
    if (columns == nullptr) {
      Eigen::Map<Vector>(out, count) += w * Eigen::Map<const Vector>(values, count);
      return;
    }
    for (Index p = 0; p < count; ++p) out[columns[p]] += w * values[p];
  }
};

}  // namespace pliant
