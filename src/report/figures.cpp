#include "report/figures.hpp"

#include "machine/memory.hpp"
#include "parallel/parallel.hpp"
#include "pliant/version.hpp"

#include <cmath>
#include <string_view>

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

void append(Figures& out, Figures more) {
  for (Figure& figure : more) out.push_back(std::move(figure));
}

Figures norms(double l1, double l2, double linf) {
  return {{"l1", number(l1)}, {"l2", number(l2)}, {"linf", number(linf)}};
}

// The problem that is meant where rows only approximate their functions.
Value meant(const Problem& problem, const Certificate& c) {
  const MeantFunctions& m = *c.approximation;
  const LowerBound bound = c.meant_bound();
  return {Figures{{"rows", count(m.rows)},
                  {"error", number(m.error)},
                  {"violation", {norms(m.violation_l1, m.violation_l2, m.violation_linf)}},
                  {"violation_measured", flag(m.measured)},
                  {"error_holds", flag(m.holds)},
                  {"lower_bound", known(problem.reported(bound.value))},
                  {"lower_bound_kind", text(to_string(bound.kind))},
                  {"gap_abs", known(c.objective - bound.value)}}};
}

Figures figures(const Problem& problem, const Certificate& c) {
  Figures out = {
      {"objective", number(problem.reported(c.objective))},
      {"lower_bound", number(problem.reported(c.lower_bound))},
      {"lower_bound_kind", text(to_string(c.lower_bound_kind))},
      {"lower_bound_rigorous", flag(c.lower_bound_rigorous())},
      {"proved_bound", c.proof.kind == BoundKind::proved ? known(problem.reported(c.proof.value)) : Value{}},
      {"gap_abs", number(c.gap_abs())},
      {"gap_rel", number(c.gap_rel())},
      {"violation", {norms(c.violation_l1, c.violation_l2, c.violation_linf)}},
      {"violation_rel", number(c.violation_rel())},
      {"violation_worth", number(c.violation_worth)},
      {"constant_scale", number(c.constant_scale)},
      {"domain_violation", number(c.domain_violation)},
      {"domain_violation_rel", number(c.domain_violation_rel)},
      {"equality_residual", number(c.equality_residual)},
      {"equality_residual_rel", number(c.equality_residual_rel)},
      {"dual_residual", number(c.dual_residual)},
      {"dual_residual_rel", number(c.dual_residual_rel)},
      {"active", count(c.active)},
  };
  if (c.approximation) out.push_back({"approximation", meant(problem, c)});
  return out;
}

Value figures(const InfeasibilityProof& p) {
  return {Figures{{"holds", flag(p.holds)},
                  {"excess", known(p.excess)},
                  {"kind", text(to_string(p.kind()))},
                  {"radius", known(p.radius)},
                  {"unconditional", flag(p.holds && !std::isfinite(p.radius))},
                  {"gradient", known(p.gradient)},
                  {"constraints", count(p.rows)}}};
}

Value figures(const UnboundednessProof& p) {
  return {Figures{{"holds", flag(p.holds)},
                  {"descent", known(p.descent)},
                  {"leaving", known(p.leaving)},
                  {"curvature", known(p.curvature)},
                  {"kind", text(to_string(p.kind()))},
                  {"radius", known(p.radius)},
                  {"multiplier_bound", known(p.multiplier_bound)},
                  {"violation", known(p.violation)}}};
}

// How far a proof of either kind reaches.
template <class Proof>
Value reach(const Proof& p) {
  return {Figures{{"kind", text(to_string(p.kind()))}, {"radius", known(p.radius)}}};
}

// Predicted beside actual.
Value figures(const Problem& problem, const GuaranteeOutcome& outcome) {
  Figures out = report::figures(problem, outcome.predicted);
  append(out, {{"iterations", count(outcome.iterations)},
               {"violation", known(outcome.violation)},
               {"objective_gap", known(outcome.objective_gap)},
               {"reached", flag(outcome.reached)},
               {"by", outcome.by.empty() ? Value{} : text(outcome.by)}});
  return {out};
}

Value attempts(const std::vector<AttemptRecord>& records) {
  std::vector<Value> out;
  for (const AttemptRecord& a : records) {
    out.push_back({Figures{{"engine", text(a.engine)}, {"reason", text(a.reason)}, {"status", text(a.status)}}});
  }
  return {out};
}

Figures times(const Timing& time) {
  return {{"read", known(time.read)},
          {"setup", known(time.setup)},
          {"solve", known(time.solve)},
          {"total", known(time.total)}};
}

Figures phases(const Timing& time) {
  Figures out;
  for (const auto& [name, seconds] : time.phases) out.push_back({name, known(seconds)});
  return out;
}

