#include "report/figures.hpp"

#include "machine/memory.hpp"
#include "parallel/parallel.hpp"
#include "pliant/version.hpp"

#include <cmath>
#include <string_view>
#include <utility>

namespace pliant::report {
namespace {

Value flag(bool value) { return {value}; }
Value count(Index value) { return {value}; }
Value number(double value) { return {value}; }
Value text(std::string_view value) { return {std::string(value)}; }
// A number that is not known where it is not finite.
Value known(double value) { return std::isfinite(value) ? Value{value} : Value{}; }

// A whole number, as a count where one can hold it.
Value whole(double value) {
  constexpr double kLargestExact = 0x1p53;
  return value < kLargestExact ? Value{static_cast<Index>(value)} : known(value);
}

// Figures are moved, never copied as lists in braces would: where memory runs out in the middle of a copy of a type that holds
// itself, what gcc 12 cleans up was never made.
Figure figure(std::string_view name, Value value) {
  Figure out;
  out.name = name;
  out.value = std::move(value);
  return out;
}

template <class... More>
Figures list(More... more) {
  Figures out;
  out.reserve(sizeof...(More));
  (out.push_back(std::move(more)), ...);
  return out;
}

void append(Figures& out, Figures more) {
  for (Figure& one : more) out.push_back(std::move(one));
}

Figures norms(double l1, double l2, double linf) {
  return list(figure("l1", number(l1)), figure("l2", number(l2)), figure("linf", number(linf)));
}

// The problem that is meant where rows only approximate their functions.
Value meant(const Problem& problem, const Certificate& c) {
  const MeantFunctions& m = *c.approximation;
  const LowerBound bound = c.meant_bound();
  return {list(figure("rows", count(m.rows)), figure("error", number(m.error)),
               figure("violation", {norms(m.violation_l1, m.violation_l2, m.violation_linf)}),
               figure("violation_measured", flag(m.measured)), figure("error_holds", flag(m.holds)),
               figure("lower_bound", known(problem.reported(bound.value))),
               figure("lower_bound_kind", text(to_string(bound.kind))),
               figure("gap_abs", known(c.objective - bound.value)))};
}

Figures figures(const Problem& problem, const Certificate& c) {
  Figures out =
      list(figure("objective", number(problem.reported(c.objective))),
           figure("lower_bound", number(problem.reported(c.lower_bound))),
           figure("lower_bound_kind", text(to_string(c.lower_bound_kind))),
           figure("lower_bound_rigorous", flag(c.lower_bound_rigorous())),
           figure("proved_bound", c.proof.kind == BoundKind::proved ? known(problem.reported(c.proof.value)) : Value{}),
           figure("gap_abs", number(c.gap_abs())), figure("gap_rel", number(c.gap_rel())),
           figure("violation", {norms(c.violation_l1, c.violation_l2, c.violation_linf)}),
           figure("violation_rel", number(c.violation_rel())), figure("violation_worth", number(c.violation_worth)),
           figure("constant_scale", number(c.constant_scale)), figure("domain_violation", number(c.domain_violation)),
           figure("domain_violation_rel", number(c.domain_violation_rel)),
           figure("equality_residual", number(c.equality_residual)),
           figure("equality_residual_rel", number(c.equality_residual_rel)),
           figure("dual_residual", number(c.dual_residual)), figure("dual_residual_rel", number(c.dual_residual_rel)),
           figure("active", count(c.active)));
  if (c.approximation) out.push_back(figure("approximation", meant(problem, c)));
  return out;
}

Value figures(const InfeasibilityProof& p) {
  return {list(figure("holds", flag(p.holds)), figure("excess", known(p.excess)),
               figure("kind", text(to_string(p.kind()))), figure("radius", known(p.radius)),
               figure("unconditional", flag(p.holds && !std::isfinite(p.radius))),
               figure("gradient", known(p.gradient)), figure("constraints", count(p.rows)))};
}

Value figures(const UnboundednessProof& p) {
  return {list(figure("holds", flag(p.holds)), figure("descent", known(p.descent)), figure("leaving", known(p.leaving)),
               figure("curvature", known(p.curvature)), figure("kind", text(to_string(p.kind()))),
               figure("radius", known(p.radius)), figure("multiplier_bound", known(p.multiplier_bound)),
               figure("violation", known(p.violation)))};
}

// How far a proof of either kind reaches.
template <class Proof>
Value reach(const Proof& p) {
  return {list(figure("kind", text(to_string(p.kind()))), figure("radius", known(p.radius)))};
}

// Predicted beside actual.
Value figures(const Problem& problem, const GuaranteeOutcome& outcome) {
  Figures out = report::figures(problem, outcome.predicted);
  append(out, list(figure("iterations", count(outcome.iterations)), figure("violation", known(outcome.violation)),
                   figure("objective_gap", known(outcome.objective_gap)), figure("reached", flag(outcome.reached)),
                   figure("by", outcome.by.empty() ? Value{} : text(outcome.by))));
  return {std::move(out)};
}

Value attempts(const std::vector<AttemptRecord>& records) {
  std::vector<Value> out;
  for (const AttemptRecord& a : records) {
    out.push_back(
        {list(figure("engine", text(a.engine)), figure("reason", text(a.reason)), figure("status", text(a.status)))});
  }
  return {std::move(out)};
}

Figures times(const Timing& time) {
  return list(figure("read", known(time.read)), figure("setup", known(time.setup)), figure("solve", known(time.solve)),
              figure("total", known(time.total)));
}

Figures phases(const Timing& time) {
  Figures out;
  for (const auto& [name, seconds] : time.phases) out.push_back({name, known(seconds)});
  return out;
}

Figures effort(const Result& result) {
  return list(figure("screened", count(result.screened)), figure("method", text(to_string(result.method))),
              figure("outer", text(result.strategy)), figure("engine", text(result.engine)),
              figure("attempts", attempts(result.attempts)), figure("xi", number(result.xi)),
              figure("xi_proved", flag(result.xi_proved)), figure("delta", number(result.delta)),
              figure("iterations", count(result.iterations)), figure("passes", known(result.passes)),
              figure("component_evaluations", count(result.component_evaluations)),
              figure("stream_time", result.stream_time ? known(*result.stream_time) : Value{}),
              figure("time", {times(result.time)}), figure("phases", {phases(result.time)}));
}

}  // namespace

Figures figures(const Problem& problem, const Settings& settings, const Result& result) {
  Figures out = list(figure("status", text(to_string(result.status))));
  if (!result.message.empty()) out.push_back(figure("message", text(result.message)));
  append(out, figures(problem, result.certificate));
  if (result.infeasibility) out.push_back(figure("infeasibility", reach(*result.infeasibility)));
  if (result.unboundedness) out.push_back(figure("infeasibility", reach(*result.unboundedness)));
  if (result.infeasibility) out.push_back(figure("infeasibility_proof", figures(*result.infeasibility)));
  if (result.unboundedness) out.push_back(figure("unboundedness_proof", figures(*result.unboundedness)));
  out.push_back(figure("n", count(problem.dimension())));
  out.push_back(figure("m", count(problem.constraints())));
  if (const SoftOverview& soft = result.overview.soft; soft.total() > 0) {
    out.push_back(
        figure("soft_rows", {list(figure("at_zero", count(soft.at_zero)), figure("at_kink", count(soft.at_kink)),
                                  figure("at_price", count(soft.at_price)), figure("cost", known(soft.cost)))}));
  }
  if (result.guarantee) out.push_back(figure("guarantee", figures(problem, *result.guarantee)));
  append(out, effort(result));
  const machine::PeakMemory peak = machine::peak_memory();
  append(out,
         list(figure("peak_memory_bytes", count(peak.anonymous)), figure("peak_resident_bytes", count(peak.resident)),
              figure("mapped_bytes", count(mapped_bytes())), figure("data_bytes", count(problem.data_bytes())),
              figure("threads", count(settings.threads > 0 ? settings.threads : parallel::threads())),
              figure("seed", count(settings.seed)), figure("version", text(version()))));
  return out;
}

Figures figures(const Problem& problem, const SlaterConstants& slater) {
  return list(figure("slack", slater.known() ? known(slater.slack) : Value{}),
              figure("objective", slater.known() ? known(problem.reported(slater.objective)) : Value{}),
              figure("source", text(slater.source)),
              figure("lower_bound", known(problem.reported(slater.lower_bound.value))),
              figure("lower_bound_kind", text(to_string(slater.lower_bound.kind))),
              figure("multiplier_bound", known(slater.multiplier_bound)));
}

Figures figures(const Problem& problem, const GuaranteeForecast& f) {
  Figures out = list(figure("epsilon", number(f.epsilon)));
  if (!f.available()) {
    out.push_back(figure("missing", text(f.missing)));
    return out;
  }
  append(out,
         list(figure("corollary", count(f.corollary)), figure("xi", number(f.xi)),
              figure("xi_source", text(f.xi_source)), figure("delta", number(f.delta)), figure("mu", number(f.mu)),
              figure("smoothness", known(f.smoothness)), figure("distance", known(f.distance)),
              figure("distance_source", std::isfinite(f.distance) ? text(f.distance_source) : Value{}),
              figure("initial_gap", known(f.initial_gap)), figure("slater", {figures(problem, f.slater)}),
              figure("iterations_predicted", whole(f.iterations)), figure("violation_predicted", number(f.violation)),
              figure("objective_gap_predicted", number(f.objective_gap))));
  return out;
}

Figures figures(const Problem& problem, const Verdict& verdict) {
  Figures out = figures(problem, verdict.certificate);
  out.push_back(figure("n", count(problem.dimension())));
  out.push_back(figure("m", count(problem.constraints())));
  out.push_back(figure("satisfied", flag(verdict.satisfied)));
  if (const Vector& D = problem.natural_units(); D.size() > 0) {
    out.push_back(
        figure("units", {list(figure("smallest", number(D.minCoeff())), figure("largest", number(D.maxCoeff())))}));
  }
  out.push_back(figure("infeasibility_proof", figures(verdict.infeasible)));
  if (verdict.unbounded) out.push_back(figure("unboundedness_proof", figures(*verdict.unbounded)));
  return out;
}

}  // namespace pliant::report
