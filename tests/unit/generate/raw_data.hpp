// Access to the numbers of an instance and plain evaluations of its constraints, independent of the kernels.
#pragma once

#include "constraints/linear.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/quadratic.hpp"
#include "constraints/rank_one.hpp"
#include "objective/generalized_linear.hpp"
#include "objective/linear.hpp"
#include "objective/log_det.hpp"
#include "objective/quadratic.hpp"
#include "pliant/generate.hpp"
#include "support/cone_samples.hpp"
#include "support/symmetric.hpp"

#include <cmath>
#include <stdexcept>
#include <vector>

namespace pliant::testing {

template <class T>
const T& only_batch(const Problem& problem) {
  return dynamic_cast<const T&>(*problem.batches().at(0));
}

template <class T>
const T& term(const Problem& problem, std::size_t k = 0) {
  return dynamic_cast<const T&>(*problem.terms().at(k).term);
}

inline const DataMatrix& linear_matrix(const Problem& problem) { return only_batch<LinearBatch>(problem).matrix(); }
inline const Doubles& linear_rhs(const Problem& problem) { return only_batch<LinearBatch>(problem).upper(); }

inline Matrix to_dense(const DataMatrix& matrix) {
  Matrix out(matrix.rows(), matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i) out.row(i) = matrix.row(i).transpose();
  return out;
}

/// Every number that defines the instance, in a fixed order.
class Fingerprint {
 public:
  explicit Fingerprint(const Problem& problem) {
    for (const auto& t : problem.terms()) add_term(*t.term, t.weight);
    const SeparableParameters* prox = separable_parameters(problem.prox());
    if (prox == nullptr) throw std::logic_error("unexpected prox term");
    numbers_.push_back(prox->l1);
    numbers_.push_back(prox->l2);
    add(prox->lo);
    add(prox->hi);
    for (const BatchPtr& b : problem.batches()) add_batch(*b);
    for (std::size_t b = 0; b < problem.batches().size(); ++b) add(problem.caps(static_cast<Index>(b)));
    for (const ConicConstraint& conic : problem.conic()) {
      add(conic.G);
      add(conic.h);
      for (const Cone& cone : conic.cones) numbers_.push_back(static_cast<double>(cone.rows));
    }
    if (problem.has_equalities()) {
      add(problem.equality_matrix());
      add(problem.equality_rhs());
    }
    if (problem.slater_point) add(to_array(*problem.slater_point));
    if (problem.known_optimum) numbers_.push_back(problem.known_optimum->objective);
  }
  bool operator==(const Fingerprint&) const = default;
  std::size_t size() const { return numbers_.size(); }

 private:
  void add(const Doubles& values) { numbers_.insert(numbers_.end(), values.begin(), values.end()); }
  void add(const DataMatrix& matrix) {
    add(matrix.values());
    for (Index c : matrix.columns()) numbers_.push_back(static_cast<double>(c));
  }
  void add_term(const ObjectiveTerm& t, double weight) {
    numbers_.push_back(weight);
    if (const auto* linear_term = dynamic_cast<const LinearTerm*>(&t)) {
      add(linear_term->c());
    } else if (const auto* square = dynamic_cast<const QuadraticTerm*>(&t)) {
      add(square->P());
      add(square->q());
    } else if (const auto* fit = dynamic_cast<const LeastSquaresTerm*>(&t)) {
      add(fit->A());
      add(fit->b());
    } else if (const auto* volume = dynamic_cast<const LogDetTerm*>(&t)) {
      numbers_.push_back(static_cast<double>(volume->order()));
    } else {
      const auto& labels = dynamic_cast<const LogisticTerm&>(t);
      add(labels.A());
      add(labels.y());
    }
  }
  void add_batch(const ConstraintBatch& b) {
    if (const LinearRows* rows = b.linear_rows()) {
      add(rows->matrix());
      add(rows->upper());
      if (rows->two_sided()) add(rows->lower());
    } else if (const auto* dense = dynamic_cast<const QuadraticDenseBatch*>(&b)) {
      add(dense->P());
      add(dense->q());
      add(dense->r());
    } else if (const auto* factored = dynamic_cast<const QuadraticLowRankBatch*>(&b)) {
      add(factored->factors());
      add(factored->q());
      add(factored->r());
    } else if (const auto* rank_one = dynamic_cast<const RankOneBatch*>(&b)) {
      add(rank_one->points());
      add(rank_one->b());
    } else {
      const auto& composite = dynamic_cast<const LogSumExpBatch&>(b);
      add(composite.A());
      add(composite.b());
    }
  }

