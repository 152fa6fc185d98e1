#include "report/check.hpp"

#include "report/report.hpp"

#include <nlohmann/json.hpp>

namespace pliant::report {

Verdict check(const Problem& problem, const Solution& solution, const Settings& settings) {
  const Multipliers multipliers = to_multipliers(problem, solution);
  Verdict out;
  out.certificate = certify(problem, solution.x, multipliers);
  out.satisfied = out.certificate.satisfies(settings);
  out.infeasible = prove_infeasible(problem, solution.x, multipliers);
  if (solution.ray.size() > 0) out.unbounded = prove_unbounded(problem, solution.x, solution.ray);
  return out;
}

nlohmann::ordered_json to_json(const Problem& problem, const Verdict& verdict) {
  auto json = to_json(problem, verdict.certificate);
  json["n"] = problem.dimension();
  json["m"] = problem.constraints();
  json["satisfied"] = verdict.satisfied;
  json["infeasibility_proof"] = to_json(verdict.infeasible);
  if (verdict.unbounded) json["unboundedness_proof"] = to_json(*verdict.unbounded);
  return json;
}

}  // namespace pliant::report
