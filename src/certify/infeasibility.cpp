#include "certify/infeasibility.hpp"

#include "certify/exact_combination.hpp"
#include "certify/lagrangian_enclosure.hpp"
#include "certify/proof.hpp"
#include "certify/verified_model.hpp"
#include "lagrangian/conic.hpp"
#include "linalg/rounding.hpp"
#include "linalg/sums.hpp"
#include "pliant/regularizers.hpp"
#include "rows/row_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Without bounds on x a combined gradient that is not proved to vanish has to be within kDoubt times its own rounding,
// and the radius has to go so far beyond x and the constants of the rows.
constexpr double kBeyond = 1e3;
// Multipliers of cones cannot be balanced to the last digit without leaving the cone: there the radius has to be this
// many times max(1, |x|).
constexpr double kFar = 1e8;
// The radius grows by this factor as long as the proof holds, up to the largest one asked about.
constexpr double kRadiusStep = 16.0;
constexpr double kLargestRadius = 1e100;

// The constraints with a multiplier, at x.
struct Combination {
  Index rows = 0;
  double size = 0.0;   // sum lambda_i |grad a_i(x)|
  double reach = 0.0;  // max (|a_i(x)| + |grad a_i(x)| |x|) / |grad a_i(x)|: where their constants put them
};

Combination combine_rows(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef multipliers,
                         const std::vector<Vector>& cone_multipliers) {
  std::vector<Index> chosen;
  for (Index i = 0; i < multipliers.size(); ++i) {
    if (multipliers[i] > 0.0) chosen.push_back(i);
  }
  Combination out;
  out.rows = static_cast<Index>(chosen.size());
  Vector lambda(out.rows), a(out.rows), norms(out.rows);
  for (Index k = 0; k < out.rows; ++k) lambda[k] = multipliers[chosen[static_cast<std::size_t>(k)]];
  RowSelection selection(system);
  selection.select(std::move(chosen));
  selection.values_and_gradient_norms(x, a, norms);
  const auto sum = [&](auto term) { return pairwise_sum(0, out.rows, term); };
  out.size = sum([&](Index k) { return lambda[k] * norms[k]; });
  const double length = x.norm();
  for (Index k = 0; k < out.rows; ++k) {
    if (norms[k] > 0.0) out.reach = std::max(out.reach, std::abs(a[k]) / norms[k] + length);
  }
  const ConicCombination cones = combine_cones(problem, system, cone_multipliers);
  out.size += cones.size;
  out.reach = std::max(out.reach, cones.reach);
  if (out.size == 0.0) out.size = sum([&](Index k) { return lambda[k]; }) + cones.constant;  // constant functions alone
  out.rows += cones.rows;
  return out;
}

// A lower bound of sum lambda_i a_i(y) >= v + g'(y - x) over y in dom psi with |y_j| <= radius, rounding taken off. Of
// rows that approximate functions, those are meant.
double least_value(const Problem& problem, ConstVectorRef x, const LagrangianEnclosure& at, double radius) {
  const ProxTerm& prox = problem.prox();
  const EnclosedVector g{at.gradient, at.gradient_error};
  const double widest = prox.domain_radius(x);
  double model = -kInfinity;
  if (prox.kind() == "ball" || prox.kind() == "simplex") {
    model = verified_lower_model(prox, x, g, 0.0, kInfinity);
  } else {
    Vector lo = Vector::Constant(x.size(), -radius), hi = Vector::Constant(x.size(), radius);
    if (const SeparableParameters* p = separable_parameters(prox); p != nullptr && !p->lo.empty()) {
      for (Index j = 0; j < x.size(); ++j) {
        lo[j] = std::max(lo[j], p->lo[j]);
        hi[j] = std::max(lo[j], std::min(hi[j], p->hi[j]));
      }
    }
    model = verified_lower_model(*box(to_array(lo), to_array(hi)), x, g, 0.0, kInfinity);
  }
  const double way = std::min(widest, std::sqrt(static_cast<double>(x.size())) * radius + x.norm());
  const double charge = at.defect > 0.0 ? kInflation * 0.5 * at.defect * way * way : 0.0;
  const double parts = std::abs(at.value) + at.value_error + std::abs(model) + charge + at.approximation;
  const double bound = at.value - at.value_error - at.approximation + model - charge - rounding_error(16.0, parts);
  return std::isnan(bound) ? -kInfinity : bound;
}

// Whether what is left of the combined gradient may be rounding alone, on every variable that no bound stops.
bool vanishes_within_rounding(const ProxTerm& prox, const LagrangianEnclosure& at) {
  const SeparableParameters* p = separable_parameters(prox);
  for (Index j = 0; j < at.gradient.size(); ++j) {
    const double g = at.gradient[j];
    const bool stopped = p != nullptr && !p->lo.empty() && (g > 0.0 ? p->lo[j] > -kInfinity : p->hi[j] < kInfinity);
    if (!stopped && std::abs(g) > kDoubt * (at.gradient_error[j] + kUnitRoundoff * at.largest_size)) return false;
  }
  return true;
}

bool has_curved_cones(const Problem& problem, const std::vector<Vector>& cone_multipliers) {
  if (cone_multipliers.empty()) return false;
  for (const ConicConstraint& conic : problem.conic()) {
    for (const Cone& cone : conic.cones) {
      if (cone.kind != ConeKind::zero && cone.kind != ConeKind::nonnegative) return true;
    }
  }
  return problem.conic().empty();  // eigenvalues as rows
}

}  // namespace

