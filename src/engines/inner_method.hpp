// The contract of a method that minimises the penalised problem Phi + psi at fixed xi, delta and u.
// Outer strategies (src/outer) drive any of them.
#pragma once

#include "penalty/inner_point.hpp"
#include "penalty/penalized_function.hpp"
#include "pliant/function_ref.hpp"
#include "pliant/types.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {

/// Called at every accepted point; true stops the method there.
using InnerMonitor = FunctionRef<bool(const InnerPoint& point)>;

enum class InnerEnd { stopped, stalled, limit };

struct InnerOutcome {
  InnerEnd end = InnerEnd::stopped;
  Index iterations = 0;
};

/// What one iteration of a method is worth to the strategy that drives it.
struct InnerRhythm {
  Index few = 6;           ///< a stage of fewer iterations was cheap: delta may fall,
  Index many = 40;         ///< one of more was dear: delta should rise
  Index judge_every = 10;  ///< iterations between certificates
  /// End points of stages scatter all over the error they are allowed, so that one within the gap tolerance may still
  /// be infeasible.
  bool scatters = false;
};

/// Says when a method no longer gets anywhere: neither a smaller residual nor a smaller value of Phi + psi in `window`
/// accepted points. The residual alone would not do: for small delta it stays large until the very end.
class StallCheck {
 public:
  explicit StallCheck(Index window) : window_(window) {}
  bool operator()(const PenalizedFunction& phi, const InnerPoint& point) {
    const double value = point.phi + phi.problem().prox().value(point.x);
    const bool better = point.residual < residual_ || value < value_ - kNoise * std::abs(value);
    since_best_ = better ? 0 : since_best_ + 1;
    residual_ = std::min(residual_, point.residual);
    value_ = std::min(value_, value);
    return since_best_ > window_;
  }

 private:
  static constexpr double kNoise = 1e-12;  // smaller differences of values may be rounding
  Index window_;
  Index since_best_ = 0;
  double residual_ = kInfinity, value_ = kInfinity;
};

/// The loop of methods that move `point` one step at a time, from a point the monitor has seen: step() finds and takes
/// one, or says that there is none.
template <class Step>
InnerOutcome take_steps(const PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations,
                        Index stall_window, Step step) {
  InnerOutcome outcome;
  StallCheck stalled(stall_window);
  stalled(phi, point);
  while (outcome.iterations < max_iterations) {
    if (!step()) {
      outcome.end = InnerEnd::stalled;
      return outcome;
    }
    ++outcome.iterations;
    if (monitor(point)) return outcome;
    if (stalled(phi, point)) {
      outcome.end = InnerEnd::stalled;
      return outcome;
    }
  }
  outcome.end = InnerEnd::limit;
  return outcome;
}

class InnerMethod {
 public:
  static constexpr Index kUnlimited = std::numeric_limits<Index>::max();

  virtual ~InnerMethod() = default;

  /// Starts at point.x (the rest of `point` is computed anew) and leaves the last accepted point there.
  /// `stalled`: rounding errors allow no further progress. `limit`: max_iterations are done; then only point.x counts,
  /// so that a wrapper that moves on from there pays for no evaluation it does not use.
  virtual InnerOutcome advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor,
                               Index max_iterations) = 0;
  InnerOutcome minimize(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor) {
    return advance(phi, point, monitor, kUnlimited);
  }

  virtual InnerRhythm rhythm() const { return {}; }
  /// The weight kappa of kappa/2 |x - y|^2 with which Catalyst accelerates this method from point.x on; 0: it would not
  /// pay. May evaluate there.
  virtual double proximal_weight(PenalizedFunction&, InnerPoint&) { return 0.0; }
};

}  // namespace pliant
