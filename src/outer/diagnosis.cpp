#include "outer/diagnosis.hpp"

namespace pliant {

Diagnosis diagnose(const Problem& problem, ConstraintSystem& system, const Vector& start,
                   const std::vector<Index>& hints, const Settings& settings, const std::atomic<bool>* interrupt,
                   FunctionRef<bool()> stop) {
  Diagnosis out;
  out.feasibility = search_feasibility(problem, system, start, hints, stop);
  if (out.infeasible() || stop()) return out;
  problem.prox().project(out.feasibility.x);
  out.ray = find_ray(problem, system, out.feasibility.x, settings, interrupt);
  return out;
}

}  // namespace pliant
