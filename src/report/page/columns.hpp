// The trace as columns: what charts draw and what the page carries as data.
#pragma once

#include "pliant/result.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace pliant::report {

/// Unknown entries are NaN. Objective and bound are those of the problem's author.
struct Columns {
  /// Of the data: a page stays below a megabyte. Ten thousand rows of a usual trace are less.
  static constexpr std::size_t kMostBytes = 820000;

  Index recorded = 0;         ///< rows of the trace
  double direction = -1;      ///< bound = objective + direction * gap: -1 below (minimisation), 1 above
  bool timed = true;          ///< whether times are shown
  bool by_iteration = false;  ///< whether passes say nothing about how far a solve has come, but iterations do
  std::vector<double> iteration, stage, time, passes, objective, bound, gap, gap_rel, violation, dual_residual, delta,
      xi, active, near_active, working, screened, gap_estimate, mu, step_primal, step_dual;
  /// {"rows": .., "direction": .., "columns": {"passes": [...], "xi": {"runs": [value, times, ...]}, ...}}: columns
  /// with few changes as runs. bound and gap_rel follow from objective and gap.
  std::string json;

  /// Whether the method followed a path of complementarity.
  bool on_path() const {
    return std::any_of(mu.begin(), mu.end(), [](double v) { return std::isfinite(v); });
  }
  Index rows() const { return static_cast<Index>(passes.size()); }
};

/// Of a trace that is too long every k-th row, and the last one.
Columns make_columns(const std::vector<Progress>& trace, bool maximize, bool timeless);

}  // namespace pliant::report
