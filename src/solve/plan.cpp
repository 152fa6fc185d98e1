// `auto`: which engines are tried on a problem, in which order, and the reason for each in one line.
// docs/experiments.md has the measurements behind the rules.
#include "solve/plan.hpp"

#include "cones/cone_checks.hpp"
#include "constraints/linear.hpp"
#include "engines/conic/conic_problem.hpp"
#include "engines/conic/semidefinite_form.hpp"
#include "engines/path/path_model.hpp"
#include "linalg/dense_limit.hpp"
#include "pliant/regularizers.hpp"
#include "solve/cone_rows.hpp"
#include "solve/plan_path.hpp"
#include "solve/plan_soft.hpp"
#include "solve/registry.hpp"
#include "solve/solve_ball.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Sampling pays where the objective is a long sum: so many components of full density for each variable.
constexpr double kComponentsPerVariable = 30.0;

// Cones, or rows beside norms of groups, for each variable from which on working sets of them pay.
constexpr Index kWorkingSetsPay = 20;

// Bytes of constraints up to which primal-dual steps on all cones are worth a try where working sets of them failed.
constexpr Index kLargestInterior = Index{16} << 20;

bool has_eigenvalue_rows(const Problem& problem) {
  return std::any_of(problem.batches().begin(), problem.batches().end(),
                     [](const BatchPtr& batch) { return batch->group() > 1; });
}

Attempt attempt(std::string_view engine, std::string reason) {
  return attempt_with(engine_named(engine), std::move(reason));
}

struct Proposal {
  Method method;
  std::string why;
};

std::string obstacle_of(Method method, const Problem& problem, const Settings& settings) {
  return engine_of(method).obstacle(problem, settings);
}

// Share of the numbers of an average row that are stored, of objective and constraints alike.
double density(const Problem& problem) {
  double bytes = static_cast<double>(problem.data_bytes());
  for (const Problem::WeightedTerm& t : problem.terms()) bytes += static_cast<double>(t.term->bytes());
  const double rows = static_cast<double>(problem.components() + problem.constraints());
  const double dense = rows * static_cast<double>(problem.dimension()) * static_cast<double>(sizeof(double));
  return dense > 0.0 ? std::min(1.0, bytes / dense) : 1.0;
}

// Why sampling components would fail or not pay; empty: it does. A step costs n operations however sparse its row is,
// and two evaluations where the row is curved.
std::string sampling_obstacle(const Problem& problem) {
  if (!(problem.strong_convexity() > 0.0)) return "no strong convexity is known";
  const double components = static_cast<double>(problem.components()) * density(problem);
  if (components < kComponentsPerVariable * static_cast<double>(problem.dimension())) return "the sum is short";
  for (const BatchPtr& batch : problem.batches()) {
    if (!batch->linear()) return fmt::format("{} constraints are curved", batch->family());
    if (batch->constants() == nullptr) return fmt::format("{} constraints have no constants", batch->family());
  }
  return {};
}

// Among the methods that need gradients only.
Proposal propose_first_order(const Problem& problem, const Settings& settings) {
  const Index n = problem.dimension(), m = problem.constraints(), l = problem.components();
  const std::string sizes = fmt::format("n = {}, m = {}, l = {}", n, m, l);
  if (l + m <= n && !settings.xi && obstacle_of(Method::sdca, problem, settings).empty()) {
    return {Method::sdca, fmt::format("{}: fewer dual coordinates than variables, each with a closed form", sizes)};
  }
  if (obstacle_of(Method::lbfgs, problem, settings).empty()) {
    return {Method::lbfgs, fmt::format("{}: the penalised problem is smooth", sizes)};
  }
  const std::string obstacle = sampling_obstacle(problem);
  if (obstacle.empty()) {
    return {Method::katyusha, fmt::format("{}: the term {} is not smooth, and l >> n", sizes, problem.prox().kind())};
  }
  return {Method::apg,
          fmt::format("{}: the term {} is not smooth; no sampling: {}", sizes, problem.prox().kind(), obstacle)};
}

void expect_applicable(const Problem& problem, const Settings& settings) {
  if (settings.method == Method::path) {
    if (settings.outer != Outer::automatic || settings.xi || settings.delta) {
      throw InputError("--outer, --xi and --delta: do not apply to --method path, which drives them itself");
    }
    return;
  }
  expect_smooth(problem, fmt::format("--method {}: needs", to_string(settings.method)));
  if (const std::string why = obstacle_of(settings.method, problem, settings); !why.empty()) {
    throw InputError(fmt::format("--method {}: {}", to_string(settings.method), why));
  }
}

