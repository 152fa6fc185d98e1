#include "objective/quadratic.hpp"

#include "checks/array_checks.hpp"
#include "linalg/rounding.hpp"
#include "linalg/shifted_cholesky.hpp"
#include "linalg/sums.hpp"
#include "parallel/parallel.hpp"
#include "pliant/objectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace pliant {
namespace {

using parallel::Scratch;

// Relative to max|P|: products computed by users are symmetric and semidefinite up to rounding only.
constexpr double kSymmetryTolerance = 1e-12;
// A computed product B'B lacks this much of being semidefinite, relative to n max|P|: what is proved to lack more is no
// matter of rounding. Estimates of eigenvalues alone have to be off by the second number.
constexpr double kConvexityRounding = 64.0 * std::numeric_limits<double>::epsilon();
constexpr double kConvexityTolerance = 1e-10;

double largest_entry(const DataMatrix& P) {
  double largest = 0.0;
  for (double value : P.values()) largest = std::max(largest, std::abs(value));
  return largest;
}

}  // namespace

QuadraticTerm::QuadraticTerm(DataMatrix P, Doubles q) : P_(std::move(P)), q_(std::move(q)) {
  if (P_.rows() != P_.cols()) {
    throw InputError(fmt::format("quadratic: P: expected a square matrix, got {} x {}", P_.rows(), P_.cols()));
  }
  if (P_.rows() == 0) throw InputError("quadratic: P is empty");
  expect_entries("quadratic: q", P_.rows(), q_.size());
}

void QuadraticTerm::multiply(ConstVectorRef x, double* out) const {
  constexpr Index kMostChunks = 64;
  const auto rows = [&](Index, Index begin, Index end) {
    P_.multiply(x.data(), Rows::range(begin, end - begin), out + begin);
  };
  parallel::for_chunks(parallel::make_chunks(P_.rows(), P_.bytes(), kMostChunks), std::ref(rows));
}

double QuadraticTerm::value(ConstVectorRef x) const {
  double* product = parallel::scratch(Scratch::kernel, dimension());
  multiply(x, product);
  return pairwise_sum(0, dimension(), [&](Index j) { return x[j] * (0.5 * product[j] + q_[j]); });
}

double QuadraticTerm::add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const {
  const Index n = dimension();
  double* product = parallel::scratch(Scratch::kernel, n);
  multiply(x, product);
  for (Index j = 0; j < n; ++j) gradient[j] += weight * (product[j] + q_[j]);
  return pairwise_sum(0, n, [&](Index j) { return x[j] * (0.5 * product[j] + q_[j]); });
}

Growth QuadraticTerm::growth(ConstVectorRef x, ConstVectorRef d) const {
  double* product = parallel::scratch(Scratch::kernel, dimension());
  multiply(d, product);
  const double slope = pairwise_sum(0, dimension(), [&](Index j) { return x[j] * product[j] + q_[j] * d[j]; });
  return {slope, pairwise_sum(0, dimension(), [&](Index j) { return d[j] * product[j]; })};
}

void QuadraticTerm::add_hessian(ConstVectorRef, double weight, MatrixRef H) const {
  for_each_entry(P_, [&](Index i, Index j, double value) {
    if (j <= i) H(i, j) += weight * value;
  });
}

// T(x + t d) = T(x) + t d'(Px + q) + t^2/2 d'Pd
void QuadraticTerm::prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const {
  const Index n = dimension();
  line.max_step = kInfinity;
  double* product = parallel::scratch(Scratch::kernel, n);
  multiply(x, product);
  line.c0 = pairwise_sum(0, n, [&](Index j) { return x[j] * (0.5 * product[j] + q_[j]); });
  line.c1 = pairwise_sum(0, n, [&](Index j) { return d[j] * (product[j] + q_[j]); });
  multiply(d, product);
  line.c2 = 0.5 * pairwise_sum(0, n, [&](Index j) { return d[j] * product[j]; });
}

