// The loop of all primal-dual interior-point methods here, over what an engine knows of its own path:
//
//   evaluate    residuals and mu of the iterate
//   factorize   the Newton matrix with the present scaling of the pairs or cones
//   predict     the direction that aims at mu = 0
//   centring    how far that direction comes says how much to centre (steps.hpp)
//   correct     the direction with centring and second-order terms
//   move        along it, as far as the boundary allows
//
// Linear systems stand behind the contract of linalg/kkt_solver.hpp.
#pragma once

#include "pliant/function_ref.hpp"

#include <concepts>

namespace pliant {

template <class Engine>
concept PredictorCorrector = requires(Engine& engine, double sigma) {
  engine.evaluate();
  { engine.factorize() } -> std::same_as<bool>;
  { engine.predict() } -> std::same_as<bool>;
  { engine.centring() } -> std::same_as<double>;
  { engine.correct(sigma) } -> std::same_as<bool>;
  { engine.move() } -> std::same_as<bool>;
};

/// Steps until `stop`, asked at every evaluated iterate, says so. False: the engine could go no further.
template <PredictorCorrector Engine>
bool follow_path(Engine& engine, FunctionRef<bool()> stop) {
  for (;;) {
    engine.evaluate();
    if (stop()) return true;
    if (!engine.factorize()) return false;
    if (!engine.predict()) return false;
    if (!engine.correct(engine.centring())) return false;
    if (!engine.move()) return false;
  }
}

}  // namespace pliant
