// Directions along which a problem with soft rows falls without end.
//
// Far out a price w max(0, a(x)) grows like w max(0, g'd) along d: the slope of the objective is q'd + sum_i w_i max(0, g_i'd)
// with P d = 0, and its least value over directions of size 1 is a problem with soft rows itself. Below 0 it is a ray.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/solve.hpp"

namespace pliant {

/// Looks for a ray of a problem with soft rows that was not solved (result), and proves it in the slack form: then the
/// result says that there is no solution. Otherwise it stays as it is, but for what the search cost.
void look_for_soft_ray(const Problem& problem, const Settings& settings, const SolveHooks& hooks, Result& result);

}  // namespace pliant
