// A soft form with a budget, solved in one go: the multiplier of the budget is found with x (engines/path/soft_bands.hpp).
#pragma once

#include "pliant/solve.hpp"
#include "solve/soft_form.hpp"

namespace pliant {

/// Needs a form whose prices come from the budget alone. `numerical_error` where no point was found that the original
/// certifies: then the search for the multiplier (soft_budget.hpp) is left.
Result solve_bordered(const SoftForm& form, const Problem& original, const Attempt& attempt, const Settings& settings,
                      const SolveHooks& hooks);

}  // namespace pliant
