// Safe screening: constraints that cannot be active at the solution, found between stages and dropped for good.
//
// Let lambda >= 0 be the multipliers of a stage, r the smallest element of the subdifferential of L(., lambda) at its
// end point x, and v = max(0, max a_i(x)). Two balls contain x*, and the smaller one is used:
//
//   |x* - (x - r/mu)|    <= sqrt(|r|^2 + 2 mu (UB - L(x, lambda))) / mu,               UB >= F*
//   |x* - (x - r/(2mu))| <= sqrt(|r|^2 + 4 mu (B v - sum lambda_i a_i(x))) / (2 mu),   B >= |lambda*|_1 proved
//
// UB is the best of F at feasible points and, by convexity, (s F(x) + v F(z)) / (s + v) for a Slater point z of slack
// s. B = (F(z) - LB)/s; at a feasible x it is enough that a Slater point exists. Without strong convexity the domain
// of psi is the ball. A constraint goes if a_i(c) + |grad a_i(c)| rho + L_i/2 rho^2 < 0 there.
//
// The problem without these constraints has the same solution and, filled up with zeros, the same multipliers; so
// bounds that hold for it hold for the original one.
#pragma once

#include "certify/assess.hpp"
#include "engines/inner_method.hpp"

#include <limits>
#include <optional>
#include <vector>

namespace pliant {

struct ScreeningParameters {
  double worthwhile = 0.8;  ///< rows are read for screening when an estimate promises that at most this share stays,
  double accepted = 0.9;    ///< and dropped if at most this share does
  Index most_rows = std::numeric_limits<Index>::max();  ///< more are never kept: there is no memory for their copies
  double rounding = 1e-13;                              ///< relative error of sums, added to gaps
};

/// What a solve has proved so far.
struct ProvedBounds {
  double upper_bound = kInfinity;
  double slater_objective = kInfinity;
  double slater_slack = 0.0;  ///< 0: no Slater point is known
  double multiplier_bound = kInfinity;
};

struct SafeBall {
  Vector center;
  double radius = kInfinity;  ///< infinite: nothing is known
};

/// A ball that contains the solution.
SafeBall safe_ball(const Problem& problem, const InnerPoint& point, const ProvedBounds& proved,
                   const ScreeningParameters& parameters = {});

class Screening {
 public:
  explicit Screening(ScreeningParameters parameters = {}) : parameters_(parameters) {}

  /// Gradient norms of all rows somewhere: a first idea of which rows a ball will show to be inactive.
  void expect_norms(Vector norms);
  /// Positions of the rows that must stay, equalities among them; nullopt if too few would go. Reads the rows at most
  /// once, and only if that promises to pay.
  std::optional<std::vector<Index>> remaining(const Problem& problem, ConstraintSystem& system, const InnerPoint& point,
                                              const ProvedBounds& proved);

 private:
  bool promising(const InnerPoint& point, const SafeBall& ball, Index inequalities) const;
  /// Whether dropping all but `stay` of `inequalities` rows pays.
  bool pays(Index stay, Index inequalities, double share) const {
    return stay <= parameters_.most_rows && static_cast<double>(stay) <= share * static_cast<double>(inequalities);
  }

  ScreeningParameters parameters_;
  Vector norms_, smoothness_;  // where rows were last read; empty: unknown
};

}  // namespace pliant
