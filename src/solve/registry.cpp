#include "solve/registry.hpp"

#include "engines/conic/conic_path.hpp"
#include "engines/conic/conic_problem.hpp"
#include "engines/conic/semidefinite_form.hpp"
#include "engines/conic/semidefinite_path.hpp"
#include "engines/first_order/lbfgs.hpp"
#include "engines/interior/sparse_path.hpp"
#include "engines/make_inner_method.hpp"
#include "engines/newton_cg/newton_cg.hpp"
#include "engines/path/path_model.hpp"
#include "engines/path/soft_bands.hpp"
#include "engines/path/soft_path.hpp"
#include "engines/path/working_set.hpp"
#include "engines/stochastic/component_sum.hpp"
#include "engines/stochastic/rpdg.hpp"
#include "engines/stochastic/sdca.hpp"
#include "machine/memory.hpp"
#include "outer/guarantee.hpp"
#include "outer/strategy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace pliant {
namespace {

constexpr auto kAnyAlgebra = LinearAlgebra::automatic;
constexpr auto kRows = Nonsmooth::automatic;

void run_strategy(Context& context, InnerMethod& inner, InnerPoint& point, Outer outer) {
  PenaltyRun run(context);
  const OuterParameters parameters;
  switch (outer) {
    case Outer::fixed:
      return solve_fixed(run, inner, point, parameters);
    case Outer::nested:
      return solve_nested(run, inner, point, parameters);
    case Outer::automatic:
    case Outer::multiplier:
      return solve_multiplier(run, inner, point, parameters);
  }
}

EngineEnd run_inner_method(Context& context, InnerPoint& point, const EngineTask& task) {
  const Settings& s = context.settings();
  const auto inner = make_inner_method(task.attempt.method, context.problem(), s.seed, {s.batch_size, s.sampling});
  run_strategy(context, *inner, point, task.attempt.outer);
  return EngineEnd::ended;
}

EngineEnd run_guarantee(Context& context, InnerPoint& point, const EngineTask&) {
  solve_guaranteed(context, point, GuaranteeParameters{});
  return EngineEnd::ended;
}

EngineEnd run_conjugate_gradients(Context& context, InnerPoint& point, const EngineTask&) {
  NewtonCg inner(context.problem());
  run_strategy(context, inner, point, Outer::multiplier);
  return EngineEnd::ended;
}

EngineEnd run_working_sets(Context& context, InnerPoint& point, const EngineTask& task) {
  solve_with_working_sets(context, point, task.known_rows, WorkingSetParameters{});
  return EngineEnd::ended;
}

EngineEnd run_soft_bands(Context& context, InnerPoint& point, const EngineTask&) {
  solve_with_bands(context, point);
  return EngineEnd::ended;
}

EngineEnd run_soft_path(Context& context, InnerPoint& point, const EngineTask&) {
  solve_soft_path(context, point);
  return EngineEnd::ended;
}

EngineEnd run_sparse_path(Context& context, InnerPoint& point, const EngineTask& task) {
  return solve_sparse_path(context, point, task.attempt.most_flops) ? EngineEnd::ended : EngineEnd::declined;
}

EngineEnd run_semidefinite(Context& context, InnerPoint& point, const EngineTask&) {
  const bool others_may_help = solve_semidefinite_path(context, point);
  return others_may_help ? EngineEnd::ended : EngineEnd::exhausted;
}

EngineEnd run_homogeneous(Context& context, InnerPoint& point, const EngineTask&) {
  solve_conic_path(context, point);
  return EngineEnd::ended;
}

EngineEnd run_sdca(Context& context, InnerPoint& point, const EngineTask&) {
  solve_with_dual_coordinates(context, point, SdcaParameters{});
  return EngineEnd::ended;
}

std::string no_obstacle(const Problem&, const Settings&) { return {}; }
std::string working_set_obstacle(const Problem& problem, const Settings&) { return PathModel::obstacle(problem); }
std::string bands_obstacle(const Problem& problem, const Settings&) { return soft_bands_obstacle(problem); }
std::string curved_obstacle(const Problem& problem, const Settings&) { return soft_path_obstacle(problem); }
std::string sparse_obstacle(const Problem& problem, const Settings&) { return sparse_path_obstacle(problem); }
std::string cg_obstacle(const Problem& problem, const Settings&) { return NewtonCg::obstacle(problem); }
std::string homogeneous_obstacle(const Problem& problem, const Settings&) { return conic_obstacle(problem); }
std::string lbfgs_obstacle(const Problem& problem, const Settings&) { return Lbfgs::obstacle(problem); }

std::string semidefinite_obstacle(const Problem& problem, const Settings&) {
  return is_semidefinite_program(problem) ? "" : "not a semidefinite program with a linear objective and nothing else";
}

std::string dual_coordinates_obstacle(const Problem& problem, const Settings& settings) {
  if (settings.outer != Outer::automatic || settings.delta) {
    return "--outer and --delta do not apply: its penalty is the exact one, without smoothing";
  }
  return sdca_obstacle(problem);
}

}  // namespace

