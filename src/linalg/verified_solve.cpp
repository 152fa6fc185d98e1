#include "linalg/verified_solve.hpp"

#include "linalg/rounding.hpp"

#include <Eigen/LU>

#include <cmath>

namespace pliant {

// With an approximate inverse Y and E >= |I - YM|, rounding included: |E| < 1 proves M regular, and from
// M^-1 = (I - (I - YM))^-1 Y follows |y - y0| <= |Y|r + |E|/(1 - |E|) max(|Y|r), r >= |b - M y0| (R. Krawczyk).
std::optional<EnclosedSolution> verified_solve(const Matrix& M, const Vector& b, const Vector& error) {
  constexpr double kLargestDefect = 0.5;
  const Index k = M.rows();
  const double operations = static_cast<double>(k) + 8.0;
  const Eigen::PartialPivLU<Matrix> lu(M);
  const Matrix Y = lu.inverse();
  if (!Y.allFinite() || !b.allFinite()) return std::nullopt;
  const Matrix size = Y.cwiseAbs() * M.cwiseAbs();
  const Matrix E =
      (Matrix::Identity(k, k) - Y * M).cwiseAbs() + gamma_of(operations) * kInflation * (size + Matrix::Identity(k, k));
  const double defect = kInflation * E.rowwise().sum().maxCoeff();
  if (!(defect < kLargestDefect)) return std::nullopt;
  EnclosedSolution out;
  out.value = lu.solve(b);
  out.value += lu.solve(b - M * out.value);
  const Vector residual = ((b - M * out.value).cwiseAbs() + error +
                           gamma_of(operations) * kInflation * (b.cwiseAbs() + M.cwiseAbs() * out.value.cwiseAbs()))
                              .array() +
                          kUnderflow;
  const Vector spread = kInflation * (Y.cwiseAbs() * residual);
  const double most = spread.maxCoeff();
  out.radius = (kInflation * (spread.array() + defect / (1.0 - defect) * most)).matrix();
  if (!out.value.allFinite() || !out.radius.allFinite()) return std::nullopt;
  return out;
}

// Products split into two exact parts, which join an expansion: a sum of numbers that do not overlap (J. R. Shewchuk).
bool exactly_orthogonal(const Vector& a, const Vector& b) {
  constexpr double kSmall = 1e-120, kLarge = 1e120;
  std::vector<double> expansion;
  const auto add = [&](double term) {
    std::vector<double> next;
    for (const double part : expansion) {
      const double sum = term + part;
      const double back = sum - term;
      const double rest = (term - (sum - back)) + (part - back);
      if (rest != 0.0) next.push_back(rest);
      term = sum;
    }
    if (term != 0.0) next.push_back(term);
    expansion = std::move(next);
  };
  for (Index k = 0; k < a.size(); ++k) {
    if (a[k] == 0.0 || b[k] == 0.0) continue;
    for (const double v : {a[k], b[k]}) {
      if (!(std::abs(v) > kSmall && std::abs(v) < kLarge)) return false;
    }
    const double product = a[k] * b[k];
    add(std::fma(a[k], b[k], -product));
    add(product);
  }
  return expansion.empty();
}

}  // namespace pliant
