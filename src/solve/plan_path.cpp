#include "solve/plan_path.hpp"

#include "constraints/linear.hpp"
#include "engines/interior/sparse_path.hpp"
#include "objective/quadratic.hpp"
#include "solve/predicted_work.hpp"
#include "solve/registry.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

// Operations of a sparse factorisation beyond which it is not even a fallback where conjugate gradients apply.
constexpr double kMostFactorFlops = 1e11;

// Predicted seconds that nobody notices: below them the most robust way is taken, all rows at once.
constexpr double kUnnoticed = 5e-3;

// The same where it is predicted to take at most this many times as long as the others, below so many seconds: in mixed
// units working sets that fail cost ten times what they were to save.
constexpr double kRobustTimes = 2.0, kRobustSeconds = 0.03;

// Whether the rows are stored sparse; without rows, whether the objective is.
bool stored_sparse(const Problem& problem) {
  bool rows = false;
  if (problem.has_equalities()) {
    if (!problem.equality_matrix().is_sparse()) return false;
    rows = true;
  }
  for (const BatchPtr& batch : problem.batches()) {
    const auto* linear = batch->linear_rows();
    if (linear == nullptr || !linear->matrix().is_sparse()) return false;
    rows = true;
  }
  return rows || std::any_of(problem.terms().begin(), problem.terms().end(), [](const Problem::WeightedTerm& t) {
           const QuadraticForm quadratic = t.term->structure().quadratic;
           return quadratic && quadratic.P->is_sparse();
         });
}

Attempt path_attempt(std::string_view engine, std::string reason) {
  return attempt_with(engine_named(engine), std::move(reason));
}

// The one linear algebra that the settings ask for.
PathPlan plan_asked_path(const Problem& problem, const Settings& settings, LinearAlgebra wanted) {
  for (const Engine& engine : engines()) {
    if (engine.linear_algebra != wanted) continue;
    std::string obstacle = engine.obstacle(problem, settings);
    if (!obstacle.empty()) return {{}, std::move(obstacle)};
    return {{attempt_with(engine, {})}, {}};
  }
  return {};
}

// Which linear algebras can take a problem, and how long each is predicted to take.
struct PathForecast {
  ProgramSizes sizes;
  double sparse = kInfinity, dense = kInfinity, iterative = kInfinity;  // seconds; infinite: cannot
  double flops = 0.0;                                                   // of one sparse factorisation; 0: not analysed

  LinearAlgebra best() const {
    const double least = std::min(dense, iterative);
    const bool robust = sparse < kRobustSeconds && sparse <= kRobustTimes * least;
    if (sparse < kUnnoticed || robust || sparse <= least) return LinearAlgebra::sparse;
    return dense <= iterative ? LinearAlgebra::dense : LinearAlgebra::iterative;
  }
  std::string words() const {
    std::string out = "predicted seconds:";
    const auto add = [&](std::string_view name, double seconds, const std::string& detail) {
      if (seconds < kInfinity) out += fmt::format(" {} {:.2g}{},", name, seconds, detail);
    };
    add("conjugate gradients", iterative, fmt::format(" ({:.0f} passes)", predict_iterative_passes(sizes)));
    add("sparse factorisations", sparse, flops > 0.0 ? fmt::format(" ({:.2g} operations each)", flops) : " at least");
    add("working sets", dense, "");
    out.pop_back();
    return out;
  }
};

PathForecast forecast(const Problem& problem, bool dense, bool iterative) {
  PathForecast out;
  out.sizes = sizes_of(problem);
  if (dense) out.dense = predict_dense_seconds(out.sizes);
  if (iterative) out.iterative = predict_iterative_passes(out.sizes) * seconds_per_pass(out.sizes);
  out.sparse = least_sparse_seconds(out.sizes);
  // No fill could make it the best. Conjugate gradients need the figure all the same: it says when to end them.
  if (out.best() == LinearAlgebra::dense) return out;
  const KktCost cost = sparse_path_cost(problem);
  out.flops = cost.flops;
  out.sparse = predict_sparse_seconds(cost, cost.matrix_entries, out.sizes);
  return out;
}

// Every linear algebra applies in principle: the one with the least predicted work first. Conjugate gradients, whose
// number of steps nothing but a try tells, end when they have taken as long as the next best.
PathPlan plan_by_forecast(const Problem& problem, bool dense, bool iterative) {
  const PathForecast seconds = forecast(problem, dense, iterative);
  const std::string why = seconds.words();
  const auto sparse = [&](std::string before) {
    return path_attempt("sparse_factorisations",
                        before + "a linear or quadratic program, sparse linear algebra on all rows");
  };
  PathPlan out;
  if (seconds.best() == LinearAlgebra::iterative) {
    out.attempts.push_back(path_attempt("conjugate_gradients", "a strongly convex program; " + why));
    if (seconds.flops > kMostFactorFlops && !dense) return out;
    out.attempts.back().most_passes = std::min(seconds.sparse, seconds.dense) / seconds_per_pass(seconds.sizes);
    if (seconds.dense < seconds.sparse) {
      out.attempts.push_back(path_attempt("working_sets", "conjugate gradients took too long: working sets"));
    }
    if (seconds.flops <= kMostFactorFlops) out.attempts.push_back(sparse("conjugate gradients took too long: "));
    return out;
  }
  if (seconds.best() == LinearAlgebra::dense) {
    out.attempts.push_back(path_attempt("working_sets", "dense linear algebra on working sets; " + why));
    if (sparse_path_fits(problem)) out.attempts.push_back(sparse("working sets failed, so "));
    return out;
  }
  out.attempts.push_back(sparse(""));
  out.attempts.back().reason += "; " + why;
  if (iterative) {
    out.attempts.back().most_flops = kMostFactorFlops;
    out.attempts.push_back(path_attempt("conjugate_gradients", "that failed: conjugate gradients"));
  }
  return out;
}

}  // namespace

PathPlan plan_path(const Problem& problem, const Settings& settings) {
  if (settings.linear_algebra != LinearAlgebra::automatic) {
    return plan_asked_path(problem, settings, settings.linear_algebra);
  }
  // The forms are those of the working sets.
  if (settings.path_form != PathKind::automatic) return plan_asked_path(problem, settings, LinearAlgebra::dense);
  const auto obstacle = [&](std::string_view name) { return engine_named(name).obstacle(problem, settings); };
  const std::string dense = obstacle("working_sets");
  const bool sparse = obstacle("sparse_factorisations").empty();
  const bool iterative = obstacle("conjugate_gradients").empty();
  if (sparse && !dense.empty() && factor_looks_dense(problem) && iterative) {
    return {{path_attempt("conjugate_gradients",
                          "a large quadratic program whose factorisations would fill up: conjugate gradients")},
            {}};
  }
  if (sparse && (dense.empty() ? stored_sparse(problem) : iterative)) {
    return plan_by_forecast(problem, dense.empty(), iterative);
  }
  if (sparse && !dense.empty()) {
    return {{path_attempt("sparse_factorisations", "a linear or quadratic program, sparse linear algebra on all rows")},
            {}};
  }
  if (!dense.empty()) return {{}, dense};
  PathPlan out;
  out.attempts.push_back(path_attempt("working_sets", "second derivatives are at hand and dense linear algebra fits"));
  // Programs without an interior, or badly scaled ones, may be too hard for working sets.
  if (sparse && sparse_path_fits(problem)) {
    out.attempts.push_back(
        path_attempt("sparse_factorisations", "working sets failed, so sparse factorisations of all rows"));
  }
  return out;
}

}  // namespace pliant
