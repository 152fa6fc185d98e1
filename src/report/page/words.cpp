#include "report/page/words.hpp"

#include "report/page/markup.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant::report {
namespace {

std::string bold(const std::string& text) { return "<strong>" + text + "</strong>"; }

std::string_view norm_in_words(ViolationNorm norm) {
  switch (norm) {
    case ViolationNorm::l1:
      return "sum of all violations";
    case ViolationNorm::l2:
      return "2-norm of the violations";
    case ViolationNorm::linf:
      return "largest violation";
  }
  return "violation";
}

void explain_bound(const Certificate& c, Sense sense, std::vector<std::string>& out) {
  const bool maximize = sense == Sense::maximize;
  const double sign = maximize ? -1.0 : 1.0;
  if (!std::isfinite(c.lower_bound)) {
    out.push_back(
        fmt::format("No {} bound of the optimal value is known, so nothing is said about how far this "
                    "objective is from it.",
                    maximize ? "upper" : "lower"));
    return;
  }
  const std::string bound = bold(number(sign * c.lower_bound, 10));
  const std::string gap = number(std::abs(c.gap_abs()), 3);
  if (c.lower_bound_kind == BoundKind::estimate) {
    out.push_back(
        fmt::format("The optimal value is estimated to be {} {}. This is <em>not a proof</em>: the problem is "
                    "neither strongly convex nor bounded closely enough in every direction, so tolerances decide, "
                    "and the dual residual below has to be small, too.",
                    maximize ? "at most" : "at least", bound));
  } else {
    const bool word = c.lower_bound_kind == BoundKind::proved_if_convex;
    out.push_back(
        fmt::format("{} This follows from the multipliers and the data of the problem by weak duality, rounding "
                    "taken off, whatever the method did{}.",
                    maximize ? "No feasible point has an objective above " + bound + "."
                             : "No feasible point has an objective below " + bound + ".",
                    word ? ", if all functions are convex; that some of them are is not proved here" : ""));
  }
  const double above = c.gap_abs();
  const std::string here = bold(number(sign * c.objective, 10));
  if (above >= 0.0) {
    out.push_back(
        fmt::format("The point found has the objective {}: within {} of the bound, {} relative to 1 + "
                    "|objective|.",
                    here, gap, number(std::abs(c.gap_rel()), 3)));
  } else {
    out.push_back(
        fmt::format("The point found has the objective {}, beyond the bound by {}. Only a point that violates "
                    "constraints can do that.",
                    here, gap));
  }
}

void explain_feasibility(const Result& result, const Settings& settings, std::vector<std::string>& out) {
  const Certificate& c = result.certificate;
  const double violation = c.violation_rel(settings.norm);
  const bool all_soft = result.overview.soft.total() > 0 && result.overview.slacks.total() == 0;
  if (violation == 0.0 && all_soft) {
    out.emplace_back("All inequalities are soft: what their violation costs is part of the objective.");
  } else if (violation == 0.0) {
    out.emplace_back("Every inequality holds at this point, without any tolerance.");
  } else {
    out.push_back(
        fmt::format("The {} is {}; {} is allowed. Each constraint counts relative to 1 + its own constant "
                    "term; the largest violation as it stands is {}.",
                    norm_in_words(settings.norm), bold(number(violation, 3)), number(settings.tol_feas, 3),
                    number(c.violation_linf, 3)));
  }
}

void explain_approximation(const Certificate& c, Sense sense, std::vector<std::string>& out) {
  if (!c.approximation) return;
  const MeantFunctions& m = *c.approximation;
  const LowerBound bound = c.meant_bound();
  const bool maximize = sense == Sense::maximize;
  out.push_back(
      fmt::format("{} for functions within {} of them. Those functions are violated by {}{}; the optimal value of the "
                  "problem with them is {} {} ({}).{}",
                  m.rows == 1 ? "1 constraint stands" : fmt::format("{} constraints stand", m.rows), number(m.error, 3),
                  m.measured ? "" : "at most ", bold(number(m.violation_linf, 3)), maximize ? "at most" : "at least",
                  bold(number(maximize ? -bound.value : bound.value, 10)), bound_in_words(bound.kind),
                  m.holds ? "" : " At this point some are farther from them than stated."));
}

void explain_infeasibility(const InfeasibilityProof& proof, std::vector<std::string>& out) {
  const bool one = proof.rows == 1;
  out.push_back(fmt::format(
      "{} {} positive {}, while a feasible point would make it at most zero.", bold(plural(proof.rows, "constraint")),
      one ? "cannot hold. Weighted by its multiplier below, it is"
          : "cannot hold together. Weighted by the multipliers below, they add up to a function that is",
      std::isfinite(proof.radius) ? "wherever all entries of x are at most " + bold(number(proof.radius, 3))
                                  : "everywhere on the domain of the problem"));
  if (proof.excess > 0.0) {
    out.push_back(fmt::format("{} by at least {}, measured as a distance.",
                              one ? "Every point misses it" : "They miss each other", bold(number(proof.excess, 3))));
  } else {
    out.emplace_back("This is proved in exact arithmetic; by how much they are missed is not known.");
  }
}

void explain_unboundedness(const UnboundednessProof& proof, const Settings& settings, std::vector<std::string>& out) {
  out.push_back(
      fmt::format("There is a direction along which the objective falls (slope {} of the gradient) while no "
                  "constraint grows by more than {} of its own gradient.",
                  bold(number(proof.descent, 3)), number(std::max(0.0, proof.leaving), 3)));
  out.emplace_back(proof.violation <= settings.tol_feas
                       ? "It starts from a feasible point: the problem is unbounded."
                       : "It does not start from a feasible point, so the ray shows that no dual point exists; whether "
                         "the problem has a feasible point is not said.");
}

}  // namespace

