#include "certify/exact_combination.hpp"
#include "certify/infeasibility.hpp"
#include "certify/proof.hpp"
#include "constraints/linear.hpp"
#include "lagrangian/conic.hpp"
#include "linalg/absolute_rows.hpp"
#include "linalg/rounding.hpp"
#include "linalg/shifted_cholesky.hpp"
#include "linalg/verified_solve.hpp"
#include "objective/linear.hpp"
#include "objective/quadratic.hpp"
#include "pliant/regularizers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Cones that are no rows cannot be left by rounding alone: their growth relative to the descent, both relative to their
// gradients. The claim is then limited to a radius.
constexpr double kReceding = 1e-8;
// Descents below this are lost to rounding.
constexpr double kLeastDescent = 1e-10;

double share(double part, double whole) { return part == 0.0 ? 0.0 : part / whole; }

// How the direction was found to behave; `certain`: proved for d or a direction d' with |d'_j - d_j| <= spread_j.
struct Findings {
  bool holds = true, certain = true;
  double radius = kInfinity;

  // A growth per unit of t, rounding or what is unknown of it included, of a constraint whose scale is `scale`.
  void limit(double growth, double scale, double length) {
    certain = false;
    // Rounded down: the scale, the length and the growth are computed, too.
    if (growth > 0.0) radius = std::min(radius, scale / (kInflation * growth) * length);
  }
};

// slope of F along d and of its second derivative.
void check_objective(const Problem& problem, ConstVectorRef x, ConstVectorRef d, const Vector& spread,
                     UnboundednessProof& out, Findings& found) {
  Growth growth = problem.prox().growth(x, d);
  Vector sizes = Vector::Zero(x.size()), gradient = Vector::Zero(x.size());
  double operations = static_cast<double>(x.size()) + kAround, smoothness = problem.prox().strong_convexity();
  const Vector reach = d.cwiseAbs() + spread;
  for (const auto& t : problem.terms()) {
    if (t.weight == 0.0) continue;
    const Growth part = t.term->growth(x, d);
    growth.slope += t.weight * part.slope;
    growth.curvature += t.weight * part.curvature;
    t.term->add_absolute_sums(x, t.weight, sizes);
    operations += static_cast<double>(t.term->rounding_length());
    const TermStructure structure = t.term->structure();
    if (structure.quadratic) {
      double size = 0.0;
      for_each_entry(*structure.quadratic.P,
                     [&](Index i, Index j, double p) { size += reach[i] * std::abs(p) * reach[j]; });
      // Exactly flat only where d and P share no variable.
      found.certain = found.certain && size == 0.0;
      found.holds = found.holds && part.curvature <= kDoubt * rounding_error(operations, size);
    } else if (!structure.linear) {
      found.certain = false;
      found.holds = found.holds && part.curvature == 0.0;
    }
    smoothness += t.weight * t.term->smoothness();
  }
  const Growth own = problem.prox().growth(x, d);
  found.holds = found.holds && own.curvature == 0.0;
  problem.add_smooth_gradient(x, gradient);
  const double steepness = gradient.norm();
  out.descent = -growth.slope / (steepness * d.norm());
  out.curvature = share(growth.curvature, smoothness * d.squaredNorm());
  const double error = rounding_error(operations, sizes.dot(reach) + std::abs(growth.slope) + std::abs(own.slope)) +
                       kInflation * sizes.dot(spread);
  found.holds = found.holds && out.descent > kLeastDescent && std::isfinite(out.descent) && growth.slope + error < 0.0;
}