void expect_batches_apply(const Settings& settings) {
  if (settings.batch_size == 1) return;
  const bool one = settings.method != Method::automatic && settings.method != Method::path;
  if (one && engine_of(settings.method).draws_batches) return;
  throw InputError(fmt::format(
      "--batch-size: does not apply to --method {}; svrg and katyusha take batches, also loopless and under "
      "Catalyst",
      to_string(settings.method)));
}

// Programs without interior points on either side, or with variables that appear nowhere, are left to the embedding.
std::vector<Attempt> interior_attempts(const Problem& problem, std::string_view before) {
  std::vector<Attempt> out;
  if (is_semidefinite_program(problem)) {
    out.push_back(
        attempt("semidefinite", fmt::format("{}a semidefinite program: primal-dual steps on all blocks", before)));
    if (conic_obstacle(problem).empty()) {
      out.push_back(attempt("homogeneous", "that failed, so the homogeneous embedding"));
    }
  } else {
    out.push_back(attempt("homogeneous", fmt::format("{}a conic program: primal-dual steps on all cones", before)));
  }
  return out;
}

// Engines of their own, which drive the penalty (xi = infinity) and the linear algebra.
Plan plan_interior(const Problem& problem, const Settings& settings) {
  if (settings.method != Method::automatic && settings.method != Method::path) {
    const std::string why = ConeRows::obstacle(problem);
    throw InputError(fmt::format("--method {}: does not take conic constraints {}", to_string(settings.method),
                                 why.empty() ? "by interior steps" : "(" + why + ")"));
  }
  if (settings.outer != Outer::automatic || settings.xi || settings.delta ||
      settings.path_form != PathKind::automatic || settings.linear_algebra != LinearAlgebra::automatic) {
    throw InputError(
        "--outer, --xi, --delta, --path-form and --linear-algebra: do not apply to problems with conic constraints");
  }
  if (const std::string why = interior_obstacle(problem); !why.empty()) {
    throw InputError(fmt::format("no method for this problem: conic constraints: {}", why));
  }
  return {interior_attempts(problem, "")};
}

// Many small cones are rows to be selected from, few or large ones a conic program.
Nonsmooth choose_treatment(const Problem& problem, const Settings& settings, std::string& why) {
  if (settings.nonsmooth != Nonsmooth::automatic) return settings.nonsmooth;
  if (!ConeRows::obstacle(problem).empty()) return Nonsmooth::interior;
  if (settings.method != Method::automatic && settings.method != Method::path) return Nonsmooth::spectral;
  if (const std::string obstacle = interior_obstacle(problem); !obstacle.empty()) {
    why = fmt::format("eigenvalues of cones as rows (no conic program: {})", obstacle);
    return Nonsmooth::spectral;
  }
  Index cones = 0;
  for (const ConicConstraint& conic : problem.conic()) cones += count_cones(conic);
  if (cones < kWorkingSetsPay * problem.dimension()) return Nonsmooth::interior;
  if (!PathModel::obstacle(ConeRows(problem, Nonsmooth::spectral, 0.0).problem()).empty()) return Nonsmooth::interior;
  why = "many small cones: softplus of their eigenvalues";
  return Nonsmooth::spectral;
}

Plan plan_rows(const Problem& problem, const Settings& settings);

Plan plan_conic(const Problem& problem, const Settings& settings) {
  std::string why;
  const Nonsmooth treatment = choose_treatment(problem, settings, why);
  if (settings.nu && treatment != Nonsmooth::logsumexp) {
    throw InputError("--nu: applies to --nonsmooth logsumexp");
  }
  if (treatment == Nonsmooth::interior) return plan_interior(problem, settings);
  if (const std::string obstacle = ConeRows::obstacle(problem); !obstacle.empty()) {
    throw InputError(fmt::format("--nonsmooth {}: {}", to_string(treatment), obstacle));
  }
  Plan plan = plan_rows(ConeRows(problem, treatment, settings.nu.value_or(1.0)).problem(), settings);
  for (Attempt& a : plan.attempts) a.treatment = treatment;
  std::string& reason = plan.attempts.front().reason;
  if (!why.empty()) reason = reason.empty() ? why : fmt::format("{}; {}", why, reason);
  const bool free = settings.nonsmooth == Nonsmooth::automatic && settings.method == Method::automatic;
  if (treatment == Nonsmooth::spectral && free && problem.data_bytes() <= kLargestInterior &&
      interior_obstacle(problem).empty()) {
    for (Attempt& a : interior_attempts(problem, "that failed, so ")) plan.attempts.push_back(std::move(a));
  }
  return plan;
}

