#include "solve/solve_ball.hpp"

#include "pliant/regularizers.hpp"
#include "solve/certify_again.hpp"
#include "solve/cone_rows.hpp"
#include "solve/diagnosis.hpp"
#include "solve/walk.hpp"

#include <fmt/format.h>

namespace pliant {

bool has_ball(const Problem& problem) { return problem.prox().kind() == "ball"; }

Problem ball_as_row(const Problem& problem) {
  const Index n = problem.dimension();
  const double radius = radius_parameter(problem.prox());
  Problem out = terms_and_rows(problem);
  out.subject_to(quadratic_diagonal_le(Tensor({1, n}, to_array(Vector::Constant(n, 1.0 / radius))),
                                       Tensor({1, n}, to_array(Vector::Zero(n))), {-0.5 * radius}),
                 "ball");
  return out;
}

Result solve_ball_as_row(const Problem& problem, std::span<const Attempt> attempts, const Settings& settings,
                         const SolveHooks& hooks) {
  const Problem rows = ball_as_row(problem);
  rows.validate();
  SolveHooks inner = hooks;
  Multipliers warm;
  if (hooks.warm_multipliers != nullptr) {
    warm = *hooks.warm_multipliers;
    warm.lambda.emplace_back(Vector::Zero(1));
    inner.warm_multipliers = &warm;
  }
  if (hooks.best) {
    inner.best = [&](const BestSoFar& best) {
      BestSoFar without = best;
      without.multipliers.lambda.pop_back();
      hooks.best(without);
    };
  }
  Result result = walk(rows, attempts, settings, inner, diagnose);
  result.multipliers.lambda.pop_back();
  problem.prox().project(result.x);
  certify_again(problem, settings, result);
  if (result.status == Status::primal_infeasible) {
    prove_infeasible_again(problem, "the ball as a row leaves no point, but that does not prove it of the ball",
                           result);
  } else if (result.status == Status::optimal && !result.certificate.satisfies(settings)) {
    result.status = Status::numerical_error;
    result.message = fmt::format("solved with the ball as a row, but not to the tolerances with the ball (gap {:.2g})",
                                 result.certificate.gap_rel());
  }
  return result;
}

}  // namespace pliant
