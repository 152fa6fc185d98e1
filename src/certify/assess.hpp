// From an evaluation of the Lagrangian to a certificate.
#pragma once

#include "lagrangian/lagrangian.hpp"
#include "pliant/certificate.hpp"

namespace pliant {

/// A proven upper bound of F*, or infinity: objective of the best feasible point seen.
using UpperBound = double;

/// Rows with a value of at least -tolerance (1 + constant scale) count as active.
inline constexpr double kActiveTolerance = 1e-6;
double active_threshold(const Problem& problem, double tolerance = kActiveTolerance);

/// The certificate of x.
///
/// LB = s(x) + min_y [grad s(x)'(y-x) + mu/2 |y-x|^2 + psi(y)], mu the strong convexity of f. It holds
/// for every x and every lambda >= 0. Where the minimum is -infinity but psi is coercive and f bounded
/// below, the minimum over psi(y) <= UB - inf f takes its place, since x* satisfies that. Otherwise the
/// Lagrangian itself stands in, marked as not rigorous. An objective with a known conjugate has an exact dual value
/// (exact_dual.hpp), which counts where it is better; it reads the linear rows that have a multiplier once more.
Certificate assess(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, const LagrangianEvaluation& at,
                   UpperBound upper_bound = kInfinity, double active_tolerance = kActiveTolerance);

}  // namespace pliant
