#include "solve/bordered_budget.hpp"

#include "engines/path/soft_bands.hpp"
#include "model/natural_units.hpp"
#include "parallel/parallel.hpp"
#include "solve/certify_again.hpp"
#include "solve/solve_in_units.hpp"

namespace pliant {
namespace {

/// The problem of the bands: that of the form, or a copy in units of its own, x = D y.
struct InUnits {
  InUnits(const Problem& form, const Settings& settings) : copy(copy_in_units(form, settings)) {
    D = copy ? form.natural_units() : Vector(Vector::Ones(form.dimension()));
  }
  const Problem& problem(const Problem& form) const { return copy ? copy->problem : form; }
  Multipliers to_form(Multipliers m) const { return copy ? copy->to_original(std::move(m)) : m; }

  std::optional<ProblemInUnits> copy;
  Vector D;
};

SolveHooks hooks_of_form(const SolveHooks& hooks, const SoftForm& form, const Vector& D) {
  SolveHooks inner;
  inner.progress = hooks.progress;
  inner.interrupt = hooks.interrupt;
  if (hooks.point) {
    inner.point = [&](const Progress& row, ConstVectorRef y) { return hooks.point(row, form.lift(y.cwiseProduct(D))); };
  }
  return inner;
}

}  // namespace

Result solve_bordered(const SoftForm& form, const Problem& original, const Attempt& attempt, const Settings& settings,
                      const SolveHooks& hooks) {
  const Problem of_form = form.with_unit_prices();
  of_form.validate();
  const InUnits units(of_form, settings);
  const SolveHooks inner = hooks_of_form(hooks, form, units.D);
  const parallel::ThreadScope threads(settings.threads);
  Context run(units.problem(of_form), settings, inner);
  InnerPoint point;
  point.x = Vector::Zero(of_form.dimension());
  if (hooks.warm_start != nullptr) point.x = form.restrict(*hooks.warm_start).cwiseQuotient(units.D);
  units.problem(of_form).prox().project(point.x);

  Result result;
  double passes = 0.0;  // of certificates
  const auto judge = [&](const Vector& y, const Vector& multipliers, double theta) {
    Result candidate;
    candidate.x = form.lift(y.cwiseProduct(units.D));
    original.prox().project(candidate.x);
    candidate.multipliers = form.to_original(units.to_form(run.system().split(multipliers)), theta);
    certify_again(original, settings, candidate);
    passes += candidate.passes;
    result = std::move(candidate);
    return result.certificate.satisfies(settings);
  };
  BandBudget budget{{form.budget_gradient().cwiseProduct(units.D), form.budget_constant(), form.usual_theta()}, judge};
  solve_with_budget(run, point, budget);
  run.journal().close(result);
  result.passes += passes;
  result.time.total = result.time.solve;
  result.status = run.verdict().status().value_or(Status::numerical_error);
  result.message = run.verdict().message();
  result.method = attempt.method;
  result.engine = attempt.engine;
  result.attempts = {{attempt.engine, attempt.reason, std::string(to_string(result.status))}};
  return result;
}

}  // namespace pliant
