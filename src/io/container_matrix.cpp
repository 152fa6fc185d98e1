#include "io/container_matrix.hpp"

#include "pliant/svec.hpp"

#include <fmt/format.h>

namespace pliant::io {
namespace {

void check_structure(const Hdf5Place& place, Index rows, Index cols, const Indices& starts, const Indices& columns) {
  const Index count = columns.size();
  if (starts[0] != 0) place.at("indptr").fail(fmt::format("entry 0 is {}, expected 0", starts[0]));
  if (starts[rows] != count) {
    place.at("indptr").fail(fmt::format("the last entry is {}, expected {} = entries of data", starts[rows], count));
  }
  for (Index i = 0; i < rows; ++i) {
    if (starts[i + 1] < starts[i] || starts[i + 1] > count) {
      place.at("indptr").fail(fmt::format("entry {} is {}, expected {} to {}", i + 1, starts[i + 1], starts[i], count));
    }
    for (Index p = starts[i]; p < starts[i + 1]; ++p) {
      const Index least = p > starts[i] ? columns[p - 1] + 1 : 0;
      if (columns[p] < least || columns[p] >= cols) {
        place.at("indices").fail(fmt::format("row {}: column {} at entry {}, expected ascending columns from 0 to {}",
                                             i, columns[p], p, cols - 1));
      }
    }
  }
}

DataMatrix read_csr(Hdf5Reader group, Index rows, Index cols) {
  const std::vector<Index> shape = group.integers("shape", 2);
  if (shape[0] < 0 || shape[0] == std::numeric_limits<Index>::max() || (rows != kAny && shape[0] != rows) ||
      shape[1] != cols) {
    group.place().fail(fmt::format("expected shape ({}, {}), got ({}, {})", rows == kAny ? "any" : std::to_string(rows),
                                   cols, shape[0], shape[1]));
  }
  Indices starts = group.indices("indptr", {shape[0] + 1});
  Indices columns = group.indices("indices", {kAny});
  Doubles values = group.doubles("data", {columns.size()});
  group.done();
  check_structure(group.place(), shape[0], cols, starts, columns);
  return DataMatrix::csr(shape[0], cols, std::move(starts), std::move(columns), std::move(values));
}

}  // namespace

DataMatrix read_matrix(Hdf5Reader& parent, std::string_view name, Index rows, Index cols) {
  if (parent.has_group(name)) return read_csr(parent.group(name), rows, cols);
  const Shape shape = parent.shape(name, {rows, cols});
  return DataMatrix::dense(shape[0], shape[1], parent.doubles(name, shape));
}

void write_matrix(const Hdf5Writer& parent, std::string_view name, const DataMatrix& matrix) {
  if (!matrix.is_sparse()) {
    parent.doubles(name, {matrix.rows(), matrix.cols()}, matrix.values());
    return;
  }
  const Hdf5Writer group = parent.group(name);
  group.integers("shape", {matrix.rows(), matrix.cols()});
  group.indices("indptr", {matrix.rows() + 1}, matrix.starts());
  group.indices("indices", {matrix.nonzeros()}, matrix.columns());
  group.doubles("data", {matrix.nonzeros()}, matrix.values());
}

Index matrix_order(const Hdf5Reader& group, Index n) {
  const std::optional<Index> order = svec_order(n);
  if (!order) group.place().fail(fmt::format("expected n = p(p+1)/2 for a symmetric p x p matrix, got n = {}", n));
  return *order;
}

}  // namespace pliant::io
