// Numbers with a shape: batches of vectors and matrices.
//
//   pliant::Tensor P({m, n, n}, values);   // m matrices of n x n, one after the other, each row by row
//   pliant::quadratic_le(P, q, r);         // q may be an Eigen matrix of m rows
//
// A function that takes tensors names the shape it expects where another comes.
#pragma once

#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"

#include <span>
#include <string>
#include <vector>

namespace pliant {

class Tensor {
 public:
  /// The numbers of an array of this shape, the last index running fastest; throws InputError if their count differs.
  Tensor(std::vector<Index> shape, Doubles values);

  /// An Eigen matrix, copied: shape (rows, columns).
  template <EigenMatrix Derived>
  Tensor(const Eigen::MatrixBase<Derived>& matrix)
      : Tensor({matrix.rows(), matrix.cols()}, DataMatrix(matrix).values()) {}
  /// Matrices of one shape, copied: shape (count, rows, columns); throws InputError naming the first that differs.
  Tensor(std::span<const Matrix> matrices);
  Tensor(const std::vector<Matrix>& matrices) : Tensor(std::span<const Matrix>(matrices)) {}

  const std::vector<Index>& shape() const { return shape_; }
  const Doubles& values() const { return values_; }

  /// "(2, 3, 3)"
  std::string describe_shape() const;

 private:
  std::vector<Index> shape_;
  Doubles values_;
};

}  // namespace pliant