std::string_view way_out_of_eigenvalues(const Problem& problem) {
  return problem.has_soft_rows() ? "" : "; --nonsmooth logsumexp has one row per cone";
}

namespace {

std::string obstacle_to_sampling(const Problem& problem, const Settings&) {
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->group() > 1) {
      return fmt::format("eigenvalues of cones cannot be sampled one by one{}", way_out_of_eigenvalues(problem));
    }
  }
  return ComponentSum::obstacle(problem);
}

std::string guaranteed_obstacle(const Problem& problem, const Settings&) { return guarantee_obstacle(problem); }

std::string rpdg_obstacle(const Problem& problem, const Settings& settings) {
  if (std::string why = obstacle_to_sampling(problem, settings); !why.empty()) return why;
  return Rpdg::obstacle(problem, settings.memory_limit.value_or(machine::machine_memory()));
}

constexpr Engine path_engine(std::string_view name, std::string_view label, std::string_view strategy,
                             LinearAlgebra algebra, decltype(Engine::obstacle) obstacle, decltype(Engine::run) run) {
  return {name, label, strategy, Method::path, algebra, kRows, false, obstacle, run};
}

constexpr Engine cone_engine(std::string_view name, std::string_view label, decltype(Engine::obstacle) obstacle,
                             decltype(Engine::run) run) {
  return {name, label, "primal_dual", Method::path, kAnyAlgebra, Nonsmooth::interior, false, obstacle, run};
}

constexpr Engine inner_engine(std::string_view name, Method method, bool draws_batches,
                              decltype(Engine::obstacle) obstacle) {
  return {name, name, {}, method, kAnyAlgebra, kRows, draws_batches, obstacle, run_inner_method};
}

constexpr std::array kEngines{
    path_engine("working_sets", "path / working sets", "working_set", LinearAlgebra::dense, working_set_obstacle,
                run_working_sets),
    path_engine("soft_bands", "path / bands of soft rows", "bands", kAnyAlgebra, bands_obstacle, run_soft_bands),
    path_engine("soft_path", "path / all soft rows", "primal", kAnyAlgebra, curved_obstacle, run_soft_path),
    path_engine("sparse_factorisations", "path / sparse factorisations", "primal_dual", LinearAlgebra::sparse,
                sparse_obstacle, run_sparse_path),
    path_engine("conjugate_gradients", "path / conjugate gradients", "multiplier", LinearAlgebra::iterative,
                cg_obstacle, run_conjugate_gradients),
    cone_engine("semidefinite", "path / primal-dual on matrix blocks", semidefinite_obstacle, run_semidefinite),
    cone_engine("homogeneous", "path / homogeneous embedding", homogeneous_obstacle, run_homogeneous),
    inner_engine("apg", Method::apg, false, no_obstacle),
    inner_engine("lbfgs", Method::lbfgs, false, lbfgs_obstacle),
    inner_engine("svrg", Method::svrg, true, obstacle_to_sampling),
    inner_engine("loopless-svrg", Method::loopless_svrg, true, obstacle_to_sampling),
    inner_engine("catalyst-svrg", Method::catalyst_svrg, true, obstacle_to_sampling),
    inner_engine("katyusha", Method::katyusha, true, obstacle_to_sampling),
    inner_engine("loopless-katyusha", Method::loopless_katyusha, true, obstacle_to_sampling),
    inner_engine("rpdg", Method::rpdg, false, rpdg_obstacle),
    Engine{"sdca", "sdca / exact penalty", "exact_penalty", Method::sdca, kAnyAlgebra, kRows, false,
           dual_coordinates_obstacle, run_sdca},
    Engine{"guarantee", "apg / guarantee", "static", Method::apg, kAnyAlgebra, kRows, false, guaranteed_obstacle,
           run_guarantee},
};

// As attempts are called.
std::string title(const Engine& engine, Outer outer) {
  return engine.penalised() ? fmt::format("{} / {}", engine.label, to_string(outer)) : std::string(engine.label);
}

template <class Condition>
const Engine& find(const Condition& condition, std::string_view wanted) {
  const auto found = std::find_if(kEngines.begin(), kEngines.end(), condition);
  if (found == kEngines.end()) throw std::logic_error(fmt::format("no engine {}", wanted));
  return *found;
}

}  // namespace

std::span<const Engine> engines() { return kEngines; }

const Engine& engine_named(std::string_view name) {
  return find([&](const Engine& e) { return e.name == name; }, name);
}

const Engine& engine_of(Method method) {
  return find([&](const Engine& e) { return e.method == method; }, to_string(method));
}

const Engine& engine_of(const Attempt& attempt) {
  return find([&](const Engine& e) { return title(e, attempt.outer) == attempt.engine; }, attempt.engine);
}

Attempt attempt_with(const Engine& engine, std::string reason, Outer outer) {
  Attempt out;
  out.engine = title(engine, outer);
  out.strategy = engine.penalised() ? to_string(outer) : engine.strategy;
  out.reason = std::move(reason);
  out.method = engine.method;
  out.outer = outer;
  out.linear_algebra = engine.linear_algebra;
  out.treatment = engine.treatment;
  return out;
}

}  // namespace pliant
