// Outer strategies: how xi, delta and the shifts u are driven so that solutions of the penalised
// problem become solutions of the original one. Each works with any inner method.
#pragma once

#include "engines/inner_method.hpp"
#include "outer/penalty_run.hpp"
#include "softplus/softplus.hpp"

namespace pliant {

/// Every constant of the strategies, in one place (those that count iterations: InnerMethod::rhythm).
struct OuterParameters {
  double xi_growth = 4.0;        ///< xi is multiplied by this when multipliers saturate
  double saturation = 0.9;       ///< a multiplier above this fraction of xi is saturated
  double saturated_excess = 10;  ///< fixed and nested: raise xi if some a_i > this * delta
  double nested_reduction = 0.5;
  double longer_stage = 0.1;    ///< fixed: a stage that ended too early goes on to this share of its error
  double enough_gap = 0.1;      ///< no stage is solved more accurately than this share of the gap tolerance needs
  double inner_accuracy = 0.1;  ///< theta: inner error allowed relative to the stage's own error
  double shift_floor = penalty::kNoWeight;  ///< u >= -shift_floor * delta
  double most_of_xi = 0.999999;  ///< given multipliers count as at most this share of xi: their shifts stay finite
  double cheap_stage = 0.5, dear_stage = 2.0;  ///< multiplier: factors of delta after such stages
  double least_delta =
      1e-13;  ///< multiplier: relative to the first delta; rows are not known better than to such a share
  Index nested_patience = 3, multiplier_patience = 20;  ///< stages in a row that rounding ends
  Index stage_iterations = 2000;                        ///< a stage that takes longer is cut
};

/// Section 3 of the theory: one delta small enough for the tolerances, fixed from the start.
void solve_fixed(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, const OuterParameters& parameters);
/// delta is reduced from stage to stage, each started at the previous solution.
void solve_nested(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, const OuterParameters& parameters);
/// Shifted penalties (log-sigmoid multipliers): delta stays moderate.
void solve_multiplier(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, const OuterParameters& parameters);

}  // namespace pliant
