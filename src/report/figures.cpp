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

// Not from a list in braces: where memory runs out in the middle of one, what gcc 12 cleans up was never made.
template <class... More>
Figures list(More... figure) {
  Figures out;
  out.reserve(sizeof...(More));
  (out.push_back(std::move(figure)), ...);
  return out;
}

void append(Figures& out, Figures more) {
  for (Figure& figure : more) out.push_back(std::move(figure));
}

Figures norms(double l1, double l2, double linf) {
  return list(Figure{"l1", number(l1)}, Figure{"l2", number(l2)}, Figure{"linf", number(linf)});
}

// The problem that is meant where rows only approximate their functions.
Value meant(const Problem& problem, const Certificate& c) {
  const MeantFunctions& m = *c.approximation;
  const LowerBound bound = c.meant_bound();
  return {list(Figure{"rows", count(m.rows)}, Figure{"error", number(m.error)},
               Figure{"violation", {norms(m.violation_l1, m.violation_l2, m.violation_linf)}},
               Figure{"violation_measured", flag(m.measured)}, Figure{"error_holds", flag(m.holds)},
               Figure{"lower_bound", known(problem.reported(bound.value))},
               Figure{"lower_bound_kind", text(to_string(bound.kind))},
               Figure{"gap_abs", known(c.objective - bound.value)})};
}

Figures figures(const Problem& problem, const Certificate& c) {
  Figures out =
      list(Figure{"objective", number(problem.reported(c.objective))},
           Figure{"lower_bound", number(problem.reported(c.lower_bound))},
           Figure{"lower_bound_kind", text(to_string(c.lower_bound_kind))},
           Figure{"lower_bound_rigorous", flag(c.lower_bound_rigorous())},
           Figure{"proved_bound", c.proof.kind == BoundKind::proved ? known(problem.reported(c.proof.value)) : Value{}},
           Figure{"gap_abs", number(c.gap_abs())}, Figure{"gap_rel", number(c.gap_rel())},
           Figure{"violation", {norms(c.violation_l1, c.violation_l2, c.violation_linf)}},
           Figure{"violation_rel", number(c.violation_rel())}, Figure{"violation_worth", number(c.violation_worth)},
           Figure{"constant_scale", number(c.constant_scale)}, Figure{"domain_violation", number(c.domain_violation)},
           Figure{"domain_violation_rel", number(c.domain_violation_rel)},
           Figure{"equality_residual", number(c.equality_residual)},
           Figure{"equality_residual_rel", number(c.equality_residual_rel)},
           Figure{"dual_residual", number(c.dual_residual)}, Figure{"dual_residual_rel", number(c.dual_residual_rel)},
           Figure{"active", count(c.active)});
  if (c.approximation) out.push_back(Figure{"approximation", meant(problem, c)});
  return out;
}

Value figures(const InfeasibilityProof& p) {
  return {list(Figure{"holds", flag(p.holds)}, Figure{"excess", known(p.excess)},
               Figure{"kind", text(to_string(p.kind()))}, Figure{"radius", known(p.radius)},
               Figure{"unconditional", flag(p.holds && !std::isfinite(p.radius))},
               Figure{"gradient", known(p.gradient)}, Figure{"constraints", count(p.rows)})};
}

Value figures(const UnboundednessProof& p) {
  return {list(Figure{"holds", flag(p.holds)}, Figure{"descent", known(p.descent)}, Figure{"leaving", known(p.leaving)},
               Figure{"curvature", known(p.curvature)}, Figure{"kind", text(to_string(p.kind()))},
               Figure{"radius", known(p.radius)}, Figure{"multiplier_bound", known(p.multiplier_bound)},
               Figure{"violation", known(p.violation)})};
}

// How far a proof of either kind reaches.
template <class Proof>
Value reach(const Proof& p) {
  return {list(Figure{"kind", text(to_string(p.kind()))}, Figure{"radius", known(p.radius)})};
}

// Predicted beside actual.
Value figures(const Problem& problem, const GuaranteeOutcome& outcome) {
  Figures out = report::figures(problem, outcome.predicted);
  append(out, list(Figure{"iterations", count(outcome.iterations)}, Figure{"violation", known(outcome.violation)},
                   Figure{"objective_gap", known(outcome.objective_gap)}, Figure{"reached", flag(outcome.reached)},
                   Figure{"by", outcome.by.empty() ? Value{} : text(outcome.by)}));
  return {out};
}

Value attempts(const std::vector<AttemptRecord>& records) {
  std::vector<Value> out;
  for (const AttemptRecord& a : records) {
    out.push_back(
        {list(Figure{"engine", text(a.engine)}, Figure{"reason", text(a.reason)}, Figure{"status", text(a.status)})});
  }
  return {out};
}

Figures times(const Timing& time) {
  return list(Figure{"read", known(time.read)}, Figure{"setup", known(time.setup)}, Figure{"solve", known(time.solve)},
              Figure{"total", known(time.total)});
}

Figures phases(const Timing& time) {
  Figures out;
  for (const auto& [name, seconds] : time.phases) out.push_back({name, known(seconds)});
  return out;
}