// Rows of a batch: linear functions that must not grow (ConstraintBatch::recession_cone).
void check_rows(const ConstraintBatch& batch, ConstVectorRef scales, ConstVectorRef d, const Vector& spread,
                Findings& found) {
  const RecessionCone cone = batch.recession_cone();
  if (cone.rows == nullptr) {
    found.holds = false;
    return;
  }
  const Index m = cone.rows->size();
  const Rows all = Rows::range(0, m);
  const double operations = static_cast<double>(cone.rows->rounding_length(Rows::range(0, std::min<Index>(1, m))));
  Vector slope(m), sizes(m), widest(m), moved = Vector::Zero(m), unused = Vector::Zero(d.size());
  cone.rows->values(d, all, slope);
  cone.rows->add_absolute_sums(d, all, Vector::Zero(m), sizes, unused);
  const Vector everywhere = Vector::Constant(d.size(), d.lpNorm<Eigen::Infinity>());
  cone.rows->add_absolute_sums(everywhere, all, Vector::Zero(m), widest, unused);
  if (!spread.isZero(0.0)) cone.rows->add_absolute_sums(spread, all, Vector::Zero(m), moved, unused);
  const LinearRows* linear = cone.rows->linear_rows();
  const double length = d.lpNorm<Eigen::Infinity>();
  for (Index i = 0; i < m && found.holds; ++i) {
    if (sizes[i] == 0.0 && moved[i] == 0.0) continue;
    const double error = rounding_error(operations, sizes[i]);
    if (!(slope[i] <= kDoubt * (error + kUnitRoundoff * widest[i]))) {
      found.holds = false;
    } else if (slope[i] + error + kInflation * moved[i] > 0.0) {
      const bool zero =
          moved[i] == 0.0 && linear != nullptr && exactly_orthogonal(linear->matrix().row(linear->side(i).row), d);
      const Index row = scales.size() == m ? i : i * scales.size() / m;  // several to a row: log-sum-exp
      if (!zero) found.limit(std::max(0.0, slope[i]) + error + moved[i], scales[row], length);
    }
  }
  if (cone.flat) found.certain = false;
}

// Two sides of one row: the sum is exactly 0, proved for a d' nearby, or it is not known.
void check_equalities(const ConstraintBatch& batch, ConstVectorRef scales, ConstVectorRef d, Findings& found) {
  const LinearRows& linear = *batch.linear_rows();
  const Vector size_of_d = d.cwiseAbs();
  const double operations = static_cast<double>(d.size()) + kAround, length = d.lpNorm<Eigen::Infinity>();
  for (Index i = 0; i < batch.size() && found.holds; ++i) {
    const Index row = linear.side(i).row;
    const double slope = std::abs(linear.matrix().dot(row, d.data()));
    const double error = rounding_error(operations, absolute_dot(linear.matrix(), row, size_of_d.data()));
    const Vector everywhere = Vector::Constant(d.size(), length);
    const double widest = absolute_dot(linear.matrix(), row, everywhere.data());
    found.holds = slope <= kDoubt * (error + kUnitRoundoff * widest);
    found.limit(slope + error, scales[i], length);
  }
}

void check_curvature(ConstraintSystem& system, ConstVectorRef x, ConstVectorRef d, UnboundednessProof& out,
                     Findings& found) {
  const Index m = system.size();
  Vector a(m), norms(m), smoothness(m), slope(m), curvature(m);
  system.values_and_bounds(x, a, norms, smoothness);
  system.growth(x, d, slope, curvature);
  const double length = d.norm();
  double worst = 0.0;
  out.leaving = -kInfinity;
  for (Index i = 0; i < m; ++i) {
    const double leaves = share(slope[i], norms[i] * length);  // no gradient, but a slope: infinite, refused
    const double bends = share(curvature[i], smoothness[i] * length * length);
    if (std::isnan(leaves) || std::isnan(bends) || std::isnan(a[i])) found.holds = false;
    if (!(bends <= gamma_of(static_cast<double>(x.size()) + kAround))) found.holds = false;
    out.leaving = std::max(out.leaving, leaves);
    out.curvature = std::max(out.curvature, bends);
    worst = std::max(worst, a[i] / system.scales()[i]);
  }
  out.violation = worst;
}

// Entries of d that a bound keeps where they are, and whether the others stay on the right side within `spread`.
std::vector<bool> held_by_bounds(const ProxTerm& prox, ConstVectorRef d) {
  std::vector<bool> out(static_cast<std::size_t>(d.size()), false);
  const SeparableParameters* p = separable_parameters(prox);
  for (Index j = 0; p != nullptr && !p->lo.empty() && j < d.size(); ++j) {
    const bool bounded = p->lo[j] > -kInfinity || p->hi[j] < kInfinity;
    out[static_cast<std::size_t>(j)] = bounded && d[j] == 0.0;
  }
  return out;
}

bool stays_inside(const ProxTerm& prox, ConstVectorRef d, const Vector& spread) {
  const SeparableParameters* p = separable_parameters(prox);
  for (Index j = 0; p != nullptr && !p->lo.empty() && j < d.size(); ++j) {
    const bool bounded = p->lo[j] > -kInfinity || p->hi[j] < kInfinity;
    if (bounded && spread[j] > 0.0 && !(std::abs(d[j]) > spread[j])) return false;
  }
  return true;
}

