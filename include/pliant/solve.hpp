// Entry points of the solver.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/settings.hpp"

#include <atomic>
#include <functional>
#include <span>
#include <vector>

namespace pliant {

/// Called with every judged point, after the progress callback; returning true stops the solve.
using PointCallback = std::function<bool(const Progress& row, ConstVectorRef x)>;

/// The best point so far, for whoever keeps it: x and multipliers as in a Result, and the best bound that is proved.
struct BestSoFar {
  Vector x;
  Multipliers multipliers;
  double proved_bound = -kInfinity;
};
using BestCallback = std::function<void(const BestSoFar&)>;

struct SolveHooks {
  ProgressCallback progress;                      ///< may be empty
  PointCallback point;                            ///< may be empty
  const std::atomic<bool>* interrupt = nullptr;   ///< polled; true: stop with Status::interrupted
  const Vector* warm_start = nullptr;             ///< start from this x
  const Multipliers* warm_multipliers = nullptr;  ///< and these multipliers
  BestCallback best;                              ///< may be empty; sees the best point now and then,
  double best_every = 60.0;                       ///< at most once in so many seconds
};

/// One algorithm to be tried on a problem, and why. `pliant solve` makes the attempts of a plan one after the other until
/// one of them answers.
struct Attempt {
  std::string engine;    ///< its label, e.g. "path / working sets", as logs, JSON and docs name it
  std::string strategy;  ///< what drives the penalty, in one word: `outer` in JSON
  std::string reason;    ///< empty where the settings asked for it
  Method method = Method::automatic;
  Outer outer = Outer::automatic;                           ///< of methods that minimise penalised problems
  LinearAlgebra linear_algebra = LinearAlgebra::automatic;  ///< of method path
  Nonsmooth treatment = Nonsmooth::automatic;               ///< of cones, automatic without any
  bool ball_as_row = false;                                 ///< the term `ball` as one curved row
  bool soft_as_slacks = false;                              ///< soft rows as hard ones with a slack each
  bool slacks_as_soft = false;                              ///< the other way round: rows with a slack as soft ones
  /// Operations of one factorisation above which this attempt is left to the next one.
  double most_flops = kInfinity;
  /// Passes after which it is left to the next one, because that was predicted to need no more time than these.
  double most_passes = kInfinity;
};

struct Plan {
  std::vector<Attempt> attempts;  ///< at least one
};
/// What will be tried on a problem. Throws InputError where nothing can be done as the settings ask.
Plan choose(const Problem& problem, const Settings& settings);

/// Solves the problem. Bad input throws InputError; everything else is a Status.
Result solve(const Problem& problem, const Settings& settings = {}, const SolveHooks& hooks = {});
/// The same by a plan that `choose` made for this problem and these settings.
Result solve(const Problem& problem, const Plan& plan, const Settings& settings, const SolveHooks& hooks);

/// Solves several problems at the same time. Where they read the same rows (one matrix, nine values of tau), every read of all
/// of them is done once for all; the answers are those of `solve`, to the last bit. Limits hold for the whole call; the
/// passes of a result are its share of what was read. Problems with functions of the caller are refused.
std::vector<Result> solve_together(std::span<const std::reference_wrapper<const Problem>> problems,
                                   const Settings& settings = {}, const std::atomic<bool>* interrupt = nullptr);

/// Minimises F_{xi,delta}(x) = F(x) + xi sum p_delta(a_i(x)) until the smallest subgradient is at
/// most `residual_tolerance` (or rounding stops progress).
struct PenalizedMinimum {
  Vector x;
  double value = 0.0;     ///< F_{xi,delta}(x)
  double residual = 0.0;  ///< norm of the smallest subgradient
  Index iterations = 0;
};
PenalizedMinimum minimize_penalized(const Problem& problem, double xi, double delta, double residual_tolerance,
                                    Index max_iterations = 100000, const Vector* start = nullptr);

/// Seconds of one plain read of all constraint data with the current threads: the physical yardstick.
double measure_stream(const Problem& problem, int threads = 0);

}  // namespace pliant
