// What is tried on soft rows: bands around their kinks, or a slack for each of them.
#pragma once

#include "pliant/solve.hpp"

namespace pliant {

/// For problems with soft rows.
Plan plan_soft(const Problem& problem, const Settings& settings);

/// Puts bands in front where a problem has soft rows written with a column each (soft_form.hpp).
void add_recognised_soft_rows(const Problem& problem, const Settings& settings, Plan& plan);

}  // namespace pliant