Figures effort(const Result& result) {
  return list(Figure{"screened", count(result.screened)}, Figure{"method", text(to_string(result.method))},
              Figure{"outer", text(result.strategy)}, Figure{"engine", text(result.engine)},
              Figure{"attempts", attempts(result.attempts)}, Figure{"xi", number(result.xi)},
              Figure{"xi_proved", flag(result.xi_proved)}, Figure{"delta", number(result.delta)},
              Figure{"iterations", count(result.iterations)}, Figure{"passes", known(result.passes)},
              Figure{"component_evaluations", count(result.component_evaluations)},
              Figure{"stream_time", result.stream_time ? known(*result.stream_time) : Value{}},
              Figure{"time", {times(result.time)}}, Figure{"phases", {phases(result.time)}});
}

}  // namespace

Figures figures(const Problem& problem, const Settings& settings, const Result& result) {
  Figures out = list(Figure{"status", text(to_string(result.status))});
  if (!result.message.empty()) out.push_back(Figure{"message", text(result.message)});
  append(out, figures(problem, result.certificate));
  if (result.infeasibility) out.push_back(Figure{"infeasibility", reach(*result.infeasibility)});
  if (result.unboundedness) out.push_back(Figure{"infeasibility", reach(*result.unboundedness)});
  if (result.infeasibility) out.push_back(Figure{"infeasibility_proof", figures(*result.infeasibility)});
  if (result.unboundedness) out.push_back(Figure{"unboundedness_proof", figures(*result.unboundedness)});
  out.push_back(Figure{"n", count(problem.dimension())});
  out.push_back(Figure{"m", count(problem.constraints())});
  if (const SoftOverview& soft = result.overview.soft; soft.total() > 0) {
    out.push_back(Figure{"soft_rows",
                         {list(Figure{"at_zero", count(soft.at_zero)}, Figure{"at_kink", count(soft.at_kink)},
                               Figure{"at_price", count(soft.at_price)}, Figure{"cost", known(soft.cost)})}});
  }
  if (result.guarantee) out.push_back(Figure{"guarantee", figures(problem, *result.guarantee)});
  append(out, effort(result));
  const machine::PeakMemory peak = machine::peak_memory();
  append(out,
         list(Figure{"peak_memory_bytes", count(peak.anonymous)}, Figure{"peak_resident_bytes", count(peak.resident)},
              Figure{"mapped_bytes", count(mapped_bytes())}, Figure{"data_bytes", count(problem.data_bytes())},
              Figure{"threads", count(settings.threads > 0 ? settings.threads : parallel::threads())},
              Figure{"seed", count(settings.seed)}, Figure{"version", text(version())}));
  return out;
}

Figures figures(const Problem& problem, const SlaterConstants& slater) {
  return list(Figure{"slack", slater.known() ? known(slater.slack) : Value{}},
              Figure{"objective", slater.known() ? known(problem.reported(slater.objective)) : Value{}},
              Figure{"source", text(slater.source)},
              Figure{"lower_bound", known(problem.reported(slater.lower_bound.value))},
              Figure{"lower_bound_kind", text(to_string(slater.lower_bound.kind))},
              Figure{"multiplier_bound", known(slater.multiplier_bound)});
}

Figures figures(const Problem& problem, const GuaranteeForecast& f) {
  Figures out = list(Figure{"epsilon", number(f.epsilon)});
  if (!f.available()) {
    out.push_back(Figure{"missing", text(f.missing)});
    return out;
  }
  append(out,
         list(Figure{"corollary", count(f.corollary)}, Figure{"xi", number(f.xi)},
              Figure{"xi_source", text(f.xi_source)}, Figure{"delta", number(f.delta)}, Figure{"mu", number(f.mu)},
              Figure{"smoothness", known(f.smoothness)}, Figure{"distance", known(f.distance)},
              Figure{"distance_source", std::isfinite(f.distance) ? text(f.distance_source) : Value{}},
              Figure{"initial_gap", known(f.initial_gap)}, Figure{"slater", {figures(problem, f.slater)}},
              Figure{"iterations_predicted", whole(f.iterations)}, Figure{"violation_predicted", number(f.violation)},
              Figure{"objective_gap_predicted", number(f.objective_gap)}));
  return out;
}

Figures figures(const Problem& problem, const Verdict& verdict) {
  Figures out = figures(problem, verdict.certificate);
  out.push_back(Figure{"n", count(problem.dimension())});
  out.push_back(Figure{"m", count(problem.constraints())});
  out.push_back(Figure{"satisfied", flag(verdict.satisfied)});
  if (const Vector& D = problem.natural_units(); D.size() > 0) {
    out.push_back(
        Figure{"units", {list(Figure{"smallest", number(D.minCoeff())}, Figure{"largest", number(D.maxCoeff())})}});
  }
  out.push_back(Figure{"infeasibility_proof", figures(verdict.infeasible)});
  if (verdict.unbounded) out.push_back(Figure{"unboundedness_proof", figures(*verdict.unbounded)});
  return out;
}

}  // namespace pliant::report
