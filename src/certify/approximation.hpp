// What a certificate says of functions that rows only approximate.
#pragma once

#include "pliant/approximation.hpp"
#include "pliant/certificate.hpp"
#include "rows/constraint_system.hpp"

namespace pliant {

/// sum lambda_k fall_k over these rows, rounded up.
double approximation_cost(const Approximation& given, Rows rows, ConstVectorRef lambda);

/// nullopt if no row of the system approximates anything; else one read of those that do, and of what they stand for.
std::optional<MeantFunctions> assess_approximation(ConstraintSystem& system, ConstVectorRef x,
                                                   ConstVectorRef multipliers);

}  // namespace pliant
