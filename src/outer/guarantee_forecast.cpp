// From a problem to xi, delta and N.
#include "outer/guarantee.hpp"

#include "linalg/rounding.hpp"
#include "linalg/sums.hpp"
#include "pliant/regularizers.hpp"
#include "pliant/theory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// y_k = x_k + beta (x_k - x_{k-1}), beta < 1: three times as far from x0 as points of the domain at most.
constexpr double kExtrapolation = 3.0;
// Any xi > 0 will do where the Slater bound is 0: no constraint is ever active.
constexpr double kAnyXi = 1.0;

// Sums of L_a, C0 and C1 over all rows, or why there are none.
struct RowTotals {
  double La = 0.0, C0 = 0.0, C1 = 0.0;
  std::string missing;
};

std::string name_of_batch(const ConstraintBatch& batch, Index index) {
  return fmt::format("batch {} ({})", index, batch.name.empty() ? batch.family() : std::string_view(batch.name));
}

// Rows without a growth condition have one on a bounded domain: |grad a| <= |grad a(x0)| + L_a |y - x0| wherever the
// method evaluates, so that C0 is the square of that and C1 = 0.
void add_on_domain(const ConstraintBatch& batch, const RowConstants& c, const Vector& x0, double radius,
                   RowTotals& sums) {
  const Rows all = Rows::range(0, batch.size());
  Vector a(batch.size()), norms(batch.size());
  batch.values_and_gradient_norms(x0, all, a, norms);
  for (Index i = 0; i < batch.size(); ++i) {
    const bool global = std::isfinite(c.growth_constant[i]);
    const double steepest = norms[i] + kExtrapolation * radius * c.smoothness[i];
    sums.La += c.smoothness[i];
    sums.C0 += global ? c.growth_constant[i] : steepest * steepest;
    sums.C1 += global ? c.growth_slope[i] : 0.0;
  }
}

RowTotals total_constants(const Problem& problem, ConstraintSystem& system, const Vector& x0) {
  RowTotals sums;
  const double radius = problem.prox().domain_radius(x0);
  for (Index s = 0; s < system.segments(); ++s) {
    const ConstraintBatch& batch = system.batch(s);
    const RowConstants* c = batch.constants();
    if (c == nullptr) {
      sums.missing = fmt::format("{} has no constants L_a, C0 and C1", name_of_batch(batch, s));
      return sums;
    }
    const bool global = c->growth_global && c->growth_constant.allFinite();
    if (!global && !std::isfinite(radius)) {
      Index row = 0;
      while (row + 1 < batch.size() && std::isfinite(c->growth_constant[row])) ++row;
      sums.missing = fmt::format(
          "C0 of {}, row {}, is infinite: |grad a|^2 <= C0 + C1 |a| holds nowhere but on a bounded domain, and x has "
          "none",
          name_of_batch(batch, s), row);
      return sums;
    }
    if (global) {
      sums.La += pairwise_sum(c->smoothness);
      sums.C0 += pairwise_sum(c->growth_constant);
      sums.C1 += pairwise_sum(c->growth_slope);
    } else {
      add_on_domain(batch, *c, x0, radius, sums);
      system.charge(s, Rows::range(0, batch.size()));
    }
  }
  return sums;
}

struct Distance {
  double value = kInfinity;
  std::string source;

  void consider(double other, const char* name) {
    if (!(other < value)) return;
    value = other;
    source = name;
  }
};

// |x0 - x*|: the domain's radius; |x0 - x_hat| + sqrt(2 (F(x_hat) - LB)/mu), since x* minimises F over a convex set that
// contains x_hat; l1 terms bound |x*| by (F(x_hat) - inf f)/weight.
Distance bound_distance(const Problem& problem, const Vector& x0, const Settings& settings, const SlaterConstants& c) {
  Distance out;
  if (settings.distance) {
    out.consider(*settings.distance, "given");
    return out;
  }
  out.consider(problem.prox().domain_radius(x0), "domain");
  if (!c.known()) return out;
  const double mu = problem.strong_convexity();
  const double gap = c.objective - c.lower_bound.value;
  if (mu > 0.0 && std::isfinite(gap)) {
    out.consider((x0 - c.point).norm() + std::sqrt(2.0 * std::max(0.0, gap) / mu), "strong convexity");
  }
  const SeparableParameters* separable = separable_parameters(problem.prox());
  const double largest_psi = c.objective - problem.smooth_lower_bound();
  if (separable != nullptr && separable->l1 > 0.0 && std::isfinite(largest_psi)) {
    out.consider(x0.norm() + std::max(0.0, largest_psi) / separable->l1, "l1 term");
  }
  return out;
}

// F_{xi,delta}(x0) - LB >= F_{xi,delta}(x0) - min F_{xi,delta}, because min F_{xi,delta} >= F* for xi >= xi_bar.
double initial_gap(const Problem& problem, ConstraintSystem& system, const Vector& x0, const GuaranteeForecast& f) {
  if (!std::isfinite(f.slater.lower_bound.value)) return kInfinity;
  Vector a(system.size());
  system.values(x0, a);
  const double penalty = pairwise_sum(0, a.size(), [&](Index i) { return theory::softplus(a[i], f.delta); });
  return std::max(0.0, problem.objective(x0) + f.xi * penalty - f.slater.lower_bound.value);
}