// The strategy that reaches high accuracy with first-order steps.
Outer choose_outer(const Problem& problem, const Settings& settings, std::string& why) {
  if (has_eigenvalue_rows(problem)) {
    if (settings.outer == Outer::multiplier) {
      throw InputError(
          fmt::format("--outer multiplier: shifts rows one by one, which eigenvalues of cones do not bear{}",
                      way_out_of_eigenvalues(problem)));
    }
    return settings.outer == Outer::automatic ? Outer::nested : settings.outer;
  }
  if (settings.outer != Outer::automatic) return settings.outer;
  why += why.empty() ? "" : "; ";
  why += problem.constraints() == 0 && !problem.has_equalities()
             ? "no constraints: nothing to penalise"
             : "multipliers let delta stay moderate, so first-order steps stay long";
  return Outer::multiplier;
}

Plan plan_first_order(const Problem& problem, const Settings& settings, Method method, std::string why) {
  const Engine& engine = engine_of(method);
  if (!engine.penalised()) return {{attempt_with(engine, std::move(why))}};
  const Outer outer = choose_outer(problem, settings, why);
  return {{attempt_with(engine, std::move(why), outer)}};
}

}  // namespace

bool asks_for_first_order(const Settings& settings) {
  return (settings.method != Method::automatic && settings.method != Method::path) ||
         settings.outer != Outer::automatic || settings.xi || settings.delta;
}

Plan plan_gradients(const Problem& problem, const Settings& settings, std::string_view before) {
  if (settings.method != Method::automatic) {
    expect_applicable(problem, settings);
    return plan_first_order(problem, settings, settings.method, {});
  }
  const Proposal proposal = propose_first_order(problem, settings);
  return plan_first_order(problem, settings, proposal.method, fmt::format("{}{}", before, proposal.why));
}

void expect_smooth(const Problem& problem, std::string_view who) {
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight > 0.0 && !std::isfinite(t.term->smoothness())) {
      throw InputError(
          fmt::format("{} an objective with a smoothness constant, which {} has not", who, t.term->kind()));
    }
  }
}

std::string interior_obstacle(const Problem& problem) {
  return is_semidefinite_program(problem) ? std::string() : conic_obstacle(problem);
}

Settings interior_settings(Settings settings) {
  const Settings defaults;
  settings.nonsmooth = Nonsmooth::interior;
  settings.method = Method::path;
  settings.outer = defaults.outer;
  settings.xi = settings.delta = std::nullopt;
  settings.path_form = defaults.path_form;
  settings.linear_algebra = defaults.linear_algebra;
  settings.batch_size = defaults.batch_size;
  return settings;
}

