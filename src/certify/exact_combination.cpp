#include "certify/exact_combination.hpp"

#include "certify/row_combination.hpp"
#include "cones/cone_checks.hpp"
#include "constraints/linear.hpp"
#include "linalg/orthogonal_factor.hpp"
#include "linalg/rounding.hpp"
#include "linalg/verified_solve.hpp"
#include "pliant/regularizers.hpp"

#include <Eigen/QR>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

double largest_of(ConstVectorRef multipliers, const std::vector<Vector>& cones) {
  double largest = multipliers.size() > 0 ? multipliers.maxCoeff() : 0.0;
  for (const Vector& z : cones) largest = std::max(largest, z.size() > 0 ? z.cwiseAbs().maxCoeff() : 0.0);
  return largest;
}

// False if a row is not linear, or there are too many.
bool gather(const Problem& problem, const ConstraintSystem& system, ConstVectorRef multipliers,
            const std::vector<Vector>& cones, RowCombination& out) {
  const double least = kMultiplierShare * largest_of(multipliers, cones);
  const Index most = kMostCombinationEntries / problem.dimension();
  for (Index s = 0; s < system.segments(); ++s) {
    const LinearRows* batch = system.batch(s).linear_rows();
    for (Index i = 0; i < system.batch(s).size(); ++i) {
      const double lambda = multipliers[system.segment_begin(s) + i];
      if (!(lambda > least)) continue;
      if (batch == nullptr || out.size() >= most) return false;
      const LinearRows::Side side = batch->side(i);
      // Sides of equalities may change places.
      const bool any_sign = system.segment_begin(s) >= system.inequalities();
      out.add(side.sign * batch->matrix().row(side.row), batch->constant(i), lambda, any_sign);
    }
  }
  bool linear = true;
  for (std::size_t k = 0; k < cones.size() && k < problem.conic().size(); ++k) {
    const ConicConstraint& conic = problem.conic()[k];
    for_each_cone(conic, [&](const Cone& cone, Index begin) {
      for (Index i = begin; i < begin + cone.rows; ++i) {
        const bool zero = cone.kind == ConeKind::zero;
        const double z = zero ? std::abs(cones[k][i]) : cones[k][i];
        if (!(z > least) && (zero || cone.kind == ConeKind::nonnegative || z == 0.0)) continue;
        linear = linear && (zero || cone.kind == ConeKind::nonnegative) && out.size() < most;
        if (linear) out.add(conic.G.row(i), conic.h[i], cones[k][i], zero);
      }
    });
  }
  return linear && out.size() > 0;
}

// Variables on which the combination has to vanish: no bound stops it there, or it is meant to be 0.
std::vector<bool> must_vanish(const Matrix& G, const Vector& lambda, const ProxTerm& prox, double meant_zero) {
  const SeparableParameters* p = separable_parameters(prox);
  std::vector<bool> out(static_cast<std::size_t>(G.rows()));
  for (Index j = 0; j < G.rows(); ++j) {
    const double g = G.row(j).dot(lambda), size = G.row(j).cwiseAbs().dot(lambda.cwiseAbs());
    const bool lower = p != nullptr && !p->lo.empty() && p->lo[j] > -kInfinity;
    const bool upper = p != nullptr && !p->hi.empty() && p->hi[j] < kInfinity;
    const bool stopped = g > 0.0 ? lower : upper;
    out[static_cast<std::size_t>(j)] =
        size > 0.0 && !(lower && upper) && (!stopped || std::abs(g) <= meant_zero * size);
  }
  return out;
}

std::vector<Index> chosen_of(const std::vector<bool>& flags) {
  std::vector<Index> out;
  for (std::size_t j = 0; j < flags.size(); ++j) {
    if (flags[j]) out.push_back(static_cast<Index>(j));
  }
  return out;
}

