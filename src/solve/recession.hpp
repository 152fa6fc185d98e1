// Search for a direction of unboundedness with the solver itself.
//
// Along a ray d every constraint must stay put and F must fall: with f quadratic, q its linear part and H the sum of
// all Hessians (objective and quadratic constraints),
//
//   minimise q'd + w |d|_1   subject to   recession rows <= 0, H d = 0, |d_j| <= 1, d_j >= 0 (<= 0) at lower (upper)
//   bounds
//
// is feasible (d = 0) and bounded; its optimum is negative exactly if there is a ray. H d = 0 is asked for by a large
// multiple of d'Hd; the answer is then projected onto the constraints it touches, so that it recedes to the last digit.
#pragma once

#include "certify/infeasibility.hpp"
#include "certify/proof.hpp"
#include "pliant/settings.hpp"

#include <atomic>
#include <optional>

namespace pliant {

/// A verified ray from x, or nothing: there is none, none was found, or the problem has parts whose recession is not
/// known (callbacks, sums of losses). `settings` give the limits, `interrupt` (may be null) stops.
std::optional<Ray> find_ray(const Problem& problem, ConstraintSystem& system, const Vector& x, const Settings& settings,
                            const std::atomic<bool>* interrupt);

}  // namespace pliant