  std::vector<double> numbers_;
};

/// row . x of `count` numbers in extended precision.
inline long double exact_dot(const double* row, const Vector& x) {
  long double sum = 0.0L;
  for (Index j = 0; j < x.size(); ++j) sum += static_cast<long double>(row[j]) * x[j];
  return sum;
}

/// a_i(x) from the stored numbers.
inline Vector raw_values(const ConstraintBatch& b, const Vector& x) {
  const Index m = b.size();
  const Index n = x.size();
  Vector a(m);
  if (const auto* rows = dynamic_cast<const LinearBatch*>(&b)) {
    for (Index i = 0; i < m; ++i) {
      const Vector row = rows->matrix().row(i);
      a[i] = static_cast<double>(exact_dot(row.data(), x) - rows->upper()[i]);
    }
  } else if (const auto* dense = dynamic_cast<const QuadraticDenseBatch*>(&b)) {
    for (Index i = 0; i < m; ++i) {
      long double sum = exact_dot(dense->q().data() + i * n, x) + dense->r()[i];
      for (Index j = 0; j < n; ++j) sum += 0.5L * x[j] * exact_dot(dense->P().data() + (i * n + j) * n, x);
      a[i] = static_cast<double>(sum);
    }
  } else if (const auto* factored = dynamic_cast<const QuadraticLowRankBatch*>(&b)) {
    for (Index i = 0; i < m; ++i) {
      long double sum = exact_dot(factored->q().data() + i * n, x) + factored->r()[i];
      for (Index k = 0; k < factored->rank(); ++k) {
        const long double z = exact_dot(factored->factors().data() + (i * factored->rank() + k) * n, x);
        sum += 0.5L * z * z;
      }
      a[i] = static_cast<double>(sum);
    }
  } else if (const auto* rank_one = dynamic_cast<const RankOneBatch*>(&b)) {
    const LongMatrix X = long_smat(x, rank_one->order());
    for (Index i = 0; i < m; ++i) {
      Eigen::Matrix<long double, Eigen::Dynamic, 1> q = Eigen::Matrix<long double, Eigen::Dynamic, 1>::Ones(X.rows());
      for (Index j = 0; j < rank_one->width(); ++j) q[j] = rank_one->points()[i * rank_one->width() + j];
      a[i] = static_cast<double>(q.dot(X * q) - rank_one->b()[i]);
    }
  } else {
    const auto& composite = dynamic_cast<const LogSumExpBatch&>(b);
    for (Index i = 0; i < m; ++i) {
      long double sum = 0.0L;
      for (Index k = 0; k < composite.terms(); ++k) {
        const Index entry = i * composite.terms() + k;
        sum += std::exp(exact_dot(composite.A().data() + entry * n, x) + composite.b()[entry]);
      }
      a[i] = static_cast<double>(std::log(sum));
    }
  }
  return a;
}

/// The least eigenvalue of h - Gx over all cones (second-order and semidefinite ones).
inline double least_eigenvalue(const ConicConstraint& conic, const Vector& x) {
  double least = kInfinity;
  Index row = 0;
  for (const Cone& cone : conic.cones) {
    Vector s(cone.rows);
    for (Index i = 0; i < cone.rows; ++i, ++row) s[i] = conic.h[row] - conic.G.row(row).dot(x);
    least = std::min(
        least, cone.kind == ConeKind::second_order ? s[0] - s.tail(cone.rows - 1).norm() : psd_least_eigenvalue(s));
  }
  return least;
}

}  // namespace pliant::testing
