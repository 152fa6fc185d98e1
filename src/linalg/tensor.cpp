#include "pliant/tensor.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace pliant {
namespace {

std::string describe(const std::vector<Index>& shape) {
  return shape.size() == 1 ? fmt::format("({},)", shape[0]) : fmt::format("({})", fmt::join(shape, ", "));
}

Index entries(const std::vector<Index>& shape) {
  Index count = 1;
  for (const Index size : shape) {
    if (size < 0) throw InputError(fmt::format("array of shape {}: sizes must not be negative", describe(shape)));
    if (__builtin_mul_overflow(count, size, &count)) {
      throw InputError(fmt::format("array of shape {}: more entries than any memory holds", describe(shape)));
    }
  }
  return count;
}

std::vector<Index> shape_of(std::span<const Matrix> matrices) {
  const Index rows = matrices.empty() ? 0 : matrices[0].rows();
  const Index cols = matrices.empty() ? 0 : matrices[0].cols();
  for (std::size_t i = 0; i < matrices.size(); ++i) {
    if (matrices[i].rows() == rows && matrices[i].cols() == cols) continue;
    throw InputError(fmt::format("matrix {} of {}: expected {} x {} entries as in matrix 0, got {} x {}", i,
                                 matrices.size(), rows, cols, matrices[i].rows(), matrices[i].cols()));
  }
  return {static_cast<Index>(matrices.size()), rows, cols};
}

Doubles values_of(std::span<const Matrix> matrices) {
  std::vector<double> values;
  for (const Matrix& matrix : matrices) {
    const std::size_t begin = values.size();
    values.resize(begin + static_cast<std::size_t>(matrix.size()));
    Eigen::Map<RowMajorMatrix>(values.data() + begin, matrix.rows(), matrix.cols()) = matrix;
  }
  return values;
}

}  // namespace

Tensor::Tensor(std::vector<Index> shape, Doubles values) : shape_(std::move(shape)), values_(std::move(values)) {
  if (const Index expected = entries(shape_); expected != values_.size()) {
    throw InputError(
        fmt::format("array of shape {}: expected {} entries, got {}", describe(shape_), expected, values_.size()));
  }
}

Tensor::Tensor(std::span<const Matrix> matrices) : Tensor(shape_of(matrices), values_of(matrices)) {}

std::string Tensor::describe_shape() const { return describe(shape_); }

}  // namespace pliant