LinePoint QuadraticTerm::line_point(ObjectiveLine& line, double t) const {
  return {line.c0 + t * (line.c1 + t * line.c2), line.c1 + 2.0 * t * line.c2};
}

double QuadraticTerm::component_value(Index, ConstVectorRef x) const { return value(x); }

void QuadraticTerm::add_component_gradient(Index, ConstVectorRef x, double weight, VectorRef gradient) const {
  add_gradient(x, weight, gradient);
}

// |x|'(|P||x|/2 + |q|) and |P||x| + |q|. Px stands for the gradient of 1/2 x'Px, which is (P + P')x/2: what asymmetry
// adds counts in units of the roundoff.
double QuadraticTerm::add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const {
  const Vector size_of_x = x.cwiseAbs();
  Vector product = Vector::Zero(dimension());
  for_each_entry(P_, [&](Index i, Index j, double value) {
    const double asymmetry = i == j ? 0.0 : std::abs(value - entry_of(P_, j, i)) * (0.5 / kUnitRoundoff);
    product[i] += (std::abs(value) + asymmetry) * size_of_x[j];
    if (asymmetry > 0.0 && entry_of(P_, j, i) == 0.0) product[j] += asymmetry * size_of_x[i];
  });
  const auto q = Eigen::Map<const Vector>(q_.data(), q_.size()).cwiseAbs();
  gradient_sizes += weight * (product + q);
  return (0.5 * product + q).dot(size_of_x);
}

// A row of Px, and the pairwise sum of the value.
Index QuadraticTerm::rounding_length() const {
  Index longest = P_.is_sparse() ? 0 : P_.cols();
  for (Index i = 0; P_.is_sparse() && i < P_.rows(); ++i) {
    longest = std::max<Index>(longest, P_.starts()[i + 1] - P_.starts()[i]);
  }
  return longest + std::min<Index>(dimension(), static_cast<Index>(kPairwise)) + kOwnRoundings;
}

double QuadraticTerm::lower_bound() const {
  const double q_squared = Eigen::Map<const Vector>(q_.data(), q_.size()).squaredNorm();
  if (q_squared == 0.0) return 0.0;
  const double mu = strong_convexity();
  if (!(mu > 0.0)) return -kInfinity;
  const double roundings = static_cast<double>(dimension() + 4);
  return -q_squared / (2.0 * mu) * (1.0 + roundings * std::numeric_limits<double>::epsilon());
}

void QuadraticTerm::validate() const {
  P_.validate("quadratic: P");
  expect_finite("quadratic: q", q_);
  const double scale = largest_entry(P_);
  validate_symmetry(kSymmetryTolerance * scale);
  for (Index j = 0; j < dimension(); ++j) {
    if (entry_of(P_, j, j) < 0.0) {
      throw InputError(fmt::format("quadratic: P is not convex (diagonal entry {} is {:.6g})", j, entry_of(P_, j, j)));
    }
  }
  double smallest = eigenvalues().smallest;
  bool convex = smallest >= -kConvexityTolerance * scale;
  if (convex && eigenvalues().defect > 0.0) {
    const double proved = proven_negative_curvature(P_);
    convex = proved >= -kConvexityRounding * static_cast<double>(dimension()) * scale;
    smallest = std::min(smallest, proved);
  }
  if (!convex) {
    throw InputError(fmt::format("quadratic: P is not convex (most negative eigenvalue {:.6g})", smallest));
  }
}

void QuadraticTerm::validate_symmetry(double tolerance) const {
  for_each_entry(P_, [&](Index i, Index j, double value) {
    const double mirrored = entry_of(P_, j, i);
    if (std::abs(value - mirrored) > tolerance) {
      throw InputError(fmt::format("quadratic: P is not symmetric: entry ({}, {}) is {}, entry ({}, {}) is {}", i, j,
                                   value, j, i, mirrored));
    }
  });
}

TermPtr quadratic(DataMatrix P, Doubles q) { return std::make_shared<QuadraticTerm>(std::move(P), std::move(q)); }

}  // namespace pliant