// Convexity: sum lambda_i a_i(y) >= v + g'(y - x), v and g the combined value and gradient at x. In order: the least value
// on all of dom psi, a combination that is proved to be constant, and the least value within a radius.
InfeasibilityProof check_infeasibility(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                       ConstVectorRef given, const std::vector<Vector>& cone_multipliers) {
  InfeasibilityProof out;
  if (!x.allFinite() || !given.allFinite() || given.size() != system.size()) return out;
  Vector multipliers = given;
  system.clear_soft(multipliers);
  for (const Vector& z : cone_multipliers) {
    if (!z.allFinite()) return out;
  }
  const Combination c = combine_rows(problem, system, x, multipliers, cone_multipliers);
  const LagrangianEnclosure at = enclose_constraints(problem, system, {x, multipliers, cone_multipliers, nullptr});
  out.rows = c.rows;
  if (!(c.size > 0.0) || !std::isfinite(c.size) || !std::isfinite(at.value) || !at.gradient.allFinite()) return out;
  out.gradient = at.gradient.norm() / c.size;
  const double everywhere = least_value(problem, x, at, kInfinity);
  if (std::isfinite(problem.prox().domain_radius(x)) || everywhere > 0.0) {
    out.excess = everywhere / c.size;
    out.holds = everywhere > 0.0;
    // Functions whose convexity is somebody's word prove nothing about points far away.
    out.radius = !out.holds ? 0.0 : at.convexity_known ? kInfinity : kFar * std::max(1.0, x.lpNorm<Eigen::Infinity>());
    return out;
  }
  const double size = std::max(1.0, x.lpNorm<Eigen::Infinity>());
  const bool curved = has_curved_cones(problem, cone_multipliers);
  double radius = curved ? std::max(kFar * size, kBeyond * c.reach) : kBeyond * std::max(size, c.reach);
  out.excess = least_value(problem, x, at, radius) / c.size;
  const bool near = out.excess > 0.0 && (curved || vanishes_within_rounding(problem.prox(), at));
  if (at.convexity_known && exact_combination_is_positive(problem, system, multipliers, cone_multipliers)) {
    out.holds = true;
    out.radius = kInfinity;
    out.excess = std::max(out.excess, 0.0);
  } else if (near) {
    out.holds = true;
    for (; radius < kLargestRadius && least_value(problem, x, at, kRadiusStep * radius) > 0.0;) radius *= kRadiusStep;
    out.radius = radius;
  }
  return out;
}

InfeasibilityProof check_infeasibility_balanced(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                                Vector& multipliers, const std::vector<Vector>& cone_multipliers) {
  const InfeasibilityProof proof = check_infeasibility(problem, system, x, multipliers, cone_multipliers);
  if (proof.holds && proof.kind() == InfeasibilityKind::proved) return proof;
  system.clear_soft(multipliers);
  Vector beside = Vector::Zero(x.size());
  if (!cone_multipliers.empty()) {
    const Vector none = Vector::Zero(multipliers.size());
    beside = enclose_constraints(problem, system, {x, none, cone_multipliers, nullptr}).gradient;
  }
  for (const double meant_zero : kMeantZero) {
    const std::optional<Vector> balanced = balance_multipliers(problem, system, x, multipliers, beside, meant_zero);
    if (!balanced) break;
    const InfeasibilityProof again = check_infeasibility(problem, system, x, *balanced, cone_multipliers);
    if (!again.holds || (proof.holds && again.radius <= proof.radius)) {
      if (proof.holds) break;
      continue;
    }
    multipliers = *balanced;
    return again;
  }
  return proof;
}

InfeasibilityProof prove_infeasible_balanced(const Problem& problem, ConstVectorRef x, Multipliers& multipliers) {
  const InfeasibilityProof proof = prove_infeasible(problem, x, multipliers);
  if (proof.holds || proof.rows == 0) return proof;
  ConstraintSystem system(problem);
  Vector joined = system.join(multipliers);
  const InfeasibilityProof again = check_infeasibility_balanced(problem, system, x, joined, multipliers.cones);
  if (!again.holds) return proof;
  const std::vector<Vector> cones = multipliers.cones;
  multipliers = system.split(joined);
  multipliers.cones = cones;
  return again;
}

InfeasibilityProof prove_infeasible(const Problem& problem, ConstVectorRef x, const Multipliers& multipliers) {
  for (const Vector& lambda : multipliers.lambda) {
    if (!lambda.allFinite()) return {};
  }
  if (!multipliers.nu.allFinite()) return {};
  for (const Vector& z : multipliers.cones) {
    if (!z.allFinite()) return {};
  }
  ConstraintSystem system(problem);
  return check_infeasibility(problem, system, x, system.join(multipliers), multipliers.cones);
}

std::string_view to_string(InfeasibilityKind kind) {
  return kind == InfeasibilityKind::proved ? "proved" : "within_radius";
}

std::string describe(const InfeasibilityProof& p) {
  if (!p.holds) return fmt::format("the multipliers of {} constraints do not prove infeasibility", p.rows);
  const std::string where =
      std::isfinite(p.radius) ? fmt::format("no point with entries up to {:.1e}", p.radius) : std::string("no point");
  const bool one = p.rows == 1;
  const std::string who =
      one ? "the multiplier of one of them proves it" : fmt::format("multipliers of {} of them prove it", p.rows);
  // What exact arithmetic alone proves has no distance.
  const std::string distance = p.excess > 0.0
                                   ? fmt::format("({} {:.1e})", one ? "it is missed by" : "they miss by", p.excess)
                                   : std::string("(in exact arithmetic)");
  return fmt::format("{} satisfies the constraints: {} {}", where, who, distance);
}

}  // namespace pliant
