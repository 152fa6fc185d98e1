// Arithmetic of one second-order cone { u : u_0 >= |u_1| }, u = (u_0, u_1), with the Jordan product
// u o v = (u'v, u_0 v_1 + v_0 u_1) and det u = u_0^2 - |u_1|^2.
#pragma once

#include "pliant/types.hpp"

namespace pliant::second_order {

using Part = Eigen::Map<const Vector>;

/// u_0 - |u_1|, without loss of digits in |u_1|.
double smallest_eigenvalue(const Part& u);
/// sqrt(det u), or 0 outside the cone.
double root_det(const Part& u);
/// w of the Nesterov-Todd scaling W = eta [w_0 w_1'; w_1 I + w_1 w_1'/(1 + w_0)] with W z = W^-1 s; returns eta, or 0
/// if s or z is not in the interior.
double scaling(const Part& s, const Part& z, Eigen::Map<Vector> w);
/// W v for eta = 1, or W^-1 v.
Vector apply(const Part& w, const Eigen::Ref<const Vector>& v, bool inverse);
Vector product(const Vector& u, const Vector& v);
/// The x with lambda o x = r.
Vector divide(const Vector& lambda, const Vector& r);
/// The longest step from u (interior) along du within the cone; infinite if there is no end.
double longest_step(const Part& u, const Part& du);

}  // namespace pliant::second_order
