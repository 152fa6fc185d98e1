// Random instances of every objective term, each with a plain long-double evaluation from raw data.
#pragma once

#include "pliant/objectives.hpp"
#include "support/random.hpp"

#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace pliant::testing {

/// CSR copy of the nonzero entries.
inline DataMatrix to_csr(const Matrix& M) {
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      if (M(i, j) == 0.0) continue;
      columns.push_back(j);
      values.push_back(M(i, j));
    }
    starts.push_back(static_cast<Index>(values.size()));
  }
  return DataMatrix::csr(M.rows(), M.cols(), std::move(starts), std::move(columns), std::move(values));
}

inline Matrix sparse_matrix(Random& random, Index rows, Index cols, double density) {
  Matrix M = random.matrix(rows, cols);
  for (double& t : M.reshaped()) {
    if (random.uniform() > density) t = 0.0;
  }
  return M;
}

struct Specimen {
  std::string name;
  TermPtr dense, sparse;  ///< the same data in both storages (linear: the same term)
  std::function<long double(const Vector&)> reference;
};

inline long double dot(const Matrix& A, Index i, const Vector& x, Index offset = 0) {
  long double sum = 0;
  for (Index j = 0; j < A.cols(); ++j) sum += static_cast<long double>(A(i, j)) * x[offset + j];
  return sum;
}

inline long double mean(Index count, const std::function<long double(Index)>& f) {
  long double sum = 0;
  for (Index i = 0; i < count; ++i) sum += f(i);
  return sum / static_cast<long double>(count);
}

inline std::vector<Specimen> term_zoo(std::uint64_t seed, Index rows, Index n) {
  Random random(seed);
  const Matrix A = sparse_matrix(random, rows, n, 0.4);
  const Vector b = random.vector(rows);
  Vector y(rows);
  for (double& t : y) t = random.uniform() < 0.5 ? -1.0 : 1.0;
  const Matrix B = sparse_matrix(random, n, n, 0.3);
  const Matrix P = B.transpose() * B + 0.1 * Matrix::Identity(n, n);
  const Vector q = random.vector(n);
  const double constant = random.normal();
  const double k = 0.7;
  const Index classes = 3;
  std::vector<Index> labels;
  for (Index i = 0; i < rows; ++i) labels.push_back(random.integer(0, classes - 1));

  std::vector<Specimen> zoo;
  const TermPtr linear_term = linear(to_array(q), constant);
  zoo.push_back({"linear", linear_term, linear_term, [=](const Vector& x) {
                   long double sum = constant;
                   for (Index j = 0; j < n; ++j) sum += static_cast<long double>(q[j]) * x[j];
                   return sum;
                 }});
  zoo.push_back({"quadratic", quadratic(DataMatrix::from(P), to_array(q)), quadratic(to_csr(P), to_array(q)),
                 [=](const Vector& x) {
                   long double sum = 0;
                   for (Index i = 0; i < n; ++i) sum += x[i] * (0.5L * dot(P, i, x) + q[i]);
                   return sum;
                 }});
  zoo.push_back({"least_squares", least_squares(DataMatrix::from(A), to_array(b)),
                 least_squares(to_csr(A), to_array(b)), [=](const Vector& x) {
                   return mean(rows, [&](Index i) {
                     const long double r = dot(A, i, x) - b[i];
                     return 0.5L * r * r;
                   });
                 }});
  zoo.push_back(
      {"logistic", logistic(DataMatrix::from(A), to_array(y)), logistic(to_csr(A), to_array(y)), [=](const Vector& x) {
         return mean(rows, [&](Index i) { return std::log1p(std::exp(-y[i] * dot(A, i, x))); });
       }});
  zoo.push_back(
      {"huber", huber(DataMatrix::from(A), to_array(b), k), huber(to_csr(A), to_array(b), k), [=](const Vector& x) {
         return mean(rows, [&](Index i) {
           const long double t = std::abs(dot(A, i, x) - b[i]);
           return t <= k ? 0.5L * t * t : k * t - 0.5L * k * k;
         });
       }});
  zoo.push_back({"multinomial", multinomial(DataMatrix::from(A), labels, classes),
                 multinomial(to_csr(A), labels, classes), [=](const Vector& x) {
                   return mean(rows, [&](Index i) {
                     long double sum = 0;
                     for (Index c = 0; c < classes; ++c) sum += std::exp(dot(A, i, x, c * n));
                     return std::log(sum) - dot(A, i, x, labels[static_cast<std::size_t>(i)] * n);
                   });
                 }});
  return zoo;
}

inline Vector gradient_of(const ObjectiveTerm& term, const Vector& x) {
  Vector g = Vector::Zero(x.size());
  term.add_gradient(x, 1.0, g);
  return g;
}

inline Matrix hessian_of(const ObjectiveTerm& term, const Vector& x) {
  Matrix H = Matrix::Zero(x.size(), x.size());
  term.add_hessian(x, 1.0, H);
  return H.selfadjointView<Eigen::Lower>();
}

}  // namespace pliant::testing
