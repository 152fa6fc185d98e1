#include "solve/plan_soft.hpp"

#include "engines/path/soft_bands.hpp"
#include "solve/registry.hpp"
#include "solve/slack_form.hpp"
#include "solve/soft_form.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

// Bytes of soft rows up to which a form with a slack for each of them is kept ready for the case that bands fail: it is a
// copy, and takes as long as any sparse program of that size.
constexpr Index kLargestSlackForm = Index{64} << 20;

bool chooses_freely(const Settings& settings) {
  return settings.linear_algebra == LinearAlgebra::automatic && settings.path_form == PathKind::automatic;
}

}  // namespace

Plan plan_soft(const Problem& problem, const Settings& settings) {
  if (settings.guarantee) throw InputError("--guarantee: does not take soft rows");
  if (settings.method != Method::automatic && settings.method != Method::path) {
    throw InputError(fmt::format("--method {}: does not take soft rows", to_string(settings.method)));
  }
  if (settings.outer != Outer::automatic || settings.xi || settings.delta) {
    throw InputError("--outer, --xi and --delta: do not apply to problems with soft rows");
  }
  Plan plan;
  const std::string bands = soft_bands_obstacle(problem);
  if (chooses_freely(settings) && bands.empty()) {
    plan.attempts.push_back(
        attempt_with(engine_named("soft_bands"), "soft rows: Newton steps on those near their kink"));
  }
  const std::string slacks = SlackForm::obstacle(problem);
  if (!slacks.empty()) {
    if (plan.attempts.empty()) throw InputError(fmt::format("no method for this problem: {}", slacks));
    return plan;
  }
  if (!plan.attempts.empty() && problem.data_bytes() > kLargestSlackForm) return plan;
  // Which engine that will be is chosen once the form is there: it is a copy, and most solves do not need it.
  plan.attempts.push_back(
      attempt_with(engine_named("sparse_factorisations"),
                   plan.attempts.empty() ? "a slack for every soft row" : "that failed: a slack for every soft row"));
  plan.attempts.back().soft_as_slacks = true;
  return plan;
}

void add_recognised_soft_rows(const Problem& problem, const Settings& settings, Plan& plan) {
  if (!chooses_freely(settings)) return;
  const std::unique_ptr<SoftForm> form = SoftForm::find(problem);
  if (form == nullptr) return;
  Attempt first = attempt_with(engine_named("soft_bands"), form->description());
  first.slacks_as_soft = true;
  plan.attempts.insert(plan.attempts.begin(), std::move(first));
}

}  // namespace pliant
