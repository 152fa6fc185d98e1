// How far a point is from a cone: one convex function per cone, so that a conic constraint reads a(x) <= 0.
//
//   a(s) = min { t : s + t e in K },   e a fixed point inside K:
//
//   nonnegative  e = 1 (row by row)   a = -s
//   second order e = (1, 0)           a = |s_1..| - s_0
//   semidefinite e = I                a = -lambda_min(S)
//   exponential  e = (-1, 1, 1)       by bisection
//   power        e = (1, 1, 0)        by bisection
//
// a <= 0 exactly for points of K, and a is minus the smallest eigenvalue where cones have eigenvalues. Rows of a zero
// cone have none: |s| is the residual of an equality.
#pragma once

#include "pliant/cones.hpp"

namespace pliant {

/// a(s) of a cone other than zero and nonnegative, and of a nonnegative one the largest -s. s has cone.rows entries.
double cone_distance(const Cone& cone, ConstVectorRef s);

/// (x, y, z) in the closed exponential cone, and in the power cone.
bool in_exponential_cone(double x, double y, double z);
bool in_power_cone(double alpha, double x, double y, double z);

/// The smallest t such that inside(t) holds; `inside` is false below it and true above. `scale` > 0: size of what is
/// asked about. To the last digits of t or of the scale; the returned t is inside.
template <class Inside>
double smallest_shift(const Inside& inside, double scale) {
  double out = -scale, in = scale;  // t may have either sign
  for (int k = 0; k < 2100 && inside(out); ++k) in = out, out *= 2.0;
  for (int k = 0; k < 2100 && !inside(in); ++k) out = in, in = in <= 0.0 ? scale : 2.0 * in;
  for (int k = 0; k < 200; ++k) {
    const double middle = out + 0.5 * (in - out);
    if (middle == out || middle == in || in - out <= 1e-18 * scale) break;
    (inside(middle) ? in : out) = middle;
  }
  return in;
}

}  // namespace pliant
