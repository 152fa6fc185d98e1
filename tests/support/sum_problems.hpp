// Finite sums with constraints of every shape, for tests of methods that sample components.
#pragma once

#include "pliant/problem.hpp"
#include "support/random.hpp"

#include <string>
#include <vector>

namespace pliant::testing {

/// About half of the entries of a random matrix, as CSR.
inline DataMatrix random_csr(Random& random, Index rows, Index cols) {
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      if (j == i % cols || random.uniform() < 0.4) {
        columns.push_back(j);
        values.push_back(random.normal());
      }
    }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  return DataMatrix::csr(rows, cols, Indices(std::move(starts)), Indices(std::move(columns)),
                         Doubles(std::move(values)));
}

inline std::vector<double> signs(Random& random, Index count) {
  std::vector<double> y(static_cast<std::size_t>(count));
  for (double& t : y) t = random.uniform() < 0.5 ? -1.0 : 1.0;
  return y;
}

/// P_i = B B' / n, q, r < 0, so that 0 is strictly feasible.
inline BatchPtr random_quadratic(Random& random, Index m, Index n) {
  std::vector<double> P, r;
  for (Index i = 0; i < m; ++i) {
    const Matrix B = random.matrix(n, n);
    const Matrix S = B * B.transpose() / static_cast<double>(n);
    P.insert(P.end(), S.data(), S.data() + S.size());
    r.push_back(-random.uniform(0.1, 1.0));
  }
  return quadratic_le(Tensor({m, n, n}, Doubles(std::move(P))), Tensor({m, n}, Doubles(random.numbers(m * n))),
                      Doubles(std::move(r)));
}

/// ln sum_k exp(A_k x + b_k) with a value between -1 and -0.1 at 0.
inline BatchPtr random_log_sum_exp(Random& random, Index m, Index n, Index terms = 3) {
  std::vector<double> b;
  for (Index i = 0; i < m; ++i) {
    const double value = random.uniform(0.1, 1.0);
    for (Index k = 0; k < terms; ++k) b.push_back(-std::log(static_cast<double>(terms)) - value);
  }
  return log_sum_exp_le(Tensor({m, terms, n}, Doubles(random.numbers(m * terms * n))),
                        Tensor({m, terms}, Doubles(std::move(b))));
}

/// Rows with 0 strictly feasible.
inline BatchPtr random_linear(Random& random, Index m, Index n) {
  std::vector<double> h(static_cast<std::size_t>(m));
  for (double& t : h) t = random.uniform(0.1, 1.0);
  return linear_le(DataMatrix::from(random.matrix(m, n)), Doubles(std::move(h)));
}

/// Every kind of term and of constraint at once.
inline Problem zoo(std::uint64_t seed) {
  Random random(seed);
  const Index n = random.integer(3, 8);
  const Matrix B = random.matrix(n, n);
  Problem p(n);
  p.minimize(least_squares(DataMatrix::from(random.matrix(20, n)), Doubles(random.numbers(20))), 0.7);
  p.minimize(logistic(random_csr(random, 15, n), Doubles(signs(random, 15))), 1.3);
  p.minimize(huber(DataMatrix::from(random.matrix(10, n)), Doubles(random.numbers(10)), 0.5));
  p.minimize(quadratic(DataMatrix::from(B * B.transpose() + 0.3 * Matrix::Identity(n, n)), Doubles(random.numbers(n))));
  p.minimize(linear(Doubles(random.numbers(n))));
  p.minimize(logistic(DataMatrix::from(random.matrix(4, n)), Doubles(signs(random, 4))), 0.0);  // of no weight
  p.regularize(l2_squared(n, 0.1));
  p.subject_to(random_linear(random, 12, n));
  std::vector<double> lo(9, -1.0), hi(9, 0.5);
  hi[3] = kInfinity;
  lo[5] = -kInfinity;
  p.subject_to(linear_range(Doubles(std::move(lo)), random_csr(random, 9, n), Doubles(std::move(hi))));
  p.subject_to(random_quadratic(random, 5, n));
  p.subject_to(random_log_sum_exp(random, 6, n));
  p.equal(DataMatrix::from(random.matrix(1, n)), Doubles({0.1}));
  return p;
}

}  // namespace pliant::testing