namespace {

// The method is part of the guarantee.
Plan plan_guaranteed(const Problem& problem, const Settings& settings) {
  if (settings.method != Method::automatic && settings.method != Method::apg) {
    throw InputError(fmt::format("--guarantee: is about plain accelerated gradients, not about --method {}",
                                 to_string(settings.method)));
  }
  if (settings.outer != Outer::automatic && settings.outer != Outer::fixed) {
    throw InputError(
        fmt::format("--guarantee: is about a static penalty, not about --outer {}", to_string(settings.outer)));
  }
  if (settings.delta) throw InputError("--guarantee: chooses delta itself, so that --delta does not apply");
  if (settings.linear_algebra != LinearAlgebra::automatic || settings.path_form != PathKind::automatic ||
      settings.nonsmooth != Nonsmooth::automatic || settings.nu) {
    throw InputError(
        "--guarantee: --linear-algebra, --path-form, --nonsmooth and --nu do not apply to plain accelerated gradients");
  }
  const Engine& engine = engine_named("guarantee");
  if (const std::string why = engine.obstacle(problem, settings); !why.empty()) {
    throw InputError(fmt::format("--guarantee: {}", why));
  }
  return {{attempt_with(engine, {}, Outer::fixed)}};
}

// Problems without cones.
Plan plan_rows(const Problem& problem, const Settings& settings) {
  const bool asked = settings.method == Method::path;
  if (settings.method != Method::automatic) expect_applicable(problem, settings);
  if (settings.method != Method::automatic && !asked) return plan_first_order(problem, settings, settings.method, {});
  PathPlan path = plan_path(problem, settings);
  if (asked && path.attempts.empty()) throw InputError(fmt::format("--method path: {}", path.obstacle));
  // --outer, --xi and --delta ask for a penalty that the path engine does not take.
  const bool penalty_is_free = settings.outer == Outer::automatic && !settings.xi && !settings.delta;
  if (penalty_is_free && !path.attempts.empty()) {
    if (asked) path.attempts.front().reason.clear();
    return {std::move(path.attempts)};
  }
  const std::string& obstacle = path.obstacle;
  if (settings.linear_algebra != LinearAlgebra::automatic) {
    throw InputError(
        fmt::format("--linear-algebra {}: {}", to_string(settings.linear_algebra),
                    penalty_is_free ? obstacle : "does not apply where --outer, --xi or --delta is given"));
  }
  expect_smooth(problem, penalty_is_free
                             ? fmt::format("no method for this problem: path: {}; the others need", obstacle)
                             : "--outer, --xi, --delta: the methods that take them need");
  return plan_gradients(problem, settings, penalty_is_free ? fmt::format("no path: {}; ", obstacle) : "");
}

// What is left after second-order steps, unless the settings ask for these.
void add_first_order(const Problem& problem, const Settings& settings, Plan& plan) {
  if (settings.method == Method::path || settings.linear_algebra != LinearAlgebra::automatic ||
      settings.path_form != PathKind::automatic) {
    return;
  }
  if (!std::isfinite(problem.smoothness())) return;  // gradient steps would leave its domain
  const Proposal proposal = propose_first_order(problem, settings);
  if (!engine_of(proposal.method).obstacle(problem, settings).empty()) return;
  Plan rest = plan_first_order(problem, settings, proposal.method, fmt::format("that failed; {}", proposal.why));
  plan.attempts.insert(plan.attempts.end(), rest.attempts.begin(), rest.attempts.end());
}

// Norms of groups are second-order cones to the embedding, of all rows or of working sets. Without constraints, and for
// more variables than dense systems bear, a proximal step for each gradient is hard to beat.
Plan plan_groups(const Problem& problem, const Settings& settings) {
  if (settings.path_form != PathKind::automatic) throw InputError("--path-form: does not apply to the term group_l2");
  const bool free = problem.constraints() == 0 && !problem.has_equalities();
  if (free || problem.dimension() > kLargestDense || asks_for_first_order(settings) ||
      settings.linear_algebra != LinearAlgebra::automatic || !conic_obstacle(problem).empty()) {
    return plan_rows(problem, settings);
  }
  Plan plan;
  const bool working_sets =
      problem.constraints() > kWorkingSetsPay * problem.dimension() && PathModel::obstacle(problem).empty();
  const char* why = "norms of groups as second-order cones: primal-dual steps";
  if (working_sets) {
    plan.attempts.push_back(attempt("working_sets", "norms of groups as second-order cones, on working rows"));
    why = "working sets failed, so primal-dual steps on all rows";
  }
  if (!working_sets || problem.data_bytes() <= kLargestInterior) plan.attempts.push_back(attempt("homogeneous", why));
  add_first_order(problem, settings, plan);
  return plan;
}

// Second-order steps with the ball as a row where they can be taken, then what else there is.
Plan plan_ball(const Problem& problem, const Settings& settings) {
  if (asks_for_first_order(settings)) return plan_rows(problem, settings);
  PathPlan path = plan_path(ball_as_row(problem), settings);
  if (path.attempts.empty()) return plan_rows(problem, settings);
  Plan plan{std::move(path.attempts)};
  for (Attempt& a : plan.attempts) a.ball_as_row = true;
  std::string& reason = plan.attempts.front().reason;
  reason = reason.empty() ? "the ball as one curved row" : fmt::format("the ball as one curved row; {}", reason);
  add_first_order(problem, settings, plan);
  return plan;
}

}  // namespace

Plan choose(const Problem& problem, const Settings& settings) {
  expect_batches_apply(settings);
  if (problem.has_soft_rows()) return plan_soft(problem, settings);
  if (settings.guarantee) return plan_guaranteed(problem, settings);
  if (settings.distance) throw InputError("--distance: applies to --guarantee");
  if (!problem.conic().empty()) return plan_conic(problem, settings);
  if (has_ball(problem)) return plan_ball(problem, settings);
  if (group_parameters(problem.prox()) != nullptr) return plan_groups(problem, settings);
  Plan plan = plan_rows(problem, settings);
  if (!asks_for_first_order(settings)) add_recognised_soft_rows(problem, settings, plan);
  return plan;
}

}  // namespace pliant
