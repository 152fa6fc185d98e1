// What a solve returns.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/guarantee.hpp"
#include "pliant/handle.hpp"
#include "pliant/infeasibility.hpp"
#include "pliant/overview.hpp"
#include "pliant/settings.hpp"

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pliant {

enum class Status {
  optimal,
  primal_infeasible,
  dual_infeasible,
  time_limit,
  pass_limit,
  iteration_limit,
  user_stopped,
  interrupted,
  numerical_error,
};

std::string_view to_string(Status status);
/// Exit code of the command for a status (contract: 0, 2, 3, 4, 130).
int exit_code(Status status);

/// One line of progress; also a row of the trace.
struct Progress {
  Index iteration = 0;
  Index stage = 0;
  double time = 0.0;  ///< seconds since the solve began
  double passes = 0.0;
  Index component_evaluations = 0;
  double delta = 0.0;
  double xi = 0.0;
  double objective = 0.0;
  double lower_bound = 0.0;
  double violation = 0.0;
  double dual_residual = 0.0;
  Index active = 0;        ///< as in Certificate; -1: no certificate was made here
  Index near_active = -1;  ///< constraints with a_i(x) >= -kNear delta, which the penalty bends; -1: not counted
  Index working = 0;       ///< constraints the method works on at present
  Index screened = 0;      ///< constraints proven inactive so far

  // Of methods that follow a path of complementarity, in their own units; not numbers elsewhere.
  double gap_estimate = kUnknown;  ///< primal minus dual objective of the iterate, without a proof
  double mu = kUnknown;            ///< average complementarity
  double step_primal = kUnknown;   ///< step lengths that led here
  double step_dual = kUnknown;

  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  /// Beyond this many deltas inside, sigma(a_i/delta) < 1e-17: a constraint adds nothing to the penalty.
  static constexpr double kNear = 40.0;
};

/// Called with every progress row; returning true stops the solve.
using ProgressCallback = std::function<bool(const Progress&)>;

struct Timing {
  double read = 0.0, setup = 0.0, solve = 0.0, total = 0.0;
  /// What the solve spent its time on; the rest of it has no name.
  std::vector<std::pair<std::string, double>> phases;
};

/// What became of one attempt of the plan.
struct AttemptRecord {
  std::string engine;  ///< its label
  std::string reason;  ///< why it was made
  std::string status;  ///< how it ended; "declined": it found that another one should be tried
};

struct Result {
  Status status = Status::numerical_error;
  std::string message;  ///< one line that explains the status where that helps
  Vector x;
  /// Duals of the constraints behind a handle, one per row of the data they were made from: a two-sided row has one,
  /// positive at its upper side and negative at its lower one; rows that a Solver appended follow.
  const Vector& duals(const Handle& handle) const;
  std::vector<Vector> constraint_duals;  ///< one per call of subject_to, in order
  Multipliers multipliers;
  Vector bound_duals;  ///< the subgradient of the prox term that balances the Lagrangian at x
  Vector ray;          ///< dual_infeasible: a direction of unboundedness from x; else empty
  Certificate certificate;
  /// The verified proof behind primal_infeasible (x and multipliers belong to it) or dual_infeasible (x and ray).
  std::optional<InfeasibilityProof> infeasibility;
  std::optional<UnboundednessProof> unboundedness;
  Method method = Method::automatic;
  Outer outer = Outer::automatic;
  LinearAlgebra linear_algebra = LinearAlgebra::automatic;  ///< of method path
  Nonsmooth treatment = Nonsmooth::automatic;               ///< of cones; automatic: there are none
  std::string engine;                                       ///< label of the engine that gave the answer
  std::string strategy;                                     ///< what it does with penalty and rows, one word
  std::string choice;                                       ///< why `auto` chose it
  std::vector<AttemptRecord> attempts;                      ///< all that were made, the last one gave the answer
  double xi = 0.0;
  double delta = 0.0;
  bool xi_proved = false;                     ///< xi >= |lambda*|_inf follows from a Slater point
  std::optional<GuaranteeOutcome> guarantee;  ///< with settings.guarantee
  Index screened = 0;
  ConstraintOverview overview;
  Index iterations = 0;
  double passes = 0.0;
  Index component_evaluations = 0;
  std::optional<double> stream_time;
  Timing time;
  std::vector<Progress> trace;
};

}  // namespace pliant
