// The softplus penalty and its derivatives.
//
//   p_delta(t)  = delta ln(1 + e^{t/delta}) = max(t, 0) + delta log1p(e^{-|t|/delta})
//   p'_delta(t) = sigma(t/delta),   p''_delta(t) = sigma (1 - sigma) / delta
//   p_0(t) = max(t, 0), with sigma = 1/2 at t = 0
//
// The second form never overflows. The vector kernels work on whole SIMD packets of padded local
// buffers, so that a number's result never depends on where in memory it stands.
#pragma once

#include "pliant/types.hpp"

namespace pliant::penalty {

/// Rows with a_i < -kNoWeight delta have no weight: sigma(-40) = e^-40 = 4e-18 is a fiftieth of the rounding error of 1, so
/// that 50 of them do not change the last digit of a sum with one ordinary term in it, nor does their curvature sigma
/// (1 - sigma). Progress::kNear of the public headers is the same number.
inline constexpr double kNoWeight = 40.0;
inline constexpr double kLeastWeight = 4.248354255291589e-18;  ///< e^-kNoWeight

double softplus(double t, double delta);
/// sigma(t) = 1/(1 + e^{-t})
double sigmoid(double t);
/// H(s) = -s ln s - (1-s) ln(1-s), 0 at both ends.
double entropy(double s);

/// p_i = p_delta(t_i + u_i), s_i = sigma((t_i + u_i)/delta). `u` may be null (zero shift), `p` may be null.
void softplus_sigmoid(Index count, const double* t, const double* u, double delta, double* p, double* s);

/// s_i as above and c_i = sigma(1 - sigma)/delta, the curvature of the penalty.
void sigmoid_curvature(Index count, const double* t, const double* u, double delta, double* s, double* c);

}  // namespace pliant::penalty