// Multipliers as small fractions: contradictions of rows with few digits have such ones.
std::optional<EnclosedMultipliers> simple_multipliers(const Matrix& G, const Vector& lambda,
                                                      const std::vector<Index>& equations) {
  const double largest = lambda.cwiseAbs().maxCoeff(), least = lambda.cwiseAbs().minCoeff();
  for (const double unit : {0.0, largest, least, largest / 2.0, largest / 6.0, largest / 60.0, largest / 1024.0}) {
    const Vector simple = unit == 0.0 ? lambda : Vector((lambda / unit).array().round());
    if (!simple.allFinite() || simple.cwiseAbs().minCoeff() == 0.0) continue;
    const bool zero = std::all_of(equations.begin(), equations.end(),
                                  [&](Index j) { return exactly_orthogonal(G.row(j).transpose(), simple); });
    if (zero) return EnclosedMultipliers{simple, Vector::Zero(lambda.size())};
  }
  return std::nullopt;
}

}  // namespace

bool exact_combination_is_positive(const Problem& problem, const ConstraintSystem& system, ConstVectorRef multipliers,
                                   const std::vector<Vector>& cone_multipliers) {
  const ProxTerm& prox = problem.prox();
  if (separable_parameters(prox) == nullptr && group_parameters(prox) == nullptr) return false;  // bounded anyway
  RowCombination rows;
  if (!gather(problem, system, multipliers, cone_multipliers, rows)) return false;
  const Matrix G = rows.matrix();
  const Vector lambda = Eigen::Map<const Vector>(rows.lambda.data(), rows.size());
  const std::vector<bool> zero = must_vanish(G, lambda, prox, kMeantZero.front());
  const std::vector<Index> equations = chosen_of(zero);
  const FixedPart nothing(G.rows());
  const auto proves = [&](const std::optional<EnclosedMultipliers>& at) {
    return at && least_combination(rows, G, nothing, *at, zero, prox) > 0.0;
  };
  return proves(solve_for_zero(G, nothing, lambda, lambda.cwiseAbs(), equations)) ||
         proves(simple_multipliers(G, lambda, equations));
}

// lambda_i (1 - w_i) with the smallest w such that sum lambda_i w_i g_i is the combined gradient; again, since what is
// cut off at 0 and rounding leave a rest, and as long as that puts other entries on the wrong side.
std::optional<Vector> balance_multipliers(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                          ConstVectorRef multipliers, ConstVectorRef beside, double meant_zero) {
  constexpr int kRounds = 8, kRoundsOfLarge = 3;  // large: a factorisation takes more than a tenth of a second
  constexpr Index kLarge = kMostCombinationEntries / 8;
  const double least = kMultiplierShare * largest_of(multipliers, {});
  std::vector<Index> rows;
  for (Index i = 0; i < multipliers.size(); ++i) {
    if (multipliers[i] > least) rows.push_back(i);
  }
  const auto count = static_cast<Index>(rows.size());
  if (count == 0 || count * x.size() > kMostCombinationEntries) return std::nullopt;
  Matrix G = Matrix::Zero(x.size(), count);
  Vector lambda(count);
  Index segment = 0;
  for (Index k = 0; k < count; ++k) {
    const Index row = rows[static_cast<std::size_t>(k)];
    while (segment + 1 < system.segments() && system.segment_begin(segment + 1) <= row) ++segment;
    const Index own = row - system.segment_begin(segment);
    system.batch(segment).add_component_gradient(own, x, 1.0, G.col(k));
    system.charge(segment, Rows::range(own, 1));
    lambda[k] = multipliers[row];
  }
  // What cones add is one more column, whose multiplier stays 1.
  Matrix all(x.size(), count + 1);
  all << G, beside;
  Vector with(count + 1);
  with << lambda, 1.0;
  std::vector<bool> vanish(static_cast<std::size_t>(x.size()), false);
  const int rounds = count * x.size() > kLarge ? kRoundsOfLarge : kRounds;
  for (int round = 0; round < rounds; ++round) {
    with.head(count) = lambda;
    const std::vector<bool> now = must_vanish(all, with, problem.prox(), meant_zero);
    bool more = false;
    for (std::size_t j = 0; j < vanish.size(); ++j) {
      more = more || (now[j] && !vanish[j]);
      vanish[j] = vanish[j] || now[j];
    }
    const std::vector<Index> equations = chosen_of(vanish);
    const Matrix M = G(equations, Eigen::all);
    const Vector rest = M * lambda + beside(equations), size = M.cwiseAbs() * lambda;
    if (!more && !(rest.array().abs() > kUnitRoundoff * size.array()).any()) break;
    const Vector w = OrthogonalFactor(M * lambda.asDiagonal()).solve(rest);
    if (!w.allFinite()) return std::nullopt;
    lambda = lambda.cwiseProduct((1.0 - w.array()).max(0.0).matrix());
  }
  Vector out = Vector::Zero(multipliers.size());
  for (Index k = 0; k < count; ++k) out[rows[static_cast<std::size_t>(k)]] = lambda[k];
  return out;
}

