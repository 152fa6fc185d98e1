// What Corollaries 1 and 2 promise for a problem before anything is solved, and what came of it (docs/theory.md,
// "Guarantee").
#pragma once

#include "pliant/certificate.hpp"

#include <string>

namespace pliant {

/// A strictly feasible point x_hat and what it says of the multipliers: |lambda*|_1 <= (F(x_hat) - LB)/s. A cone enters
/// with s = how far inside x_hat lies along e (cones/distance.hpp) and <e, z*> of its multiplier.
struct SlaterConstants {
  double slack = 0.0;            ///< s > 0 with a_i(x_hat) <= -s for all i, rounding taken off; 0: no such point
  double objective = kInfinity;  ///< F(x_hat), rounded up
  std::string source;            ///< where x_hat comes from, or why there is none
  Vector point;                  ///< x_hat
  LowerBound lower_bound;        ///< LB of F*: from the objective and its domain, or from a few penalised steps
  double multiplier_bound = kInfinity;

  bool known() const { return slack > 0.0; }
};

/// Looks at the problem's Slater point, its start and the origin; `search`: where none of them will do, looks for one
/// (phase one) and moves it away from the boundary, and small data also serve to make LB better.
SlaterConstants slater_constants(const Problem& problem, bool search);

/// xi, delta and the number N of plain accelerated gradient steps from x0 after which
///   sum_i max(0, a_i(x)) <= epsilon   and   |F(x) - F*| <= xi epsilon/2.
struct GuaranteeForecast {
  std::string missing;  ///< which constant is not available and why, in one line; empty: the rest below holds

  double epsilon = 0.0;
  double xi = 0.0;        ///< >= 2 xi_bar: twice the Slater bound, or given
  std::string xi_source;  ///< "slater" or "given"
  double delta = 0.0;     ///< epsilon/(4 m ln 2)
  SlaterConstants slater;

  double mu = 0.0;                ///< strong convexity of F
  double smoothness = kInfinity;  ///< L of the smooth part of F_{xi,delta}, from the constants of every row
  double distance = kInfinity;    ///< >= |x0 - x*|
  std::string distance_source;
  double initial_gap = kInfinity;  ///< >= F_{xi,delta}(x0) - min F_{xi,delta}

  int corollary = 0;  ///< 1: steps for any mu, 2: with the momentum of mu > 0; the one that needs fewer steps
  double iterations = kInfinity;  ///< N, a whole number; may be beyond any patience
  double violation = 0.0;         ///< epsilon
  double objective_gap = 0.0;     ///< xi epsilon/2

  bool available() const { return missing.empty(); }
};

/// From the problem alone. x0: `start`, the problem's start or the origin, moved into the domain. settings.xi and
/// settings.distance are taken at their word. Throws InputError where epsilon is no positive number.
GuaranteeForecast forecast_guarantee(const Problem& problem, double epsilon, const Settings& settings = {},
                                     const Vector* start = nullptr);

/// Predicted beside actual, of a solve with settings.guarantee.
struct GuaranteeOutcome {
  GuaranteeForecast predicted;
  Index iterations = 0;
  double violation = kInfinity;      ///< sum_i max(0, a_i(x))
  double objective_gap = kInfinity;  ///< F(x) - LB, LB the bound that the certificate of x proves; infinite: none
  bool reached = false;
  std::string by;  ///< "certificate": proved at x; "iterations": N steps are done; empty: not reached
};

}  // namespace pliant
