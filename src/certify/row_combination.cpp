#include "certify/row_combination.hpp"

#include "linalg/rounding.hpp"
#include "linalg/verified_solve.hpp"
#include "pliant/regularizers.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace pliant {

void RowCombination::add(Vector row, double constant, double multiplier, bool any_sign, double largest) {
  g.push_back(std::move(row));
  h.push_back(constant);
  lambda.push_back(multiplier);
  cap.push_back(largest);
  free.push_back(any_sign);
}

Matrix RowCombination::matrix() const {
  Matrix out(g.front().size(), size());
  for (Index i = 0; i < size(); ++i) out.col(i) = g[static_cast<std::size_t>(i)];
  return out;
}

VariableBounds bounds_of(const ProxTerm& prox, Index j) {
  const SeparableParameters* p = separable_parameters(prox);
  if (p == nullptr || p->lo.empty()) return {};
  return {p->lo[j], p->hi[j]};
}

std::optional<EnclosedMultipliers> solve_for_zero(const Matrix& G, const FixedPart& fixed, const Vector& lambda,
                                                  const Vector& scale, const std::vector<Index>& equations) {
  EnclosedMultipliers out{lambda, Vector::Zero(lambda.size())};
  const auto k = static_cast<Index>(equations.size());
  if (k == 0) return out;
  if (lambda.size() < k) return std::nullopt;
  Matrix M(k, lambda.size());
  Vector b(k), size(k), error(k);
  for (Index i = 0; i < k; ++i) {
    const Index j = equations[static_cast<std::size_t>(i)];
    M.row(i) = G.row(j);
    b[i] = -fixed.gradient[j];
    size[i] = std::abs(b[i]);
    error[i] = fixed.gradient_error[j];
  }
  const Eigen::ColPivHouseholderQR<Matrix> qr(M * scale.asDiagonal());
  if (qr.rank() < k) return std::nullopt;
  std::vector<bool> basic(static_cast<std::size_t>(lambda.size()), false);
  Matrix B(k, k);
  for (Index c = 0; c < k; ++c) {
    const Index column = qr.colsPermutation().indices()[c];
    basic[static_cast<std::size_t>(column)] = true;
    B.col(c) = M.col(column);
  }
  for (Index i = 0; i < lambda.size(); ++i) {
    if (basic[static_cast<std::size_t>(i)]) continue;
    b -= lambda[i] * M.col(i);
    size += std::abs(lambda[i]) * M.col(i).cwiseAbs();
  }
  const double operations = static_cast<double>(lambda.size()) + kAround;
  error += size.unaryExpr([&](double s) { return rounding_error(operations, s); });
  const auto found = verified_solve(B, b, kInflation * error);
  if (!found) return std::nullopt;
  for (Index c = 0; c < k; ++c) {
    const Index column = qr.colsPermutation().indices()[c];
    out.lambda[column] = found->value[c];
    out.radius[column] = found->radius[c];
  }
  return out;
}

double least_combination(const RowCombination& rows, const Matrix& G, const FixedPart& fixed,
                         const EnclosedMultipliers& at, const std::vector<bool>& zero, const ProxTerm& prox) {
  for (Index i = 0; i < rows.size(); ++i) {
    const auto k = static_cast<std::size_t>(i);
    if (rows.free[k]) continue;
    if (!(at.lambda[i] - at.radius[i] >= 0.0) || !(rounded_up(at.lambda[i] + at.radius[i]) <= rows.cap[k])) {
      return -kInfinity;
    }
  }
  const Eigen::Map<const Vector> h(rows.h.data(), rows.size());
  const double operations = static_cast<double>(rows.size() + G.rows()) + kAround;
  double value = fixed.value - at.lambda.dot(h);
  double size = std::abs(fixed.value) + at.lambda.cwiseAbs().dot(h.cwiseAbs());
  const double doubt = kInflation * (fixed.value_error + at.radius.dot(h.cwiseAbs()));
  for (Index j = 0; j < G.rows(); ++j) {
    if (zero[static_cast<std::size_t>(j)]) continue;
    const double g = fixed.gradient[j] + G.row(j).dot(at.lambda);
    const double sizes = std::abs(fixed.gradient[j]) + G.row(j).cwiseAbs().dot(at.lambda.cwiseAbs());
    const double unknown = fixed.gradient_error[j] + G.row(j).cwiseAbs().dot(at.radius);
    if (sizes == 0.0 && unknown == 0.0) continue;  // nobody mentions the variable
    const double error = rounding_error(operations, sizes) + kInflation * unknown;
    const VariableBounds bounds = bounds_of(prox, j);
    double worst = kInfinity;
    for (const double end : {g - error, g + error}) {
      const double least = end == 0.0 ? 0.0 : end * (end > 0.0 ? bounds.lower : bounds.upper);
      worst = std::min(worst, least);
    }
    if (!std::isfinite(worst)) return -kInfinity;
    value += worst;
    size += std::abs(worst);
  }
  const double bound = value - doubt - rounding_error(operations, size);
  return std::isnan(bound) ? -kInfinity : bound;
}

}  // namespace pliant
