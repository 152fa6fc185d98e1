// Solves beside rows that are held elsewhere, in shards or on a device: what they refuse, and how they end.
#pragma once

#include "engines/path/working_set.hpp"

#include <string_view>
#include <vector>

namespace pliant {

/// Throws InputError where the path engine does not take the settings or what stands beside the rows, inequalities apart.
/// `where` the rows are: "in shards".
void expect_taken_beside(const Problem& problem, const Settings& settings, std::string_view where);

/// Throws InputError where the problem has inequalities, or soft rows.
void expect_no_inequalities(const Problem& problem, std::string_view where);

/// The start of the problem, or of the hooks, in the domain.
InnerPoint start_beside(const Problem& problem, const SolveHooks& hooks);

/// Looks for a proof that `few`, a part of the constraints of a solve that failed, has no solution: then the whole has none.
void prove_infeasible(Context& run, const Problem& few, const SolveHooks& hooks, Result& failed);

struct EndBeside {
  Result result;
  std::vector<Index> rows;  ///< of the holder, those that multipliers and overview of the result belong to
};

/// Solves the problem of the run subject to the rows of the holder. What is thrown on the way leaves it, after hooks.best
/// has seen the latest point, without multipliers.
EndBeside solve_beside(Context& run, InnerPoint& point, RowHolder& rows, const WorkingSetParameters& parameters,
                       const SolveHooks& hooks, std::string_view where);

}  // namespace pliant
