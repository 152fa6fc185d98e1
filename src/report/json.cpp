#include "machine/memory.hpp"
#include "parallel/parallel.hpp"
#include "pliant/io.hpp"
#include "pliant/version.hpp"
#include "report/report.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace pliant::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

Json to_json(const Problem& problem, const Certificate& c) {
  Json out;
  out["objective"] = number(problem.reported(c.objective));
  out["lower_bound"] = number(problem.reported(c.lower_bound));
  out["lower_bound_rigorous"] = c.lower_bound_rigorous;
  out["gap_abs"] = number(c.gap_abs());
  out["gap_rel"] = number(c.gap_rel());
  out["violation"] = {
      {"l1", number(c.violation_l1)}, {"l2", number(c.violation_l2)}, {"linf", number(c.violation_linf)}};
  out["violation_rel"] = number(c.violation_rel());
  out["constant_scale"] = number(c.constant_scale);
  out["domain_violation"] = number(c.domain_violation);
  out["equality_residual"] = number(c.equality_residual);
  out["dual_residual"] = number(c.dual_residual);
  out["dual_residual_rel"] = number(c.dual_residual_rel);
  out["active"] = c.active;
  return out;
}

Json to_json(const InfeasibilityProof& p) {
  return {{"holds", p.holds},
          {"excess", number(p.excess)},
          {"radius", number(p.radius)},
          {"unconditional", p.holds && !std::isfinite(p.radius)},
          {"gradient", number(p.gradient)},
          {"constraints", p.rows}};
}

Json to_json(const UnboundednessProof& p) {
  return {{"holds", p.holds},
          {"descent", number(p.descent)},
          {"leaving", number(p.leaving)},
          {"curvature", number(p.curvature)},
          {"multiplier_bound", number(p.multiplier_bound)},
          {"violation", number(p.violation)}};
}

Json to_json(const Problem& problem, const Settings& settings, const Result& result) {
  Json out;
  out["status"] = to_string(result.status);
  if (!result.message.empty()) out["message"] = result.message;
  out.update(to_json(problem, result.certificate));
  if (result.infeasibility) out["infeasibility_proof"] = to_json(*result.infeasibility);
  if (result.unboundedness) out["unboundedness_proof"] = to_json(*result.unboundedness);
  out["n"] = problem.dimension();
  out["m"] = problem.constraints();
  out["screened"] = result.screened;
  out["method"] = to_string(result.method);
  out["outer"] = result.strategy;
  out["engine"] = result.engine;
  out["attempts"] = Json::array();
  for (const AttemptRecord& a : result.attempts) {
    out["attempts"].push_back({{"engine", a.engine}, {"reason", a.reason}, {"status", a.status}});
  }
  out["xi"] = number(result.xi);
  out["xi_proved"] = result.xi_proved;
  out["delta"] = number(result.delta);
  out["iterations"] = result.iterations;
  out["passes"] = number(result.passes);
  out["component_evaluations"] = result.component_evaluations;
  out["stream_time"] = result.stream_time ? number(*result.stream_time) : Json(nullptr);
  out["time"] = {{"read", number(result.time.read)},
                 {"setup", number(result.time.setup)},
                 {"solve", number(result.time.solve)},
                 {"total", number(result.time.total)}};
  Json phases = Json::object();
  for (const auto& [name, seconds] : result.time.phases) phases[name] = number(seconds);
  out["phases"] = phases;
  const machine::PeakMemory peak = machine::peak_memory();
  out["peak_memory_bytes"] = peak.anonymous;
  out["peak_resident_bytes"] = peak.resident;
  out["mapped_bytes"] = mapped_bytes();
  out["data_bytes"] = problem.data_bytes();
  out["threads"] = settings.threads > 0 ? settings.threads : parallel::threads();
  out["seed"] = settings.seed;
  out["version"] = version();
  return out;
}

}  // namespace pliant::report
