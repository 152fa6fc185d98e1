// The exact dual value of problems whose objective is one term with a known conjugate.
//
// For f = w T + c'x + const, psi = 0 and multipliers on linear rows a_i(x) = g_i'x - b_i only, the Lagrangian is
// w T(y) + G'y - beta with G = c + sum lambda_i g_i and beta = sum lambda_i b_i - const, so that
//
//   min_y L(y, lambda) = w min_y [T(y) + (G/w)'y] - beta
//
// in closed form: a lower bound of F* for every lambda >= 0, at no point x. It is read off the rows with a
// multiplier alone.
#pragma once

#include "rows/constraint_system.hpp"

#include <optional>

namespace pliant {

/// The dual value; nullopt if the problem is not of this kind or a row with a multiplier is not linear.
///
/// Where T is logarithmically homogeneous of degree nu (-log det) and the objective has no other term, the multipliers
/// are first scaled by the best factor s = w nu / beta, which turns the value into w nu ln s + (value at s = 1) +
/// (1 - s) beta: every s > 0 gives a bound.
std::optional<double> exact_dual_value(const Problem& problem, ConstraintSystem& system, ConstVectorRef multipliers);

}  // namespace pliant
