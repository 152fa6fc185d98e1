// Problems kept as the numbers they are made of, so that they can be evaluated in exact arithmetic beside the library.
#pragma once

#include "judge/exact_lp.hpp"
#include "judge/raw_soft.hpp"
#include "judge/raw_terms.hpp"
#include "pliant/certificate.hpp"
#include "pliant/problem.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pliant::judge {

/// 1/2 x'Px + q'x + r <= 0; P = B'B where a factor is given.
struct RawQuadratic {
  Matrix P, factor;
  Vector q;
  double r = 0.0;
};

/// h - Gx in one cone.
struct RawCone {
  ConeKind kind = ConeKind::nonnegative;
  Matrix G;
  Vector h;
  double alpha = 0.5;  ///< of a power cone
};

/// minimise 1/2 x'Px + q'x + constant + terms + prices + l1 |x|_1 + l2/2 |x|^2 + sum_k w_k |x_group k|_2 under rows, a
/// domain, quadratics, equalities and cones.
struct RawCase {
  explicit RawCase(Index variables) : n(variables), q(Vector::Zero(variables)) {}

  std::string family;
  Index n;
  bool sparse = false;  ///< matrices are handed over by rows of nonzeros
  Matrix P;             ///< empty: linear
  Vector q;
  double constant = 0.0;
  std::vector<RawTerm> terms;
  std::vector<RawSoftRows> soft_rows;
  std::vector<RawSoftCones> soft_cones;
  double l1 = 0.0, l2 = 0.0;
  std::vector<Index> groups;  ///< the group of each variable; empty: no such term
  Vector group_weights;
  Vector lo, hi;         ///< empty: no box
  double ball = 0.0;     ///< 0: no ball
  double simplex = 0.0;  ///< 0: no simplex
  Matrix G;              ///< row_lo <= Gx <= row_hi
  Vector row_lo, row_hi;
  std::vector<RawQuadratic> quadratics;
  std::vector<RawLogSumExp> log_sum_exps;
  std::optional<RawRankOne> rank_one;
  Matrix E;  ///< Ex = e
  Vector e;
  std::vector<RawCone> cones;

  bool dual_feasible = false;    ///< a dual point is known: F is bounded below on the feasible set
  std::vector<Vector> planted;   ///< points that may be feasible: the judge tests them exactly
  std::optional<Vector> inside;  ///< a point that may be strictly feasible, to repair others towards
  std::optional<Vector> start;   ///< for objectives that are not defined at 0
  std::vector<Vector> rays;      ///< directions worth trying as proofs
  /// Multipliers of the rows of linear_part() worth trying as proofs.
  std::vector<RationalVector> row_multipliers;

  void add_row(const Vector& g, double low, double high);
  void add_le(const Vector& g, double high) { add_row(g, -kInfinity, high); }
  void bound_all(double low, double high);
  bool has_box() const { return lo.size() > 0; }
  bool has_prices() const { return !soft_rows.empty() || !soft_cones.empty(); }
};

/// The same problem for the library.
Problem to_problem(const RawCase& raw);

/// F(x), or a number above it by digits that no double has (by rounding, where matrices have a price); nullopt outside the
/// domain of F.
std::optional<Rational> exact_objective(const RawCase& raw, const RationalVector& x);
/// Whether x satisfies everything exactly. Log-sum-exp rows: false too where the last of 160 bits is needed.
bool exactly_feasible(const RawCase& raw, const RationalVector& x);

/// Whether s is in the cone; exponential and power cones: false too where the last of 160 bits is needed.
bool in_cone(const RawCone& cone, const RationalVector& s);

/// Whether all quadratic forms are positive semidefinite, as stored.
bool exactly_convex(const RawCase& raw);

/// Whether the feasible set is described by linear rows alone.
bool is_polyhedral(const RawCase& raw);
/// The rows that are linear: the feasible set itself where it is polyhedral.
Polyhedron linear_part(const RawCase& raw);
/// Multipliers of its rows, and perhaps those of soft rows behind them, rounded, as the library has them: those of the domain
/// are left out.
Multipliers to_multipliers(const RawCase& raw, const RationalVector& of_rows);

/// Numbers in full precision, for reports of false claims.
std::string describe(const RawCase& raw);

}  // namespace pliant::judge
