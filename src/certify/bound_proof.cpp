#include "certify/bound_proof.hpp"

#include "certify/exact_bound.hpp"
#include "certify/exact_dual.hpp"
#include "certify/lagrangian_enclosure.hpp"
#include "certify/unbalanced.hpp"
#include "certify/verified_model.hpp"
#include "linalg/rounding.hpp"
#include "parallel/long_vectors.hpp"
#include "pliant/regularizers.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// What of a defect of convexity is left after the strong convexity: taken off mu, charged over a bounded domain, or
// left to the user's word.
struct Curvature {
  double mu = 0.0;
  double charge = 0.0;
  BoundKind kind = BoundKind::proved;
};

Curvature curvature(const Problem& problem, ConstVectorRef x, const LagrangianEnclosure& lagrangian) {
  Curvature out;
  out.mu = problem.smooth_strong_convexity() * (1.0 - kAround * kUnitRoundoff);
  if (!lagrangian.convexity_known) {
    out.kind = BoundKind::proved_if_convex;
    return out;
  }
  if (lagrangian.defect == 0.0) return out;
  if (lagrangian.defect <= out.mu) {
    out.mu = std::max(0.0, rounded_down(out.mu - lagrangian.defect));
    return out;
  }
  const double radius = kInflation * problem.prox().domain_radius(x);
  if (std::isfinite(radius)) {
    // L(y) >= L(x) + g'(y - x) - defect/2 |y - x|^2
    out.charge = kInflation * 0.5 * lagrangian.defect * radius * radius;
  } else {
    out.kind = BoundKind::proved_if_convex;
  }
  out.mu = 0.0;
  return out;
}

bool has_kinks(const ProxTerm& prox) {
  const SeparableParameters* p = separable_parameters(prox);
  return p != nullptr ? p->l1 > 0.0 : group_parameters(prox) != nullptr;
}

// psi(x*) <= F* - inf f <= F(feasible) - inf f.
double largest_psi(const Problem& problem, ConstraintSystem& system, const ProofPoint& at) {
  const double below = problem.smooth_lower_bound();
  // Prices of soft rows at the point are not looked at: they would have to be added from above.
  if (at.feasible == nullptr || problem.has_soft_rows() || !std::isfinite(below) || !has_kinks(problem.prox()))
    return kInfinity;
  if (!certainly_feasible(problem, system, *at.feasible)) return kInfinity;
  const double above = objective_from_above(problem, *at.feasible);
  return std::max(0.0, above - below + rounding_error(kAround, std::abs(above) + std::abs(below)));
}

}  // namespace

// L(x) + min_y [g'(y - x) + mu/2 |y - x|^2 + psi(y)], each part from below.
LowerBound prove_lower_bound(const Problem& problem, ConstraintSystem& system, const ProofPoint& at,
                             double* unbalanced) {
  LowerBound out;
  const ConstVectorRef& multipliers = at.multipliers;
  const auto not_finite = [&](Index i) { return !std::isfinite(multipliers[i]); };
  if (!at.x.allFinite() || parallel::count_if(multipliers.size(), not_finite) > 0) return out;
  if (!system.within_caps(multipliers)) return out;
  const LagrangianEnclosure lagrangian = enclose_lagrangian(problem, system, at);
  if (unbalanced != nullptr) *unbalanced = unbalanced_cost(problem, system, at, lagrangian);
  const Curvature curved = curvature(problem, at.x, lagrangian);
  const EnclosedVector g{lagrangian.gradient, lagrangian.gradient_error};
  double model = verified_lower_model(problem.prox(), at.x, g, curved.mu, kInfinity);
  if (model == -kInfinity) {
    const double psi_max = largest_psi(problem, system, at);
    if (psi_max < kInfinity) model = verified_lower_model(problem.prox(), at.x, g, curved.mu, psi_max);
  }
  const double base = lagrangian.value - lagrangian.value_error;
  const double bound =
      base + model - curved.charge -
      rounding_error(kAround, std::abs(base) + std::abs(model) + curved.charge + lagrangian.value_error);
  if (std::isfinite(bound)) out = {bound, curved.kind};
  if (model == -kInfinity) {
    if (const std::optional<double> exact = bound_by_exact_multipliers(problem, system, at, lagrangian)) {
      out = {*exact, BoundKind::proved};
    }
  }
  const std::optional<double> dual = exact_dual_value(problem, system, at.multipliers);
  if (dual && std::isfinite(*dual) && (out.kind != BoundKind::proved || *dual > out.value)) {
    out = {*dual, BoundKind::proved};
  }
  return out;
}

}  // namespace pliant