std::string_view bound_in_words(BoundKind kind) {
  switch (kind) {
    case BoundKind::proved:
      return "proved";
    case BoundKind::proved_if_convex:
      return "proved if all functions are convex";
    case BoundKind::estimate:
      return "an estimate";
  }
  return "an estimate";
}

Verdict verdict(const Result& r) {
  switch (r.status) {
    case Status::optimal:
      if (r.guarantee) {
        return {
            "good", "Within the guarantee",
            "The violations add up to at most the accuracy that was asked for, and the objective is as close to the "
            "optimal value as the guarantee promises; tolerances play no part."};
      }
      if (r.certificate.lower_bound_kind == BoundKind::proved) {
        return {"good", "Solved, and proved",
                "The point meets the tolerances, and its distance from the optimal value is proved from the original "
                "data."};
      }
      if (r.certificate.lower_bound_kind == BoundKind::proved_if_convex) {
        return {"good", "Solved, and proved if convex",
                "The point meets the tolerances, and its distance from the optimal value is proved from the original "
                "data, if all functions are convex."};
      }
      return {"good", "Solved",
              "The point meets the tolerances. The bound of the optimal value is an estimate: tolerances decide, not a "
              "proof."};
    case Status::primal_infeasible:
      if (r.infeasibility && r.infeasibility->kind() == InfeasibilityKind::within_radius) {
        return {"proof", "No feasible point within reach",
                "The constraints contradict each other up to a radius, beyond which double precision cannot tell."};
      }
      return {"proof", "No feasible point exists", "The constraints contradict each other, and there is a proof."};
    case Status::dual_infeasible:
      if (r.unboundedness && r.unboundedness->kind() == InfeasibilityKind::within_radius) {
        return {"proof", "The objective falls as far as can be told",
                "Along a direction it falls up to a radius, beyond which double precision cannot tell."};
      }
      return {"proof", "The objective falls without end", "A direction proves that there is no optimal value."};
    case Status::time_limit:
      return {"stopped", "Stopped by the time limit", "This is the best point found until then."};
    case Status::pass_limit:
      return {"stopped", "Stopped by the limit of passes", "This is the best point found until then."};
    case Status::iteration_limit:
      return {"stopped", "Stopped by the limit of iterations", "This is the best point found until then."};
    case Status::user_stopped:
      return {"stopped", "Stopped by the callback", "This is the best point found until then."};
    case Status::interrupted:
      return {"stopped", "Interrupted", "This is the best point found until then."};
    case Status::numerical_error:
      return {"bad", "Not solved",
              "The method gave up. This is the best point it found; the figures below hold for it."};
  }
  return {"bad", "Unknown status", ""};
}

std::vector<std::string> explain(const Result& result, const Settings& settings, Sense sense) {
  std::vector<std::string> out;
  if (result.infeasibility) {
    explain_infeasibility(*result.infeasibility, out);
  } else if (result.unboundedness) {
    explain_unboundedness(*result.unboundedness, settings, out);
  } else {
    explain_bound(result.certificate, sense, out);
    explain_feasibility(result, settings, out);
    explain_approximation(result.certificate, sense, out);
  }
  return out;
}

std::vector<Check> checks(const Result& result, const Settings& settings) {
  const Certificate& c = result.certificate;
  const double feasible = settings.tol_feas;
  return {
      {"Gap to the bound, relative", std::abs(c.gap_rel()), settings.tol_gap, true},
      {fmt::format("Violation of constraints, relative ({})", norm_in_words(settings.norm)),
       c.violation_rel(settings.norm), feasible, true},
      {"Residual of equalities, relative", c.equality_residual_rel, feasible, true},
      {"Distance from the domain of the prox term, relative", c.domain_violation_rel, feasible, true},
      {"Dual residual, relative", c.dual_residual_rel, settings.tol_gap, c.lower_bound_kind == BoundKind::estimate}};
}

std::vector<ProofFigure> proof_figures(const Result& result) {
  std::vector<ProofFigure> out;
  if (const auto& p = result.infeasibility) {
    out.push_back({"Constraints in the proof", static_cast<double>(p->rows)});
    if (p->excess > 0.0) {
      out.push_back(
          {p->rows == 1 ? "Distance by which it is missed" : "Distance by which they miss each other", p->excess});
    }
    out.push_back({"No feasible point has entries up to", p->radius});
    out.push_back({"Size of the combined gradient, relative", p->gradient});
  } else if (const auto& q = result.unboundedness) {
    out = {{"Descent along the direction, relative", q->descent},
           {"Largest growth of a constraint, relative", q->leaving},
           {"Largest curvature, relative", q->curvature},
           {"A dual point would need multipliers of", q->multiplier_bound},
           {"Violation at its start, relative", q->violation}};
  }
  return out;
}

}  // namespace pliant::report
