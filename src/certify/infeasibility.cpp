#include "certify/infeasibility.hpp"

#include "lagrangian/conic.hpp"
#include "linalg/sums.hpp"
#include "rows/row_selection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

// Without bounds on x, points farther out than this times max(1, |x|) are not asked about.
constexpr double kFar = 1e8;
// A constraint recedes if it grows by at most this share of what the objective gains, both relative to their gradients.
constexpr double kReceding = 1e-8;
// Descents below this are lost to rounding.
constexpr double kLeastDescent = 1e-10;

// Relative rounding of sums of `count` products.
double rounding(Index count) {
  return std::numeric_limits<double>::epsilon() * (8.0 + 4.0 * std::sqrt(static_cast<double>(count)));
}

// The constraints with a multiplier, at x.
struct Combination {
  Index rows = 0;
  double value = 0.0;     // sum lambda_i a_i(x)
  double size = 0.0;      // sum lambda_i |grad a_i(x)|
  double rounding = 0.0;  // of the value
  Vector gradient;        // sum lambda_i grad a_i(x)
};

Combination combine_rows(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef multipliers,
                         const std::vector<Vector>& cone_multipliers) {
  std::vector<Index> chosen;
  for (Index i = 0; i < multipliers.size(); ++i) {
    if (multipliers[i] > 0.0) chosen.push_back(i);
  }
  Combination out;
  out.rows = static_cast<Index>(chosen.size());
  out.gradient = Vector::Zero(x.size());
  Vector lambda(out.rows), a(out.rows), norms(out.rows);
  for (Index k = 0; k < out.rows; ++k) lambda[k] = multipliers[chosen[static_cast<std::size_t>(k)]];
  RowSelection selection(system);
  selection.select(std::move(chosen));
  selection.values_and_gradient_norms(x, a, norms);
  selection.add_weighted_gradient(x, lambda, out.gradient);
  const auto sum = [&](auto term) { return pairwise_sum(0, out.rows, term); };
  out.value = sum([&](Index k) { return lambda[k] * a[k]; });
  out.size = sum([&](Index k) { return lambda[k] * norms[k]; });
  // g'x - h is computed from numbers of the size |a| + 2 |g| |x| at most.
  const double reach = 2.0 * x.norm();
  const double error = sum([&](Index k) { return lambda[k] * (std::abs(a[k]) + norms[k] * reach); });
  const ConicCombination cones = combine_cones(problem, system, x, reach, cone_multipliers);
  out.value += cones.value;
  out.size += cones.size;
  if (out.size == 0.0) out.size = sum([&](Index k) { return lambda[k]; }) + cones.constant;  // constant functions alone
  out.gradient += cones.gradient;
  out.rows += cones.rows;
  out.rounding = rounding(x.size() + out.rows) * (error + cones.error);
  return out;
}

}  // namespace

// Convexity: sum lambda_i a_i(y) >= v + g'(y - x), v and g the combined value and gradient at x. The right-hand side is
// minimised over dom psi exactly; g is known up to rounding * size, which may turn against us over the whole way to y.
InfeasibilityProof check_infeasibility(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                       ConstVectorRef multipliers, const std::vector<Vector>& cone_multipliers) {
  InfeasibilityProof out;
  if (!x.allFinite() || !multipliers.allFinite() || multipliers.size() != system.size()) return out;
  const Combination c = combine_rows(problem, system, x, multipliers, cone_multipliers);
  out.rows = c.rows;
  if (!(c.size > 0.0) || !std::isfinite(c.size) || !std::isfinite(c.value) || !c.gradient.allFinite()) return out;
  out.gradient = c.gradient.norm() / c.size;

  const double widest = problem.prox().domain_radius(x);
  const double slack = rounding(x.size() + c.rows) * c.size;
  const auto excess = [&](double radius) {
    const double way = std::min(widest, std::sqrt(static_cast<double>(x.size())) * radius + x.norm());
    const double lowest = problem.prox().linear_minimum(x, c.gradient, radius);
    return (c.value - c.rounding + lowest - rounding(x.size()) * std::abs(lowest) - slack * way) / c.size;
  };
  if (std::isfinite(widest)) {
    out.excess = excess(kInfinity);
    out.holds = out.excess > 0.0;
    out.radius = out.holds ? kInfinity : 0.0;
    return out;
  }
  const double far = kFar * std::max(1.0, x.lpNorm<Eigen::Infinity>());
  out.excess = excess(far);
  out.holds = out.excess > 0.0;
  if (out.holds) {  // linear in the radius from here on
    const double loss = out.excess - excess(2.0 * far);
    out.radius = loss > 0.0 ? far * (1.0 + out.excess / loss) : far;
  }
  return out;
}

