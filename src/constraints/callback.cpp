#include "constraints/callback.hpp"

#include "constraints/stacked_rows.hpp"
#include "linalg/no_allocation.hpp"
#include "parallel/stop.hpp"
#include "pliant/batch_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant {
namespace {

using MatrixMap = Eigen::Map<Matrix>;
// The caller's functions may use this library themselves, so nothing handed to them lives in the
// scratch memory of the thread.
using Memory = std::vector<double>;

constexpr std::string_view kCallbackFunction = "callback_le";
// Rows whose gradients are held at a time along a line.
constexpr Index kGradientsHeld = 256;

// While a function of the caller runs. Loops of this library that it begins look at no limit of ours: what they would throw
// (parallel::Stopped) has no business in frames of other languages.
struct UsersFunctionScope {
  AllocationAllowedScope memory;
  parallel::StopScope undisturbed{nullptr};
};

// The rows of a block that have a weight, and those weights.
struct WantedRows {
  WantedRows(Rows all, const double* w) {
    for (Index k = 0; k < all.size(); ++k) {
      if (w[k] == 0.0) continue;
      indices.push_back(all[k]);
      weights.push_back(w[k]);
    }
    every_row = static_cast<Index>(indices.size()) == all.size();
    if (every_row) full = all;
  }
  Index size() const { return static_cast<Index>(indices.size()); }
  Rows rows() const { return every_row ? full : Rows::list(indices); }
  ConstVectorMap weight_vector() const { return {weights.data(), size()}; }

  std::vector<Index> indices;
  std::vector<double> weights;
  bool every_row = false;
  Rows full = Rows::range(0, 0);
};

// `list` names the argument the field is part of, where it is.
void expect_constant(std::string_view label, std::string_view list, std::string_view field, const Vector& values,
                     Index m, bool may_be_infinite) {
  expect_entries(label, fmt::format("{}{}", list, field), m, values.size());
  for (Index i = 0; i < m; ++i) {
    if (values[i] >= 0.0 && (may_be_infinite || values[i] < kInfinity)) continue;
    throw InputError(fmt::format("{} is {}, expected a number >= 0", constraint_label(label, field, i), values[i]));
  }
}

}  // namespace

CallbackBatch::CallbackBatch(Index m, Index n, CallbackFunctions functions, std::optional<RowConstants> constants,
                             std::optional<Approximation> approximates)
    : m_(m),
      n_(n),
      functions_(std::move(functions)),
      given_constants_(std::move(constants)),
      approximates_(std::move(approximates)) {
  expect_at_least(kCallbackFunction, "number of constraints", 0, m_);
  expect_at_least(kCallbackFunction, "number of variables", 1, n_);
  if (!functions_.values) throw InputError(fmt::format("{}: values: expected a function", kCallbackFunction));
  if (!functions_.jacobian) throw InputError(fmt::format("{}: jacobian: expected a function", kCallbackFunction));
}

BatchStructure CallbackBatch::structure() const {
  BatchStructure out;
  out.has_hessian = static_cast<bool>(functions_.hessian);
  out.approximates = approximates_ ? &*approximates_ : nullptr;
  return out;
}

void CallbackBatch::block_values(const double* x, Rows rows, double* a, double*) const {
  const UsersFunctionScope users_function;
  functions_.values(ConstVectorMap(x, n_), rows, VectorMap(a, rows.size()));
  for (Index k = 0; k < rows.size(); ++k) {
    if (!std::isnan(a[k])) continue;
    throw InputError(
        fmt::format("{} is nan", constraint_label(batch_label(kCallbackFunction, name), "value", rows[k])));
  }
}

void CallbackBatch::block_add_gradient(const double* x, Rows rows, const double* w, const double*,
                                       double* gradient) const {
  const WantedRows wanted(rows, w);
  if (wanted.size() == 0) return;
  Memory memory(static_cast<std::size_t>(wanted.size() * n_));
  MatrixMap J(memory.data(), wanted.size(), n_);
  const UsersFunctionScope users_function;
  functions_.jacobian(ConstVectorMap(x, n_), wanted.rows(), J);
  VectorMap(gradient, n_).noalias() += J.transpose() * wanted.weight_vector();
}

void CallbackBatch::block_gradient_norms(const double* x, Rows rows, const double*, double* norms) const {
  Memory memory(static_cast<std::size_t>(rows.size() * n_));
  MatrixMap J(memory.data(), rows.size(), n_);
  const UsersFunctionScope users_function;
  functions_.jacobian(ConstVectorMap(x, n_), rows, J);
  VectorMap(norms, rows.size()) = J.rowwise().norm();
}

