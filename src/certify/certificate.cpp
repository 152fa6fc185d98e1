#include "pliant/certificate.hpp"

#include "certify/assess.hpp"
#include "certify/bound_proof.hpp"
#include "linalg/rounding.hpp"
#include "machine/memory.hpp"
#include "model/natural_units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {

std::string_view to_string(BoundKind kind) {
  switch (kind) {
    case BoundKind::proved:
      return "proved";
    case BoundKind::proved_if_convex:
      return "proved_if_convex";
    case BoundKind::estimate:
      return "estimate";
  }
  return "estimate";
}

void Certificate::choose_bound(double tol_gap) {
  const double scale = 1.0 + std::abs(objective);
  const auto within = [&](double bound) { return std::abs(objective - bound) <= tol_gap * scale; };
  const bool convincing = within(estimate) && estimate_residual_rel <= tol_gap;
  const bool take_estimate = proof.kind == BoundKind::estimate || (!within(proof.value) && convincing);
  lower_bound = take_estimate ? estimate : proof.value;
  lower_bound_kind = take_estimate ? BoundKind::estimate : proof.kind;
  if (!take_estimate) return;
  dual_residual = estimate_residual;
  dual_residual_rel = estimate_residual_rel;
}

LowerBound Certificate::meant_bound() const {
  if (!approximation || !std::isfinite(lower_bound)) return {lower_bound, lower_bound_kind};
  const double bound = rounded_down(lower_bound - approximation->cost);
  return {bound, approximation->holds ? lower_bound_kind : BoundKind::estimate};
}

double Certificate::gap_rel() const { return gap_abs() / (1.0 + std::abs(objective)); }

double Certificate::violation(ViolationNorm norm) const {
  switch (norm) {
    case ViolationNorm::l1:
      return violation_l1;
    case ViolationNorm::l2:
      return violation_l2;
    case ViolationNorm::linf:
      return violation_linf;
  }
  return violation_linf;
}

double Certificate::violation_rel(ViolationNorm norm) const {
  switch (norm) {
    case ViolationNorm::l1:
      return relative_l1;
    case ViolationNorm::l2:
      return relative_l2;
    case ViolationNorm::linf:
      return relative_linf;
  }
  return relative_linf;
}

double Certificate::infeasibility(ViolationNorm norm) const {
  return std::max({violation_rel(norm), equality_residual_rel, domain_violation_rel});
}

namespace {

bool shows(const Certificate& c, const Settings& settings) {
  return c.infeasibility(settings.norm) <= settings.tol_feas && std::abs(c.gap_rel()) <= settings.tol_gap &&
         c.violation_worth <= Certificate::kMostWorth * settings.tol_gap * (1.0 + std::abs(c.objective)) &&
         (c.lower_bound_kind != BoundKind::estimate || c.dual_residual_rel <= settings.tol_gap);
}

}  // namespace

// Which bound is presented may have been chosen for another tolerance than the one asked for.
bool Certificate::satisfies(const Settings& settings) const {
  if (shows(*this, settings)) return true;
  Certificate chosen = *this;
  chosen.choose_bound(settings.tol_gap);
  return shows(chosen, settings);
}

// Strong convexity is worth more where the variables are of one size; a bound of the copy is one of the problem.
void prove_in_units(const Problem& problem, ConstVectorRef x, const Multipliers& multipliers, double tol_gap,
                    Certificate& out) {
  const double gap = std::abs(out.objective - out.proof.value);
  if (out.proof.kind == BoundKind::proved && gap <= tol_gap * (1.0 + std::abs(out.objective))) return;
  if (problem.natural_units().size() == 0 || !copy_fits(problem, machine::machine_memory())) return;
  const std::optional<ProblemInUnits> copy = in_units(problem, problem.natural_units());
  if (!copy) return;
  copy->problem.validate();
  const Vector y = x.cwiseQuotient(problem.natural_units());
  ConstraintSystem system(copy->problem);
  const Multipliers scaled = copy->to_units(multipliers);
  const LowerBound bound = prove_lower_bound(copy->problem, system, {y, system.join(scaled), scaled.cones});
  const bool weaker_kind = out.proof.kind == BoundKind::proved && bound.kind != BoundKind::proved;
  if (bound.value > out.proof.value && !weaker_kind) out.proof = bound;
  out.choose_bound(tol_gap);
}

Multipliers zero_multipliers(const Problem& problem) {
  Multipliers out;
  for (const BatchPtr& batch : problem.batches()) out.lambda.emplace_back(Vector::Zero(batch->size()));
  if (problem.has_equalities()) out.nu = Vector::Zero(problem.equality_batch()->dual_size());
  for (const ConicConstraint& conic : problem.conic()) out.cones.emplace_back(Vector::Zero(conic.G.rows()));
  return out;
}

Certificate certify(const Problem& problem, ConstVectorRef x, const Multipliers& multipliers, double active_tolerance) {
  ConstraintSystem system(problem);
  LagrangianEvaluation at;
  evaluate_lagrangian(problem, system, x, system.join(multipliers), at, multipliers.cones);
  UpperBound upper_bound;
  std::optional<Vector> feasible;
  if (problem.slater_point) feasible = feasible_from_slater(problem, x, *problem.slater_point);
  if (feasible) upper_bound = {problem.objective(*feasible), &*feasible};
  Certificate out = assess(problem, system, x, at, upper_bound, active_tolerance);
  take_rounding_off(problem, system, x, at.multipliers, at.cones.multipliers, upper_bound, Settings{}.tol_gap, out);
  prove_in_units(problem, x, multipliers, Settings{}.tol_gap, out);
  return out;
}

Certificate certify(const Problem& problem, ConstVectorRef x) { return certify(problem, x, zero_multipliers(problem)); }

// Convexity: a_i(x + t (slater - x)) <= (1-t) v - t s <= 0 for t = v / (v + s).
std::optional<Vector> feasible_from_slater(const Problem& problem, ConstVectorRef x, ConstVectorRef slater) {
  if (problem.has_equalities()) return std::nullopt;  // a point is on them only up to rounding
  if (!problem.conic().empty()) return std::nullopt;  // the slack is that of rows
  ConstraintSystem system(problem);
  Vector a(system.size());
  system.values(slater, a);
  const double slack = a.size() > 0 ? -a.maxCoeff() : kInfinity;
  if (!(slack > 0.0) || problem.prox().domain_violation(slater) > 0.0) return std::nullopt;
  Vector inside = x;
  problem.prox().project(inside);
  system.values(inside, a);
  const double violation = a.size() > 0 ? std::max(0.0, a.maxCoeff()) : 0.0;
  if (violation == 0.0) return inside;
  // A hair further than needed, against rounding; then checked.
  const double t = std::min(1.0, violation / (violation + slack) * (1.0 + 1e-9) + 1e-15);
  Vector point = inside + t * (slater - inside);
  system.values(point, a);
  if (a.maxCoeff() > 0.0) return std::nullopt;
  return point;
}

}  // namespace pliant