UnboundednessProof check_unboundedness(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                       ConstVectorRef direction) {
  UnboundednessProof out;
  const double length = direction.norm();
  if (!x.allFinite() || !(length > 0.0) || !std::isfinite(length) || direction.size() != x.size()) return out;
  const Vector d = direction / length;

  Growth growth = problem.prox().growth(x, d);
  for (const auto& t : problem.terms()) {
    if (t.weight == 0.0) continue;
    const Growth part = t.term->growth(x, d);
    growth.slope += t.weight * part.slope;
    growth.curvature += t.weight * part.curvature;
  }
  Vector gradient = Vector::Zero(x.size());
  problem.add_smooth_gradient(x, gradient);
  const double steepness = gradient.norm();
  out.descent = -growth.slope / steepness;

  const Index m = system.size();
  Vector a(m), norms(m), smoothness(m), slope(m), curvature(m);
  system.values_and_bounds(x, a, norms, smoothness);
  system.growth(x, d, slope, curvature);
  const auto share = [](double part, double whole) { return part == 0.0 ? 0.0 : part / whole; };
  double bend = share(growth.curvature, problem.smoothness() + problem.prox().strong_convexity());
  const ConicRecession cones = recede_cones(problem, system, x, d);
  double leaving = m > 0 || !problem.conic().empty() ? cones.leaving : 0.0;
  double worst = std::max({0.0, problem.prox().domain_violation(x), cones.violation});
  for (Index i = 0; i < m; ++i) {
    const double leaves = share(slope[i], norms[i]);  // no gradient, but a slope: infinite, refused
    const double bends = share(curvature[i], smoothness[i]);
    if (std::isnan(leaves) || std::isnan(bends) || std::isnan(a[i])) return out;
    leaving = std::max(leaving, leaves);
    bend = std::max(bend, bends);
    worst = std::max(worst, a[i]);
  }
  out.leaving = leaving;
  out.curvature = bend;
  out.violation = worst / (1.0 + problem.constant_scale());
  const bool falls = out.descent > kLeastDescent && std::isfinite(out.descent);
  const bool recedes = out.leaving <= kReceding * out.descent + rounding(x.size());
  out.holds = falls && recedes && out.curvature <= rounding(x.size());
  // 0 = (grad f + sum lambda_i grad a_i)'d <= -descent |grad f| + sum lambda_i |grad a_i| leaving for dual points.
  if (out.holds) out.multiplier_bound = out.leaving > 0.0 ? out.descent / out.leaving : kInfinity;
  return out;
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

UnboundednessProof prove_unbounded(const Problem& problem, ConstVectorRef x, ConstVectorRef direction) {
  ConstraintSystem system(problem);
  return check_unboundedness(problem, system, x, direction);
}

std::string describe(const InfeasibilityProof& p) {
  if (!p.holds) return fmt::format("the multipliers of {} constraints do not prove infeasibility", p.rows);
  const std::string where =
      std::isfinite(p.radius) ? fmt::format("no point with entries up to {:.1e}", p.radius) : std::string("no point");
  return fmt::format("{} satisfies the constraints: multipliers of {} of them prove it (they miss by {:.1e})", where,
                     p.rows, p.excess);
}

std::string describe(const UnboundednessProof& p, double feasibility_tolerance) {
  if (!p.holds) {
    return fmt::format("the ray proves nothing (descent {:.1e}, constraints grow by {:.1e})", p.descent, p.leaving);
  }
  const std::string along =
      fmt::format("along the ray the objective falls at {:.1e} of its gradient and constraints grow by at most {:.1e}",
                  p.descent, std::max(0.0, p.leaving));
  return p.violation <= feasibility_tolerance ? "the objective is unbounded below: " + along
                                              : "no dual point exists: " + along + " (no feasible point is known)";
}

}  // namespace pliant