void CallbackBatch::block_slopes(const double* x, const double* d, Rows rows, const double*, double* slopes) const {
  Memory memory(static_cast<std::size_t>(rows.size() * n_));
  MatrixMap J(memory.data(), rows.size(), n_);
  const UsersFunctionScope users_function;
  functions_.jacobian(ConstVectorMap(x, n_), rows, J);
  VectorMap(slopes, rows.size()).noalias() = J * ConstVectorMap(d, n_);
}

void CallbackBatch::block_smoothness(Rows rows, double* smoothness) const {
  for (Index k = 0; k < rows.size(); ++k) {
    smoothness[k] = given_constants_ ? given_constants_->smoothness[rows[k]] : kInfinity;
  }
}

void CallbackBatch::block_add_hessian(const double* x, Rows rows, const double* curvature, const double* outer,
                                      const double*, MatrixRef H) const {
  const ConstVectorMap point(x, n_);
  const WantedRows curved(rows, curvature);
  if (curved.size() > 0) {
    if (!functions_.hessian) {
      throw InputError(fmt::format("{}: hessian: not given, but the chosen method needs second derivatives",
                                   batch_label(kCallbackFunction, name)));
    }
    Memory memory(static_cast<std::size_t>(n_ * n_));
    MatrixMap sum(memory.data(), n_, n_);
    const UsersFunctionScope users_function;
    functions_.hessian(point, curved.weight_vector(), curved.rows(), sum);
    H.triangularView<Eigen::Lower>() += sum;
  }
  const WantedRows steep(rows, outer);
  if (steep.size() == 0) return;
  Memory memory(static_cast<std::size_t>(2 * steep.size() * n_));
  MatrixMap J(memory.data(), steep.size(), n_);
  MatrixMap weighted(memory.data() + steep.size() * n_, steep.size(), n_);
  const UsersFunctionScope users_function;
  functions_.jacobian(point, steep.rows(), J);
  weighted = steep.weight_vector().asDiagonal() * J;
  H.triangularView<Eigen::Lower>() += J.transpose() * weighted;
}

void CallbackBatch::prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const {
  line.count = rows.size();
  line.degree = -1;
  line.x = x;
  line.d = d;
  line.rows.resize(static_cast<std::size_t>(rows.size()));
  for (Index k = 0; k < rows.size(); ++k) line.rows[static_cast<std::size_t>(k)] = rows[k];
}

void CallbackBatch::line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const {
  if (line.count == 0) return;
  const bool contiguous = line.rows.back() - line.rows.front() + 1 == line.count;
  const Rows rows = contiguous ? Rows::range(line.rows.front(), line.count) : Rows::list(line.rows);
  Memory memory(static_cast<std::size_t>((std::min(kGradientsHeld, line.count) + 1) * n_));
  VectorMap point(memory.data(), n_);
  point = line.x + t * line.d;
  for (Index first = 0; first < line.count; first += kGradientsHeld) {
    const Rows part = rows.slice(first, std::min(kGradientsHeld, line.count - first));
    MatrixMap J(memory.data() + n_, part.size(), n_);
    const UsersFunctionScope users_function;
    functions_.values(point, part, a.segment(first, part.size()));
    functions_.jacobian(point, part, J);
    slope.segment(first, part.size()).noalias() = J * line.d;
  }
}

void CallbackBatch::validate() const {
  const std::string label = batch_label(kCallbackFunction, name);
  if (given_constants_) {
    expect_constant(label, "constants: ", "smoothness", given_constants_->smoothness, m_, false);
    expect_constant(label, "constants: ", "growth_constant", given_constants_->growth_constant, m_, true);
    expect_constant(label, "constants: ", "growth_slope", given_constants_->growth_slope, m_, false);
  }
  if (approximates_) expect_constant(label, "", "error", approximates_->error, m_, false);
}

std::string_view to_string(ApproximationSide side) {
  switch (side) {
    case ApproximationSide::both:
      return "both";
    case ApproximationSide::above:
      return "above";
    case ApproximationSide::below:
      return "below";
  }
  return "both";
}

ApproximationSide approximation_side(std::string_view text) {
  for (const auto side : {ApproximationSide::both, ApproximationSide::above, ApproximationSide::below}) {
    if (text == to_string(side)) return side;
  }
  throw InputError(fmt::format("{}: side: expected both, above or below, got '{}'", kCallbackFunction, text));
}

BatchPtr callback_le(Index m, Index n, CallbackFunctions functions, std::optional<RowConstants> constants,
                     std::optional<Approximation> approximates) {
  return std::make_shared<CallbackBatch>(m, n, std::move(functions), std::move(constants), std::move(approximates));
}

}  // namespace pliant
