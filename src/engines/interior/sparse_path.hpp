// The path engine on sparse linear and quadratic programs: presolve, equilibration, elastic Newton on everything.
#pragma once

#include "engines/interior/kkt_system.hpp"
#include "run/context.hpp"

#include <string>

namespace pliant {

/// Why the engine cannot take a problem, in words; empty if it can.
std::string sparse_path_obstacle(const Problem& problem);

/// Whether there are so few rows per variable that working on all of them is no waste.
bool sparse_path_fits(const Problem& problem);
/// Rows that tie variables together at random fill the factor up: an estimate from their lengths alone, without the
/// analysis that would take longer than a solve by other means.
bool factor_looks_dense(const Problem& problem);

/// What one of its factorisations would cost, from the pattern alone.
KktCost sparse_path_cost(const Problem& problem);

/// Drives the problem to the tolerances of the run. Leaves the last point judged. False: nothing was done, because a
/// factorisation would take more than `most_flops` operations.
bool solve_sparse_path(Context& run, InnerPoint& point, double most_flops);

}  // namespace pliant
