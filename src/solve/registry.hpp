// One row per algorithm: what it is called, what it cannot take, how it is run. Plans, logs, JSON, `info` and docs read
// this table and nothing else.
#pragma once

#include "penalty/inner_point.hpp"
#include "pliant/solve.hpp"
#include "run/context.hpp"

#include <span>
#include <string>
#include <string_view>

namespace pliant {

struct RowKnowledge;

/// What an engine needs beyond the context.
struct EngineTask {
  const Attempt& attempt;
  RowKnowledge* known_rows;  ///< what a Solver remembers, or null
};

enum class EngineEnd {
  ended,      ///< the context's verdict says how; none: it gave up
  declined,   ///< nothing was done: the next attempt of the plan is the better one
  exhausted,  ///< as `ended`, and the attempts behind this one could do no better
};

struct Engine {
  std::string_view name;      ///< the value of --method, or the name of the algorithm behind --method path
  std::string_view label;     ///< for people
  std::string_view strategy;  ///< `outer` in JSON; empty: the name of the outer strategy it runs under
  Method method;
  LinearAlgebra linear_algebra;
  Nonsmooth treatment;  ///< `interior`: takes cones as they are
  bool draws_batches;   ///< --batch-size applies
  /// Why it cannot solve a problem with these settings, in words; empty: it can.
  std::string (*obstacle)(const Problem& problem, const Settings& settings);
  EngineEnd (*run)(Context& context, InnerPoint& point, const EngineTask& task);

  /// Works under an outer strategy, with xi and delta.
  bool penalised() const { return strategy.empty(); }
};

std::span<const Engine> engines();
/// By name; the name must exist.
const Engine& engine_named(std::string_view name);
/// The engine of a --method other than auto and path.
const Engine& engine_of(Method method);
/// The engine behind an attempt.
const Engine& engine_of(const Attempt& attempt);

/// What to say behind an obstacle that eigenvalues as rows are: "; .." with a setting that has other rows, where one has.
std::string_view way_out_of_eigenvalues(const Problem& problem);

/// An attempt with an engine; `outer`: where it runs under one.
Attempt attempt_with(const Engine& engine, std::string reason, Outer outer = Outer::automatic);

}  // namespace pliant
