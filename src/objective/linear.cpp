#include "objective/linear.hpp"

#include "checks/array_checks.hpp"
#include "linalg/sums.hpp"
#include "pliant/objectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {

LinearTerm::LinearTerm(Doubles c, double constant) : c_(std::move(c)), constant_(constant) {
  if (c_.empty()) throw InputError("linear: c is empty");
}

double LinearTerm::value(ConstVectorRef x) const {
  return constant_ + pairwise_sum(0, c_.size(), [&](Index j) { return c_[j] * x[j]; });
}

double LinearTerm::add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const {
  gradient += weight * Eigen::Map<const Vector>(c_.data(), c_.size());
  return value(x);
}

void LinearTerm::add_hessian(ConstVectorRef, double, MatrixRef) const {}

void LinearTerm::prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const {
  line.max_step = kInfinity;
  line.c0 = value(x);
  line.c1 = pairwise_sum(0, c_.size(), [&](Index j) { return c_[j] * d[j]; });
}

LinePoint LinearTerm::line_point(ObjectiveLine& line, double t) const { return {line.c0 + t * line.c1, line.c1}; }

double LinearTerm::component_value(Index, ConstVectorRef x) const { return value(x); }

void LinearTerm::add_component_gradient(Index, ConstVectorRef x, double weight, VectorRef gradient) const {
  add_gradient(x, weight, gradient);
}

double LinearTerm::lower_bound() const {
  const bool zero = std::all_of(c_.begin(), c_.end(), [](double t) { return t == 0.0; });
  return zero ? constant_ : -kInfinity;
}

double LinearTerm::add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const {
  const auto size = Eigen::Map<const Vector>(c_.data(), c_.size()).cwiseAbs();
  gradient_sizes += weight * size;
  return std::abs(constant_) + size.dot(x.cwiseAbs());
}

Growth LinearTerm::growth(ConstVectorRef, ConstVectorRef d) const {
  return {pairwise_sum(0, c_.size(), [&](Index j) { return c_[j] * d[j]; }), 0.0};
}

void LinearTerm::validate() const {
  expect_finite("linear: c", c_);
  if (!std::isfinite(constant_)) {
    throw InputError(fmt::format("linear: constant is {}, expected a finite number", constant_));
  }
}

TermPtr linear(Doubles c, double constant) { return std::make_shared<LinearTerm>(std::move(c), constant); }

}  // namespace pliant
