// Every proven bound on random problems with known solution, multipliers and threshold: none may be violated, and the
// worst ratio actual/bound shows how sharp each is. Theorem 1 as printed is measured beside them.
#include "pliant/certificate.hpp"
#include "pliant/theory.hpp"

#include "statement_table.hpp"
#include "studies/theory/study_grid.hpp"
#include "support/planted.hpp"
#include "support/reference_newton.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <vector>

namespace pliant {
namespace {

using testing::kDeltas;
using testing::kEps;
using testing::kSpreads;
using testing::PenalizedFunction;
using testing::Planted;
using testing::PlantedFamily;
using testing::PlantedOptions;
using testing::Random;
using testing::StatementTable;

constexpr std::uint64_t kPlanted = 720;

/// The instances run through all families, mu > 0 and mu = 0, and three spreads of the gradient norms.
PlantedOptions options_of(std::uint64_t seed) {
  Random random(seed + 100000);
  PlantedOptions o;
  o.family = static_cast<PlantedFamily>(seed % 4);
  o.mu = (seed / 4) % 2 == 0 ? random.log_uniform(0.01, 3.0) : 0.0;
  o.norm_spread = kSpreads[(seed / 8) % 3];
  o.n = random.integer(2, 6);
  o.active = random.integer(1, o.n);
  o.inactive = (seed / 24) % 3 == 0 ? 0 : random.integer(1, 12);
  o.equal_multipliers = (seed / 72) % 2 == 0;
  o.weakly_active = (seed / 24) % 5 == 1;
  // Vertices without curvature attain the master bound.
  if (seed % 20 == 4)
    o = {.family = PlantedFamily::linear,
         .n = o.n,
         .active = o.n,
         .inactive = 0,
         .mu = 0.0,
         .norm_spread = o.norm_spread,
         .equal_multipliers = true};
  return o;
}

double violation_1(const Vector& a) { return a.cwiseMax(0.0).sum(); }
std::span<const double> as_span(const Vector& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

/// Magnitude of what is added up in F_{xi,0} at x: rounding errors are a few eps of it.
double rounding_scale(const Planted& p, const PenalizedFunction& f, const Vector& x) {
  const Vector a = f.constraint_values(x);
  double sum = std::abs(p.objective) + x.norm() * f.lagrangian_gradient(x, Vector::Zero(a.size())).norm() +
               p.problem.smoothness() * (x.squaredNorm() + p.x_star.squaredNorm());
  for (const BatchPtr& batch : p.problem.batches()) {
    Vector values(batch->size()), norms(batch->size());
    batch->values_and_gradient_norms(x, Rows::range(0, batch->size()), values, norms);
    sum += f.xi() * (norms.sum() * (x.norm() + p.x_star.norm()) + values.cwiseAbs().sum() +
                     static_cast<double>(batch->size()) * batch->constant_scale());
  }
  return sum;
}

/// What Theorem 1 as printed did on the points where its conditions hold.
struct TheoremRecord {
  Index tested = 0;
  Index violation_failed = 0;  ///< |max(0, A(x_delta))|_2 > bound
  Index change_failed = 0;     ///< |A(x_delta) - A(x*)|_2 > bound
  double worst = 0.0;          ///< largest |A(x_delta) - A(x*)|_2/bound
};

/// The constants all constraints share, or nothing if a constraint has none.
std::optional<theory::ConstraintConstants> common_constants(const Problem& problem) {
  theory::ConstraintConstants common;
  for (const BatchPtr& batch : problem.batches()) {
    const RowConstants* rows = batch->constants();
    if (rows == nullptr || !rows->growth_constant.allFinite()) return std::nullopt;
    common.La = std::max(common.La, rows->smoothness.maxCoeff());
    common.C0 = std::max(common.C0, rows->growth_constant.maxCoeff());
    common.C1 = std::max(common.C1, rows->growth_slope.maxCoeff());
  }
  return common;
}

class BoundsStudy : public ::testing::Test {
 protected:
  /// Statements about the minimiser x_delta; r is its small remaining gradient.
  void at_minimizer(const Planted& p, const PenalizedFunction& f, const Vector& x) {
    const double xi = f.xi(), delta = f.delta();
    const Vector a = f.constraint_values(x);
    const theory::Penalty penalty{xi, delta, a.size()};
    const double distance = (x - p.x_star).norm();
    const double violation = violation_1(a);
    const double gap = p.problem.objective(x) - p.objective;
    // For a point with gradient r every bound below holds with |r| distance added.
    const double margin = f.gradient(x).norm() * distance + 64 * kEps * rounding_scale(p, f, x);
    ASSERT_LE(margin, 1e-2 * theory::master_bound(penalty)) << "the reference minimiser has not converged";
    const double left = (xi - p.xi_bar) * violation + p.mu * distance * distance;
    const double term = theory::master_term(xi, delta, as_span(a));
    const std::vector<double> slacks = p.inactive_slacks();
    const double refined = theory::master_bound_refined(xi, delta, p.active, slacks);

    table_.check("master bound, computable term", left, term, margin);
    table_.check("master bound, W m xi delta", left, theory::master_bound(penalty), margin);
    table_.check("master bound, refined", left, refined, margin);
    if (xi > p.xi_bar) {
      table_.check("violation bound from the master term", violation, theory::violation_bound(term, xi, p.xi_bar),
                   margin / (xi - p.xi_bar));
    }
    if (p.mu > 0.0) {
      table_.check("distance bound from the master term", distance * distance,
                   std::pow(theory::distance_bound(term, p.mu), 2), margin / p.mu);
    }
    table_.check("objective gap, W m xi delta (Prop. 1, sharper)", gap, theory::objective_gap_upper(penalty), margin);
    table_.check("objective gap, m xi delta ln 2 (Prop. 1)", gap, theory::objective_gap_upper_weak(penalty), margin);
    table_.check("objective gap, active constraints (remark)", gap,
                 theory::objective_gap_upper_refined(xi, delta, p.active, slacks), margin);
    table_.check("objective gap, values at x*", gap,
                 theory::objective_gap_upper_from_values(xi, delta, as_span(p.optimal)), margin);
    other_norms(p, f, x, margin);
    any_point(p, f, x);
  }

  /// Violations of the minimiser in the 2-norm and the infinity norm.
  void other_norms(const Planted& p, const PenalizedFunction& f, const Vector& x, double margin) {
    const Vector violation = f.constraint_values(x).cwiseMax(0.0);
    const theory::Penalty penalty{f.xi(), f.delta(), violation.size()};
    if (f.xi() > p.xi_bar) {
      const theory::NormBounds bounds = theory::violation_norms(penalty, p.xi_bar);
      // The root moves with the margin, like its square root where the slope vanishes (one constraint, xi = 2 xi_bar).
      const double moved = margin / (f.xi() - p.xi_bar) + 4.0 * std::sqrt(f.delta() * margin / f.xi());
      table_.check("violation, 1-norm, from the root", violation.sum(), bounds.one, moved);
      table_.check("violation, 2-norm", violation.norm(), bounds.two, moved);
      table_.check("violation, infinity norm", violation.maxCoeff(), bounds.infinity, moved);
    }
    const auto constants = common_constants(p.problem);
    if (!(p.mu > 0.0) || !constants) return;
    const double master = theory::master_bound(penalty), distance = theory::distance_bound(master, p.mu);
    const theory::NormBounds bounds = theory::violation_norms_from_distance(*constants, violation.size(), distance);
    // d v/d(d^2) <= v/d^2, and the margin moves d^2 by margin/mu.
    const double relative = margin / master + 64 * kEps;
    table_.check("violation from the distance, 2-norm", violation.norm(), bounds.two, relative * bounds.two);
    table_.check("violation from the distance, infinity norm", violation.maxCoeff(), bounds.infinity,
                 relative * bounds.infinity);
  }

  /// Statements about any x, here x_delta and random points.
  void any_point(const Planted& p, const PenalizedFunction& f, const Vector& x) {
    const Vector a = f.constraint_values(x);
    const double violation = violation_1(a);
    const double margin = 64 * kEps * rounding_scale(p, f, x);
    const double gap = p.problem.objective(x) - p.objective;
    table_.check("objective from below, -xi_bar V (Prop. 1, sharper)", -gap,
                 -theory::objective_gap_lower(p.xi_bar, violation), margin);
    table_.check("objective from below, -xi V (Prop. 1)", -gap, -theory::objective_gap_lower_weak(f.xi(), violation),
                 margin);
    const double penalized = f.value(x);
    middle_term(p, f, a, penalized, margin);
    if (f.xi() <= p.xi_bar) return;
    const double scale = f.xi() - p.xi_bar;
    table_.check("any point (Prop. 2, sharper)", violation,
                 theory::any_point_violation_bound(std::max(0.0, penalized - p.objective), f.xi(), p.xi_bar),
                 margin / scale);
    table_.check(
        "any point (Prop. 2)", violation,
        theory::any_point_violation_bound_weak(penalized - f.value(p.x_star), {f.xi(), f.delta(), a.size()}, p.xi_bar),
        margin / scale);
  }

  /// The middle term of Proposition 2, with E the constraints active at x* and with E those of positive multiplier.
  void middle_term(const Planted& p, const PenalizedFunction& f, const Vector& a, double penalized, double margin) {
    std::vector<Index> active, positive;
    double inactive = 0.0;
    for (Index i = 0; i < a.size(); ++i) {
      if (p.optimal[i] == 0.0) active.push_back(i);
      if (p.lambda[i] > 0.0) positive.push_back(i);
      if (!(p.lambda[i] > 0.0)) inactive += std::max(0.0, a[i]);
    }
    const double gap = std::max(0.0, penalized - p.objective);
    const double paper = theory::weighted_violation(f.xi(), p.xi_bar, as_span(a), active);
    const double sharper = theory::weighted_violation(f.xi(), p.xi_bar, as_span(a), positive);
    table_.check("middle term (Prop. 2), left side", (f.xi() - p.xi_bar) * violation_1(a), paper, margin);
    table_.check(
        "middle term (Prop. 2), as in the paper", paper,
        theory::weighted_violation_bound_weak(penalized - f.value(p.x_star) + margin, {f.xi(), f.delta(), a.size()}),
        margin);
    table_.check("middle term (Prop. 2), F*, E active at x*", paper, gap, margin);
    table_.check("middle term (Prop. 2), F*, E of positive multipliers", sharper, gap, margin);
    table_.check("middle term (Prop. 2), violation outside of E", inactive,
                 theory::inactive_violation_bound(gap, f.xi()), margin / f.xi());
  }

  /// Safe balls about a point near x_delta, with the multipliers of that point.
  void screening(const Planted& p, const PenalizedFunction& f, const Vector& x) {
    if (!(p.mu > 0.0)) return;
    const Vector a = f.constraint_values(x);
    const Vector lambda = f.multipliers(a);
    const Vector r = f.lagrangian_gradient(x, lambda);
    const double distance = (x - p.x_star).norm();
    const double centered = (x - r / p.mu - p.x_star).norm();
    const double scale = 64 * kEps * rounding_scale(p, f, x);
    const double gap = std::max(0.0, p.objective - p.problem.objective(x) - lambda.dot(a) + scale);
    // Radii are square roots of the gap: compare squares, whose rounding is that of the gap.
    const auto check = [&](const char* name, double actual, double radius) {
      table_.check(name, actual * actual, radius * radius, 8 * kEps * radius * radius + 2 * scale / p.mu);
    };
    check("screening radius (squared)", distance, theory::screening_radius(r.norm(), p.mu, gap));
    check("screening radius, centred (squared)", centered, theory::screening_radius_centered(r.norm(), p.mu, gap));
    check("screening radius, exact penalty (squared)", distance,
          theory::screening_radius_exact_penalty(r.norm(), p.mu, theory::master_term(f.xi(), f.delta(), as_span(a))));
    const double sum = f.xi() * violation_1(a) - lambda.dot(a);
    check("screening radius, multipliers, centred (squared)", centered,
          theory::screening_radius_multiplier(r.norm(), p.mu, std::max(0.0, sum) + scale));
  }

  /// The certificate of x with its own multipliers: F(x) - F* <= F(x) - LB. Without strong convexity a box that
  /// holds x* inside changes nothing but makes the bound a proof.
  void certificate(const Planted& p, const PenalizedFunction& f, const Vector& x) {
    Problem problem = p.problem;
    if (!(p.mu > 0.0)) {
      const Vector width = Vector::Constant(x.size(), 5.0);
      problem.regularize(box(to_array(Vector(p.x_star - width)), to_array(Vector(p.x_star + width))));
    }
    Multipliers multipliers = zero_multipliers(problem);
    const Vector lambda = f.multipliers(f.constraint_values(x));
    Index begin = 0;
    for (Vector& part : multipliers.lambda) {
      part = lambda.segment(begin, part.size());
      begin += part.size();
    }
    const Certificate c = certify(problem, x, multipliers);
    EXPECT_EQ(c.proof.kind, BoundKind::proved);  // whether or not it is good enough to be shown
    table_.check(p.mu > 0.0 ? "certificate, mu > 0" : "certificate, mu = 0 in a box",
                 p.problem.objective(x) - p.objective, c.objective - c.proof.value,
                 64 * kEps * rounding_scale(p, f, x));
  }

  void theorem1(const Planted& p, const PenalizedFunction& f, const Vector& x, double spread) {
    const auto constants = common_constants(p.problem);
    if (!(p.mu > 0.0) || !constants) return;
    const Vector a = f.constraint_values(x);
    const double U = theory::theorem1_constant(*constants, a.size(), p.optimal.cwiseAbs().maxCoeff());
    const theory::Printed bound = theory::theorem1_as_printed({f.xi(), f.delta(), a.size()}, p.mu, U, constants->C1);
    if (!bound.conditions_hold) return;
    TheoremRecord& record = theorem_[spread];
    ++record.tested;
    const double change = (a - p.optimal).norm();
    record.violation_failed += a.cwiseMax(0.0).norm() > bound.value;
    record.change_failed += change > bound.value;
    record.worst = std::max(record.worst, change / bound.value);
  }

  /// Proposition 3 on pairs of points at the distances where the penalty bends.
  void smoothness(const Planted& p, double delta, Random& random) {
    for (const BatchPtr& batch : p.problem.batches()) {
      const RowConstants* rows = batch->constants();
      for (Index i = 0; i < batch->size(); ++i) {
        const theory::ConstraintConstants c{rows->smoothness[i], rows->growth_constant[i], rows->growth_slope[i]};
        if (!std::isfinite(c.C0)) continue;
        const double length = delta / std::max(1e-3, std::sqrt(c.C0)) * random.log_uniform(0.01, 10.0);
        const Vector x = p.x_star + length * random.vector(p.x_star.size());
        const Vector y = x + 0.1 * length * random.vector(x.size());
        const auto gradient = [&](const Vector& z) {
          Vector g = Vector::Zero(z.size());
          batch->add_component_gradient(i, z, 1.0 / (1.0 + std::exp(-batch->component_value(i, z) / delta)), g);
          return g;
        };
        const double norm = gradient(x).norm();
        // The values a_i are known to a few eps of their data only, and p' turns that into eps/delta.
        const double margin = 64 * kEps * norm * (1.0 + (batch->constant_scale() + std::sqrt(c.C0) * x.norm()) / delta);
        table_.check("smoothness (Prop. 3, sharper)", (gradient(x) - gradient(y)).norm(),
                     theory::component_smoothness(c, delta) * (x - y).norm(), margin);
        table_.check("smoothness (Prop. 3)", (gradient(x) - gradient(y)).norm(),
                     theory::component_smoothness_weak(c, delta) * (x - y).norm(), margin);
      }
    }
  }

  /// Accuracy statements, at the worst point allowed: as far from x_delta as the inner accuracy permits.
  void accuracy(const Planted& p, double xi, double eps, Random& random) {
    const Index m = p.lambda.size();
    const theory::StaticParameters s = theory::static_parameters(eps, m, xi, p.xi_bar);
    const PenalizedFunction f(p.problem, xi, s.delta);
    const Vector x_delta = testing::minimize_penalized(p.problem, xi, s.delta);
    const double least = f.value(x_delta);
    const Vector away = p.x_star - p.slater_point;
    for (const Vector& direction :
         {away, Vector(random.vector(x_delta.size())), Vector(random.vector(x_delta.size()))}) {
      double lo = 0.0, hi = 1.0;
      while (f.value(x_delta + hi * direction) - least < s.inner_accuracy && hi < 1e6) hi *= 2.0;
      for (int k = 0; k < 60; ++k) {
        const double mid = 0.5 * (lo + hi);
        (f.value(x_delta + mid * direction) - least <= s.inner_accuracy ? lo : hi) = mid;
      }
      const Vector x = x_delta + lo * direction;
      const double margin = 64 * kEps * rounding_scale(p, f, x);
      const double violation = violation_1(f.constraint_values(x));
      table_.check("static parameters: violation <= eps", violation, s.violation, margin / (xi - p.xi_bar));
      table_.check("static parameters: objective gap <= xi eps/2", p.problem.objective(x) - p.objective,
                   s.objective_gap, margin);
      // The inner accuracy xi eps/4 is exactly m xi delta ln 2, that of the remark.
      table_.check("4 m delta ln 2 (remark on Prop. 2)", violation,
                   theory::doubled_threshold_violation_bound(s.delta, m), margin / (xi - p.xi_bar));
    }
  }

  StatementTable table_;
  std::map<double, TheoremRecord> theorem_;
};

TEST_F(BoundsStudy, NoProvenBoundIsViolated) {
  for (std::uint64_t seed = 0; seed < kPlanted; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const PlantedOptions options = options_of(seed);
    const Planted p = testing::plant(options, seed);
    Random random(seed + 200000);
    table_.check(
        "multipliers from a Slater point", p.lambda.sum(),
        theory::multiplier_bound_from_slater(p.problem.objective(p.slater_point) - p.objective, p.slater_slack),
        64 * kEps * std::abs(p.objective) / p.slater_slack);
    const double least_ratio = p.mu > 0.0 ? 1.0 : 1.02;
    for (const double ratio : {least_ratio, 1.0 + theory::kW, random.log_uniform(1.02, 100.0), 100.0}) {
      testing::PenaltyPath path(p.problem, ratio * p.xi_bar);
      for (const double delta : kDeltas) {
        SCOPED_TRACE(fmt::format("xi/xi_bar {} delta {}", ratio, delta));
        const Vector& x = path.advance(delta);
        const PenalizedFunction f(p.problem, ratio * p.xi_bar, delta);
        at_minimizer(p, f, x);
        theorem1(p, f, x, options.norm_spread);
        screening(p, f, x);
        certificate(p, f, x);
        const Vector nearby = x + random.log_uniform(1e-3, 10.0) * delta * random.vector(x.size());
        screening(p, f, nearby);
        certificate(p, f, nearby);
        any_point(p, f, nearby);
        any_point(p, f, p.x_star + random.log_uniform(1e-6, 3.0) * random.vector(x.size()));
        smoothness(p, delta, random);
      }
    }
    accuracy(p, p.xi_bar * random.log_uniform(2.0, 20.0), random.log_uniform(1e-5, 1.0), random);
    accuracy(p, p.xi_bar * 2.0, random.log_uniform(1e-5, 1.0), random);
    if (::testing::Test::HasFatalFailure()) return;
  }
  table_.print(fmt::format("{} random instances, xi from xi_bar to 100 xi_bar, delta from 1 to 1e-6", kPlanted));
  fmt::print("\nTheorem 1 as printed (points where its conditions hold)\n{:>22} {:>8} {:>18} {:>18} {:>14}\n",
             "spread of norms", "tested", "violation fails", "|A - A*|_2 fails", "worst factor");
  for (const auto& [spread, r] : theorem_) {
    const double count = static_cast<double>(std::max<Index>(r.tested, 1));
    fmt::print("{:22} {:8} {:17.2f}% {:17.2f}% {:14.2f}\n", spread, r.tested,
               100.0 * static_cast<double>(r.violation_failed) / count,
               100.0 * static_cast<double>(r.change_failed) / count, r.worst);
  }
  // A wrong constant would show: these are attained.
  EXPECT_GT(table_.worst("master bound, computable term"), 0.99);
  EXPECT_GT(table_.worst("master bound, W m xi delta"), 0.99);
  EXPECT_GT(table_.worst("master bound, refined"), 0.99);
}

// Rows e_1..e_{m-1} and -k (1,..,1), cost -xi_bar times the last row: the infinity-norm bound is attained.
TEST_F(BoundsStudy, TheLargestViolationIsAttained) {
  fmt::print("\nThe infinity-norm bound, attained (xi = 1.7, delta = 0.01)\n{:>5} {:>10} {:>14} {:>14}\n", "m",
             "xi_bar/xi", "|A+|_inf", "bound");
  const double xi = 1.7, delta = 0.01;
  for (const Index m : {2, 5, 20}) {
    for (const double rho : {0.3, 0.6, 0.9}) {
      const double bound = theory::violation_norms({xi, delta, m}, rho * xi).infinity;
      const double t = 1.0 + theory::kW;
      const double k = 1.0 / (1.0 + std::exp(t)) / (1.0 / (1.0 + std::exp(-bound / delta)) - rho);
      Matrix A = Matrix::Identity(m, m - 1);
      A.row(m - 1).setConstant(-k);
      Problem problem(m - 1);
      problem.minimize(linear(to_array(Vector::Constant(m - 1, rho * xi * k))));
      problem.subject_to(linear_le(DataMatrix::from(A), to_array(Vector::Zero(m))));
      const Vector x = testing::minimize_penalized(problem, xi, delta);
      const double violation = (A * x).cwiseMax(0.0).maxCoeff();
      fmt::print("{:5} {:10} {:14.8e} {:14.8e}\n", m, rho, violation, bound);
      EXPECT_NEAR(violation, bound, 1e-9 * bound);
    }
  }
}

}  // namespace
}  // namespace pliant
