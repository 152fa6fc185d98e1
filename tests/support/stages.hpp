// A solve in stages whose remaining rows can be seen.
#pragma once

#include "engines/make_inner_method.hpp"
#include "outer/strategy.hpp"

#include <vector>

namespace pliant::testing {

struct Stages {
  Result result;
  std::vector<Index> kept;  ///< inequalities that screening left
};

/// settings.method under settings.outer (nested or multiplier), from 0.
inline Stages run_stages(const Problem& problem, const Settings& settings) {
  const SolveHooks hooks;
  problem.validate();
  Context context(problem, settings, hooks);
  PenaltyRun run(context);
  const auto inner = make_inner_method(settings.method, problem, settings.seed);
  InnerPoint point;
  point.x = Vector::Zero(problem.dimension());
  (settings.outer == Outer::nested ? solve_nested : solve_multiplier)(run, *inner, point, OuterParameters{});
  Stages out;
  for (Index i = 0; i < context.view().system().inequalities(); ++i) out.kept.push_back(context.view().original(i));
  out.result = context.finish(point);
  return out;
}

}  // namespace pliant::testing
