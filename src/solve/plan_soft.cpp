#include "solve/plan_soft.hpp"

#include "engines/path/soft_bands.hpp"
#include "engines/path/soft_path.hpp"
#include "solve/plan.hpp"
#include "solve/registry.hpp"
#include "solve/slack_form.hpp"
#include "solve/soft_form.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {
namespace {

// Bytes of soft rows up to which a form with a slack for each of them is kept ready for the case that bands fail: it is a
// copy, and takes as long as any sparse program of that size.
constexpr Index kLargestSlackForm = Index{64} << 20;

bool chooses_freely(const Settings& settings) {
  return settings.linear_algebra == LinearAlgebra::automatic && settings.path_form == PathKind::automatic;
}

// Their xi is the price of each row, and only delta falls.
Plan plan_soft_gradients(const Problem& problem, const Settings& settings) {
  if (!chooses_freely(settings)) {
    throw InputError("--linear-algebra and --path-form: do not apply to methods of gradients");
  }
  if (!problem.conic().empty()) {
    throw InputError(fmt::format("--method {}: does not take soft rows beside cones", to_string(settings.method)));
  }
  expect_smooth(problem, "soft rows by a method of gradients: need");
  return plan_gradients(problem, settings, "");
}

// Curved rows, and terms that slacks do not go with: all rows at once, then whatever needs gradients alone.
Plan plan_curved(const Problem& problem, const Settings& settings, const std::string& no_slacks) {
  Plan plan;
  const std::string path = soft_path_obstacle(problem);
  if (path.empty() && settings.linear_algebra == LinearAlgebra::automatic &&
      settings.path_form != PathKind::primal_dual) {
    plan.attempts.push_back(attempt_with(engine_named("soft_path"), "soft rows, not all linear: Newton steps on all"));
  }
  const bool gradients = settings.method == Method::automatic && chooses_freely(settings) && problem.conic().empty() &&
                         std::isfinite(problem.smoothness());
  if (gradients) {
    const Plan rest =
        plan_gradients(problem, settings, path.empty() ? "that failed; " : fmt::format("no path: {}; ", path));
    plan.attempts.insert(plan.attempts.end(), rest.attempts.begin(), rest.attempts.end());
  }
  if (plan.attempts.empty()) {
    throw InputError(fmt::format("no method for this problem: {}; path: {}", no_slacks,
                                 path.empty() ? "--linear-algebra and --path-form do not apply" : path));
  }
  return plan;
}

}  // namespace

Plan plan_soft(const Problem& problem, const Settings& settings) {
  if (settings.guarantee) throw InputError("--guarantee: does not take soft rows");
  if (asks_for_first_order(settings)) return plan_soft_gradients(problem, settings);
  Plan plan;
  const std::string bands = soft_bands_obstacle(problem);
  if (chooses_freely(settings) && bands.empty()) {
    plan.attempts.push_back(
        attempt_with(engine_named("soft_bands"), "soft rows: Newton steps on those near their kink"));
  }
  const std::string slacks = SlackForm::obstacle(problem);
  if (!slacks.empty()) {
    if (plan.attempts.empty()) return plan_curved(problem, settings, slacks);
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