void check_cones(const Problem& problem, ConstraintSystem& system, ConstVectorRef x, ConstVectorRef d,
                 UnboundednessProof& out, Findings& found) {
  if (problem.conic().empty()) return;
  const double length = d.norm();
  const ConicRecession cones = recede_cones(problem, system, x, d / length);
  out.leaving = std::max(out.leaving, cones.leaving);
  out.violation = std::max(out.violation, cones.violation);
  const double rounding = gamma_of(4.0 * static_cast<double>(x.size()) + cones.longest + 64.0);
  found.holds = found.holds && cones.leaving_rows <= kDoubt * rounding &&
                cones.leaving <= std::max(kDoubt * rounding, kReceding * out.descent);
  if (!(cones.leaving + rounding > 0.0)) return;
  // `leaving` is relative to the norm of a cone's rows, which that of all rows bounds; no scale is below 1.
  double squares = 0.0;
  for (const ConicConstraint& conic : problem.conic()) {
    squares += Eigen::Map<const Vector>(conic.G.values().data(), conic.G.values().size()).squaredNorm();
  }
  const double growth = (std::max(0.0, cones.leaving) + rounding) * std::sqrt(squares) * kInflation;
  found.limit(growth, 1.0, d.lpNorm<Eigen::Infinity>() / length);
}

}  // namespace

UnboundednessProof check_unboundedness(const Problem& problem, ConstraintSystem& system, ConstVectorRef x,
                                       ConstVectorRef direction) {
  UnboundednessProof out;
  const double length = direction.norm();
  if (!x.allFinite() || !(length > 0.0) || !std::isfinite(length) || direction.size() != x.size()) return out;
  if (system.grouped()) return out;
  if (system.has_soft_rows()) return out;  // rows that grow have a price: solve/slack_form.hpp says it with slacks
  const Vector& d = direction;
  const ProxTerm& prox = problem.prox();
  Findings found;
  std::optional<Vector> near = distance_to_equalities(problem, d, held_by_bounds(prox, d));
  if (near && !stays_inside(prox, d, *near)) near.reset();
  const Vector spread = near.value_or(Vector::Zero(d.size()));
  check_objective(problem, x, d, spread, out, found);
  check_curvature(system, x, d, out, found);
  out.violation = std::max(out.violation, prox.domain_violation(x));
  for (Index s = 0; s < system.segments() && found.holds; ++s) {
    const ConstraintBatch& batch = system.batch(s);
    const auto scales = system.scales().segment(system.segment_begin(s), batch.size());
    if (system.segment_begin(s) < system.inequalities()) {
      check_rows(batch, scales, d, spread, found);
    } else {
      const bool certain = found.certain;
      check_equalities(batch, scales, d, found);
      if (near) found.certain = certain;  // of a direction nearby; of d itself the length stays limited
    }
    system.charge(s, Rows::range(0, batch.size()));
  }
  check_cones(problem, system, x, d, out, found);
  out.holds = found.holds;
  if (!out.holds) return out;
  out.radius = found.certain ? kInfinity : std::min(found.radius, 0x1p52 * std::max(1.0, x.lpNorm<Eigen::Infinity>()));
  // 0 = (grad f + sum lambda_i grad a_i)'d <= -descent |grad f| + sum lambda_i |grad a_i| leaving for dual points.
  out.multiplier_bound = out.leaving > 0.0 ? out.descent / out.leaving : kInfinity;
  return out;
}

UnboundednessProof prove_unbounded(const Problem& problem, ConstVectorRef x, ConstVectorRef direction) {
  ConstraintSystem system(problem);
  return check_unboundedness(problem, system, x, direction);
}

std::string describe(const UnboundednessProof& p, double feasibility_tolerance) {
  if (!p.holds) {
    return fmt::format("the ray proves nothing (descent {:.1e}, constraints grow by {:.1e})", p.descent, p.leaving);
  }
  const std::string along =
      p.kind() == InfeasibilityKind::proved
          ? fmt::format("along the ray the objective falls at {:.1e} of its gradient and no constraint grows",
                        p.descent)
          : fmt::format("along the ray the objective falls at {:.1e} of its gradient, up to entries of {:.1e} at least",
                        p.descent, p.radius);
  return p.violation <= feasibility_tolerance ? "the objective is unbounded below: " + along
                                              : "no dual point exists: " + along + " (no feasible point is known)";
}

}  // namespace pliant