std::string why_no_xi(const SlaterConstants& c) {
  if (!c.known())
    return fmt::format("xi: no Slater point ({}); give one with the problem, or --xi >= 2 |lambda*|_inf", c.source);
  if (std::isfinite(c.multiplier_bound)) return {};
  return "xi: no lower bound of F*, because mu = 0 and the domain is unbounded; give --xi >= 2 |lambda*|_inf, or "
         "bounds";
}

// The shorter of the two promises.
void count_steps(const theory::ProblemConstants& constants, double prox_convexity, GuaranteeForecast& f) {
  if (std::isfinite(f.distance)) {
    f.iterations = std::ceil(theory::accelerated_gradient_iterations(constants, f.xi, f.epsilon, f.distance));
    f.corollary = 1;
  }
  if (f.mu > 0.0 && std::isfinite(f.initial_gap)) {
    theory::ProblemConstants composite = constants;
    composite.Lf += prox_convexity;  // the strong convexity of psi moves into the smooth part
    const double steps = std::ceil(theory::strongly_convex_iterations(composite, f.xi, f.epsilon, f.initial_gap));
    if (f.corollary == 0 || steps < f.iterations) {
      f.iterations = steps;
      f.corollary = 2;
    }
  }
}

// xi, delta and what they promise; L from the constants of every row.
theory::ProblemConstants fill_parameters(const Problem& problem, const RowTotals& rows, Index m,
                                         const Settings& settings, GuaranteeForecast& f) {
  const double doubled = 2.0 * f.slater.multiplier_bound;
  f.xi = settings.xi.value_or(doubled > 0.0 ? doubled : kAnyXi);
  f.xi_source = settings.xi ? "given" : "slater";
  const theory::StaticParameters chosen =
      theory::static_parameters(f.epsilon, m, f.xi, settings.xi ? 0.5 * f.xi : f.slater.multiplier_bound);
  f.delta = chosen.delta;
  f.violation = chosen.violation;
  f.objective_gap = chosen.objective_gap;
  const auto count = static_cast<double>(m);
  const theory::ProblemConstants constants{.m = m,
                                           .l = std::max<Index>(1, problem.components()),
                                           .Lf = problem.smoothness(),
                                           .mu = f.mu,
                                           .constraint = {rows.La / count, rows.C0 / count, rows.C1 / count}};
  f.smoothness = theory::static_smoothness(constants, f.xi, f.epsilon);
  return constants;
}

}  // namespace

std::string guarantee_obstacle(const Problem& problem) {
  if (!problem.conic().empty()) return "cones have kinks, and the corollaries are about smooth rows";
  if (problem.has_soft_rows()) return "soft rows have kinks, and the corollaries are about smooth objectives";
  if (problem.has_equalities()) return "equalities leave no Slater point, which xi is bounded with";
  if (problem.constraints() == 0) return "there are no constraints to penalise";
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight > 0.0 && !std::isfinite(t.term->smoothness())) {
      return fmt::format("L_f: the term {} has no smoothness constant", t.term->kind());
    }
  }
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    if (batch.group() > 1) return fmt::format("{} rows are eigenvalues, which have kinks", batch.family());
    if (batch.structure().approximates != nullptr) {
      return fmt::format("batch {} only stands for other functions, about which the corollaries say nothing", b);
    }
  }
  return {};
}

GuaranteePlan plan_guarantee(const Problem& problem, ConstraintSystem& system, const Vector& x0,
                             const Settings& settings, FunctionRef<bool()> stop) {
  GuaranteePlan plan;
  GuaranteeForecast& f = plan.forecast;
  f.epsilon = *settings.guarantee;
  f.missing = guarantee_obstacle(problem);
  if (!f.available()) return plan;
  f.mu = problem.strong_convexity();
  const RowTotals rows = total_constants(problem, system, x0);
  f.missing = rows.missing;
  if (!f.available()) return plan;
  SlaterSearch slater = find_slater_constants(problem, system, x0, true, stop);
  plan.contradiction = std::move(slater.contradiction);
  f.slater = std::move(slater.constants);
  if (!settings.xi) f.missing = why_no_xi(f.slater);
  if (!f.available()) return plan;
  const theory::ProblemConstants constants = fill_parameters(problem, rows, system.size(), settings, f);
  const Distance distance = bound_distance(problem, x0, settings, f.slater);
  f.distance = distance.value;
  f.distance_source = distance.source;
  if (f.mu > 0.0) f.initial_gap = initial_gap(problem, system, x0, f);
  count_steps(constants, problem.prox().strong_convexity(), f);
  if (f.corollary == 0) {
    f.missing = "|x0 - x*|: no bound of it, because mu = 0 and the domain is unbounded; give --distance, or bounds";
  }
  return plan;
}

GuaranteeForecast forecast_guarantee(const Problem& problem, double epsilon, const Settings& settings,
                                     const Vector* start) {
  if (!(epsilon > 0.0) || !std::isfinite(epsilon)) {
    throw InputError(fmt::format("guarantee: expected a number > 0, got {}", epsilon));
  }
  problem.validate();
  Settings asked = settings;
  asked.guarantee = epsilon;
  ConstraintSystem system(problem);
  Vector x0 = Vector::Zero(problem.dimension());
  if (problem.start) x0 = *problem.start;
  if (start != nullptr) {
    if (start->size() != problem.dimension()) {
      throw InputError(fmt::format("start: expected {} entries, got {}", problem.dimension(), start->size()));
    }
    x0 = *start;
  }
  problem.prox().project(x0);
  return plan_guarantee(problem, system, x0, asked, [] { return false; }).forecast;
}

}  // namespace pliant
