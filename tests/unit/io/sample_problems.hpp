// Small matrices and a problem that uses every part of the container.
#pragma once

#include "pliant/problem.hpp"
#include "support/random.hpp"

#include <vector>

namespace pliant::testing {

inline DataMatrix dense_matrix(Random& random, Index rows, Index cols) {
  return DataMatrix::dense(rows, cols, random.numbers(rows * cols));
}

/// About half of the entries.
inline DataMatrix sparse_matrix(Random& random, Index rows, Index cols) {
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (random.uniform() < 0.5) continue;
      columns.push_back(j);
      values.push_back(random.normal());
    }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  return DataMatrix::csr(rows, cols, std::move(starts), std::move(columns), std::move(values));
}

inline DataMatrix sparse_diagonal(Random& random, Index n) {
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < n; ++i) {
    columns.push_back(i);
    values.push_back(random.uniform(0.5, 2.0));
    starts.push_back(i + 1);
  }
  return DataMatrix::csr(n, n, std::move(starts), std::move(columns), std::move(values));
}

/// B'B with a random square B: symmetric to the bit and positive semidefinite.
inline DataMatrix gram_matrix(Random& random, Index n) {
  const Matrix B = random.matrix(n, n);
  Matrix P = B.transpose() * B;
  P = (0.5 * (P + P.transpose())).eval();
  return DataMatrix::from(P);
}

inline Problem rich_problem() {
  Random random(11);
  const Index n = 4;
  Problem problem(n);
  problem.name = "every part";
  problem.minimize(quadratic(gram_matrix(random, n), random.numbers(n)), 0.5);
  problem.minimize(least_squares(sparse_matrix(random, 5, n), random.numbers(5)));
  problem.regularize(l1(n, 0.1)).regularize(box(std::vector<double>(4, -3.0), std::vector<double>(4, 3.0)));
  problem.subject_to(linear_le(dense_matrix(random, 6, n), random.numbers(6)), "dense rows");
  problem.subject_to(
      linear_range(std::vector<double>(3, -1.0), sparse_matrix(random, 3, n), std::vector<double>(3, 1.0)));
  problem.subject_to(quadratic_lowrank_le(Tensor({2, 1, n}, random.numbers(2 * n)),
                                          Tensor({2, n}, random.numbers(2 * n)), random.numbers(2)));
  problem.subject_to(log_sum_exp_le(Tensor({2, 3, n}, random.numbers(6 * n)), Tensor({2, 3}, random.numbers(6))));
  problem.equal(dense_matrix(random, 1, n), random.numbers(1));
  problem.start = random.vector(n);
  problem.slater_point = random.vector(n);
  problem.known_optimum = KnownOptimum{random.normal(), random.vector(n)};
  return problem;
}

}  // namespace pliant::testing
