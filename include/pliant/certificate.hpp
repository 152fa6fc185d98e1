// The judge: how good is x? Everything is computed from the original data of the problem.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/settings.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace pliant {

/// Multipliers of a problem: lambda >= 0 per constraint of each batch, nu of each equality, z in the dual cone K* of
/// each conic constraint (L = F + lambda'a + nu'(Ex - e) + z'(Gx - h)).
struct Multipliers {
  std::vector<Vector> lambda;
  Vector nu;
  std::vector<Vector> cones{};  ///< one per conic constraint, or none at all: 0
};

/// What a lower bound is worth.
enum class BoundKind {
  proved,            ///< holds for the data as stored, in exact arithmetic
  proved_if_convex,  ///< does if all functions are convex, which is somebody's word
  estimate,          ///< none of this: tolerances decide, not a proof
};
std::string_view to_string(BoundKind kind);

struct LowerBound {
  double value = -kInfinity;
  BoundKind kind = BoundKind::estimate;
};

/// The problem that is meant where some rows only approximate their functions (approximation.hpp). Every other figure of
/// a certificate speaks of the rows as given.
struct MeantFunctions {
  Index rows = 0;      ///< so many rows are approximations
  double error = 0.0;  ///< the largest distance stated
  /// Norms of max(0, a_i(x)) over the functions meant by these rows: measured where their values are given, else bounded
  /// by those of the rows and the distances stated.
  double violation_l1 = 0.0, violation_l2 = 0.0, violation_linf = 0.0;
  bool measured = true;  ///< false: some of them are bounded
  /// sum lambda_i Delta_i over rows that may lie above what they stand for: so much lower is the bound for the problem
  /// meant, since F + sum lambda_i (given_i - Delta_i) <= F where all meant_i <= 0.
  double cost = 0.0;
  bool holds = true;  ///< false: at x some row is farther from what it stands for than stated; then nothing is proved
};

struct Certificate {
  double objective = 0.0;           ///< F(x)
  double lower_bound = -kInfinity;  ///< a lower bound of F*, or an estimate of one
  BoundKind lower_bound_kind = BoundKind::estimate;
  /// Norms of max(0, a_i(x)); for a cone a(x) = min {t : h - Gx + t e in K} (cones/distance.hpp).
  double violation_l1 = 0.0, violation_l2 = 0.0, violation_linf = 0.0;
  /// The same of max(0, a_i(x))/(1 + |constant term of row i|), one scale per cone: what tolerances refer to.
  double relative_l1 = 0.0, relative_l2 = 0.0, relative_linf = 0.0;
  double domain_violation = 0.0;       ///< distance of x from the domain of the prox term
  double domain_violation_rel = 0.0;   ///< each bound relative to 1 + its size
  double equality_residual = 0.0;      ///< |Ex - e|_inf, rows of zero cones included
  double equality_residual_rel = 0.0;  ///< each row relative to 1 + |e_i|
  double dual_residual = 0.0;          ///< |r|_inf, r the smallest subgradient of the Lagrangian at x
  double dual_residual_rel = 0.0;      ///< relative to 1 + |grad F|_inf
  LowerBound proof{};                  ///< what can be proved, however far below the objective
  double estimate = -kInfinity;        ///< as if bounds farther from x than its own size were none
  double estimate_residual = 0.0;      ///< the dual residual that goes with it, and relative as above
  double estimate_residual_rel = 0.0;
  /// sum lambda_i max(0, a_i(x)), cones and equalities included: about as far may F(x) lie below F* for the violation.
  double violation_worth = 0.0;
  /// So many times the tolerance of the gap it may be: engines work on feasibility and gap, not on their product, and
  /// interior points of LPs with 1e-9 left in rows of large multipliers are solutions to everybody.
  static constexpr double kMostWorth = 4.0;
  double constant_scale = 0.0;  ///< max |constant term|
  Index active = 0;             ///< constraints with a_i(x) >= -tolerance
  /// Of problems with approximated functions, once rounding has been taken off.
  std::optional<MeantFunctions> approximation{};

  bool lower_bound_rigorous() const { return lower_bound_kind == BoundKind::proved; }
  /// Presents the proof where it shows the tolerance or the estimate does not, else the estimate: a box that is too wide
  /// to prove anything is no reason to refuse a solution that would pass without it.
  void choose_bound(double tol_gap);
  /// The lower bound for the problem that is meant, and what it is worth; the same where nothing is approximated.
  LowerBound meant_bound() const;
  double gap_abs() const { return objective - lower_bound; }
  double gap_rel() const;
  double violation_rel() const { return relative_linf; }
  double violation(ViolationNorm norm) const;
  double violation_rel(ViolationNorm norm) const;
  /// The worst of constraints, equalities and domain, relative: at most tol_feas where x counts as feasible.
  double infeasibility(ViolationNorm norm) const;
  /// Within the tolerances of `settings` (contract: "optimal").
  bool satisfies(const Settings& settings) const;
};

/// Judges x with the given multipliers: one pass over the constraints. Negative ones count as 0, and those of cones are
/// moved into K* first.
Certificate certify(const Problem& problem, ConstVectorRef x, const Multipliers& multipliers,
                    double active_tolerance = 1e-6);

/// Judges x without multipliers: those that best explain x are not searched; the bound uses lambda = 0.
Certificate certify(const Problem& problem, ConstVectorRef x);

/// lambda = 0, nu = 0 in the right shapes.
Multipliers zero_multipliers(const Problem& problem);

/// A feasible point between x and a Slater point: x + v/(v+s)(slater - x), v = max a_i(x).
/// nullopt if `slater` is not strictly feasible or the problem has equalities it misses.
std::optional<Vector> feasible_from_slater(const Problem& problem, ConstVectorRef x, ConstVectorRef slater);

}  // namespace pliant
