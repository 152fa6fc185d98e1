// What the conformance tests share: one random instance of the family under test and references computed
// from its raw data.
#pragma once

#include "conformance/families.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant::testing {

class Conformance : public ::testing::TestWithParam<Family> {
 protected:
  static constexpr Index kRows = 37;
  static constexpr Index kDimension = 7;

  void build(Index m = kRows, Index n = kDimension) { instance_ = GetParam().make(random_, m, n); }

  const ConstraintBatch& batch() const { return *instance_.batch; }
  Index size() const { return batch().size(); }
  Index dimension() const { return batch().dimension(); }
  Rows all() const { return Rows::range(0, size()); }

  double value(Index i, const Vector& x) const {
    return static_cast<double>(instance_.value(i, x.cast<long double>()));
  }
  /// sum_k w_k a_{rows[k]}(x)
  long double weighted_value(Rows rows, const Vector& w, const LongVector& x) const {
    long double sum = 0.0L;
    for (Index k = 0; k < rows.size(); ++k) {
      if (w[k] != 0.0) sum += static_cast<long double>(w[k]) * instance_.value(rows[k], x);
    }
    return sum;
  }
  /// Central differences in extended precision: about ten digits.
  Vector reference_gradient(Rows rows, const Vector& w, const Vector& x) const {
    constexpr long double kStep = 1e-5L;
    Vector gradient(x.size());
    for (Index j = 0; j < x.size(); ++j) {
      LongVector up = x.cast<long double>(), down = up;
      up[j] += kStep;
      down[j] -= kStep;
      gradient[j] = static_cast<double>((weighted_value(rows, w, up) - weighted_value(rows, w, down)) / (2.0L * kStep));
    }
    return gradient;
  }
  Vector reference_gradient(Index i, const Vector& x) const {
    return reference_gradient(Rows::range(i, 1), Vector::Ones(1), x);
  }
  /// Second differences of sum_k w_k a_k: about seven digits.
  Matrix reference_curvature(Rows rows, const Vector& w, const Vector& x) const {
    constexpr long double kStep = 1e-4L;
    Matrix hessian(x.size(), x.size());
    const auto shifted = [&](Index i, long double s, Index j, long double t) {
      LongVector y = x.cast<long double>();
      y[i] += s * kStep;
      y[j] += t * kStep;
      return weighted_value(rows, w, y);
    };
    for (Index i = 0; i < x.size(); ++i) {
      for (Index j = 0; j <= i; ++j) {
        const long double difference =
            shifted(i, 1, j, 1) - shifted(i, 1, j, -1) - shifted(i, -1, j, 1) + shifted(i, -1, j, -1);
        hessian(i, j) = hessian(j, i) = static_cast<double>(difference / (4.0L * kStep * kStep));
      }
    }
    return hessian;
  }

  // The batch's own answers, as fresh vectors.
  Vector values(const Vector& x, Rows rows) const {
    Vector a(rows.size());
    batch().values(x, rows, a);
    return a;
  }
  Vector gradient(const Vector& x, Rows rows, const Vector& w) const {
    Vector g = Vector::Zero(dimension());
    batch().add_weighted_gradient(x, rows, w, g);
    return g;
  }
  Vector component_gradient(Index i, const Vector& x) const {
    Vector g = Vector::Zero(dimension());
    batch().add_component_gradient(i, x, 1.0, g);
    return g;
  }
  /// Lower triangle, zero above.
  Matrix hessian(const Vector& x, Rows rows, const Vector& curvature, const Vector& outer) const {
    Matrix H = Matrix::Zero(dimension(), dimension());
    batch().add_weighted_hessian(x, rows, curvature, outer, H);
    return H;
  }

  /// Random weights, a third of them zero, some negative.
  Vector weights(Index count) {
    Vector w = random_.vector(count);
    for (double& t : w) t = random_.uniform() < 1.0 / 3.0 ? 0.0 : t;
    return w;
  }
  /// About half of all rows, ascending.
  std::vector<Index> random_subset() {
    std::vector<Index> subset;
    for (Index i = 0; i < size(); ++i) {
      if (random_.uniform() < 0.5) subset.push_back(i);
    }
    return subset;
  }

  Random random_{1};
  Instance instance_;
};

/// max |a - b| <= tolerance (1 + max |b|); fails on NaN and on different sizes.
template <class A, class B>
::testing::AssertionResult near(const A& a, const B& b, double tolerance) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return ::testing::AssertionFailure() << "sizes differ";
  if (a.size() == 0) return ::testing::AssertionSuccess();
  const double error = (a - b).cwiseAbs().maxCoeff();
  const double scale = 1.0 + b.cwiseAbs().maxCoeff();
  if (a.allFinite() && b.allFinite() && error <= tolerance * scale) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "largest difference " << error << ", scale " << scale;
}

}  // namespace pliant::testing
