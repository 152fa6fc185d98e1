// Multipliers as their users see them.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/problem.hpp"

#include <vector>

namespace pliant {

/// Duals of every call of subject_to, in order (Result::constraint_duals).
std::vector<Vector> duals_by_handle(const Problem& problem, const Multipliers& multipliers);

}  // namespace pliant