Figures effort(const Result& result) {
  return {
      {"screened", count(result.screened)},
      {"method", text(to_string(result.method))},
      {"outer", text(result.strategy)},
      {"engine", text(result.engine)},
      {"attempts", attempts(result.attempts)},
      {"xi", number(result.xi)},
      {"xi_proved", flag(result.xi_proved)},
      {"delta", number(result.delta)},
      {"iterations", count(result.iterations)},
      {"passes", known(result.passes)},
      {"component_evaluations", count(result.component_evaluations)},
      {"stream_time", result.stream_time ? known(*result.stream_time) : Value{}},
      {"time", {times(result.time)}},
      {"phases", {phases(result.time)}},
  };
}

}  // namespace

Figures figures(const Problem& problem, const Settings& settings, const Result& result) {
  Figures out{{"status", text(to_string(result.status))}};
  if (!result.message.empty()) out.push_back({"message", text(result.message)});
  append(out, figures(problem, result.certificate));
  if (result.infeasibility) out.push_back({"infeasibility", reach(*result.infeasibility)});
  if (result.unboundedness) out.push_back({"infeasibility", reach(*result.unboundedness)});
  if (result.infeasibility) out.push_back({"infeasibility_proof", figures(*result.infeasibility)});
  if (result.unboundedness) out.push_back({"unboundedness_proof", figures(*result.unboundedness)});
  out.push_back({"n", count(problem.dimension())});
  out.push_back({"m", count(problem.constraints())});
  if (const SoftOverview& soft = result.overview.soft; soft.total() > 0) {
    out.push_back({"soft_rows",
                   {Figures{{"at_zero", count(soft.at_zero)},
                            {"at_kink", count(soft.at_kink)},
                            {"at_price", count(soft.at_price)},
                            {"cost", known(soft.cost)}}}});
  }
  if (result.guarantee) out.push_back({"guarantee", figures(problem, *result.guarantee)});
  append(out, effort(result));
  const machine::PeakMemory peak = machine::peak_memory();
  append(out, {
                  {"peak_memory_bytes", count(peak.anonymous)},
                  {"peak_resident_bytes", count(peak.resident)},
                  {"mapped_bytes", count(mapped_bytes())},
                  {"data_bytes", count(problem.data_bytes())},
                  {"threads", count(settings.threads > 0 ? settings.threads : parallel::threads())},
                  {"seed", count(settings.seed)},
                  {"version", text(version())},
              });
  return out;
}

Figures figures(const Problem& problem, const SlaterConstants& slater) {
  return {
      {"slack", slater.known() ? known(slater.slack) : Value{}},
      {"objective", slater.known() ? known(problem.reported(slater.objective)) : Value{}},
      {"source", text(slater.source)},
      {"lower_bound", known(problem.reported(slater.lower_bound.value))},
      {"lower_bound_kind", text(to_string(slater.lower_bound.kind))},
      {"multiplier_bound", known(slater.multiplier_bound)},
  };
}

Figures figures(const Problem& problem, const GuaranteeForecast& f) {
  Figures out{{"epsilon", number(f.epsilon)}};
  if (!f.available()) {
    out.push_back({"missing", text(f.missing)});
    return out;
  }
  append(out, {{"corollary", count(f.corollary)},
               {"xi", number(f.xi)},
               {"xi_source", text(f.xi_source)},
               {"delta", number(f.delta)},
               {"mu", number(f.mu)},
               {"smoothness", known(f.smoothness)},
               {"distance", known(f.distance)},
               {"distance_source", std::isfinite(f.distance) ? text(f.distance_source) : Value{}},
               {"initial_gap", known(f.initial_gap)},
               {"slater", {figures(problem, f.slater)}},
               {"iterations_predicted", whole(f.iterations)},
               {"violation_predicted", number(f.violation)},
               {"objective_gap_predicted", number(f.objective_gap)}});
  return out;
}

Figures figures(const Problem& problem, const Verdict& verdict) {
  Figures out = figures(problem, verdict.certificate);
  out.push_back({"n", count(problem.dimension())});
  out.push_back({"m", count(problem.constraints())});
  out.push_back({"satisfied", flag(verdict.satisfied)});
  if (const Vector& D = problem.natural_units(); D.size() > 0) {
    out.push_back({"units", {Figures{{"smallest", number(D.minCoeff())}, {"largest", number(D.maxCoeff())}}}});
  }
  out.push_back({"infeasibility_proof", figures(verdict.infeasible)});
  if (verdict.unbounded) out.push_back({"unboundedness_proof", figures(*verdict.unbounded)});
  return out;
}

}  // namespace pliant::report
