// Prox terms psi. Separable ones (l1, l2 squared, elastic net, box, nonnegative) combine with each
// other; simplex, ball and group terms stand alone.
#pragma once

#include "pliant/array.hpp"
#include "pliant/prox_term.hpp"

#include <vector>

namespace pliant {

ProxPtr no_regularizer(Index n);
/// w |x|_1
ProxPtr l1(Index n, double w);
/// (w/2) |x|^2
ProxPtr l2_squared(Index n, double w);
/// w1 |x|_1 + (w2/2) |x|^2
ProxPtr elastic_net(Index n, double w1, double w2);
/// Indicator of lo <= x <= hi (entries may be infinite).
ProxPtr box(Doubles lo, Doubles hi);
/// Indicator of x >= 0.
ProxPtr nonnegative(Index n);
/// Indicator of {x >= 0, sum x = radius}.
ProxPtr simplex(Index n, double radius);
/// Indicator of {|x|_2 <= radius}.
ProxPtr ball(Index n, double radius);
/// sum_g w_g |x_g|_2; `groups[j]` is the group of variable j, groups numbered from 0.
ProxPtr group_l2(Indices groups, Doubles weights);

/// psi1 + psi2 where both are separable; throws InputError otherwise.
ProxPtr combine(const ProxPtr& a, const ProxPtr& b);

/// Parameters of the separable term sum_j w1|x_j| + (w2/2) x_j^2 + indicator[lo_j, hi_j], which
/// covers none, l1, l2 squared, elastic net, box and nonnegative. lo, hi empty: no bounds.
struct SeparableParameters {
  double l1 = 0.0;
  double l2 = 0.0;
  Doubles lo, hi;
};
/// The parameters if the term is separable, else null.
const SeparableParameters* separable_parameters(const ProxTerm& term);

/// Parameters of the others, for writers of files: null where the term is of another kind.
struct GroupParameters {
  Indices groups;
  Doubles weights;
};
const GroupParameters* group_parameters(const ProxTerm& term);
/// Radius of a simplex or ball term.
double radius_parameter(const ProxTerm& term);

}  // namespace pliant