std::optional<Vector> distance_to_equalities(const Problem& problem, ConstVectorRef d, const std::vector<bool>& fixed) {
  const DataMatrix& E = problem.equality_matrix();
  const Index n = problem.dimension();
  if (E.rows() == 0) return Vector(Vector::Zero(n));
  if (E.rows() * n > kMostCombinationEntries) return std::nullopt;
  std::vector<Index> open;
  for (Index j = 0; j < n; ++j) {
    if (!fixed[static_cast<std::size_t>(j)]) open.push_back(j);
  }
  Matrix rows(n, E.rows());
  bool exact = true;
  for (Index i = 0; i < E.rows(); ++i) {
    rows.col(i) = E.row(i);
    exact = exact && exactly_orthogonal(rows.col(i), d);
  }
  if (exact) return Vector(Vector::Zero(n));
  // E d' = 0 in the entries that may move, the others as they are.
  Matrix M(E.rows(), n);
  M = rows.transpose();
  const auto k = E.rows();
  if (static_cast<Index>(open.size()) < k) return std::nullopt;
  Matrix candidates(k, static_cast<Index>(open.size()));
  for (std::size_t c = 0; c < open.size(); ++c) {
    candidates.col(static_cast<Index>(c)) = M.col(open[c]) * std::max(std::abs(d[open[c]]), kMeantZero.front());
  }
  const Eigen::ColPivHouseholderQR<Matrix> qr(candidates);
  if (qr.rank() < k) return std::nullopt;
  std::vector<bool> basic(static_cast<std::size_t>(n), false);
  Matrix B(k, k);
  std::vector<Index> columns;
  for (Index c = 0; c < k; ++c) {
    columns.push_back(open[static_cast<std::size_t>(qr.colsPermutation().indices()[c])]);
    basic[static_cast<std::size_t>(columns.back())] = true;
    B.col(c) = M.col(columns.back());
  }
  Vector b = Vector::Zero(k), size = Vector::Zero(k);
  for (Index j = 0; j < n; ++j) {
    if (basic[static_cast<std::size_t>(j)]) continue;
    b -= d[j] * M.col(j);
    size += std::abs(d[j]) * M.col(j).cwiseAbs();
  }
  const double operations = static_cast<double>(n) + kAround;
  const auto found = verified_solve(B, b, size.unaryExpr([&](double s) { return rounding_error(operations, s); }));
  if (!found) return std::nullopt;
  Vector out = Vector::Zero(n);
  for (Index c = 0; c < k; ++c) {
    const Index j = columns[static_cast<std::size_t>(c)];
    out[j] = kInflation * (std::abs(found->value[c] - d[j]) + found->radius[c]) + kUnderflow;
  }
  return out;
}

}  // namespace pliant
