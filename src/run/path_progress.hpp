// How engines that follow a path of their own decide when to ask the certificate and when to give up: one place for the
// merit of an iterate, the accuracy aimed at and the patience.
#pragma once

#include "pliant/function_ref.hpp"
#include "run/context.hpp"

namespace pliant {

/// An iterate in original units, before the certificate sees it.
struct PathIterate {
  double objective = 0.0, violation = 0.0, gap = 0.0;
  double dual_residual = 0.0, gradient = 0.0;  ///< largest entries; the residual counts relative to 1 + gradient
  double xi = kInfinity, delta = 0.0;          ///< of the penalty it belongs to, for the log
  double mu = Progress::kUnknown;              ///< complementarity, and the step lengths that led here
  double step_primal = Progress::kUnknown, step_dual = Progress::kUnknown;
  Index working = 0;         ///< rows that steps carry where they leave some out
  double proof = kInfinity;  ///< how far from a proof that there is no solution; smaller is nearer
  double fall = 0.0;         ///< of the objective along a ray, where that says something
};

class PathProgress {
 public:
  PathProgress(Context& run, Index patience, Index most_steps)
      : run_(run), patience_(patience), most_steps_(most_steps) {}

  /// Records an iterate. `keep` is called if it is the best so far, `judge` (the certificate of the best one) if that
  /// is worth asking. True: the solve ends, or nothing gets better any more.
  bool visit(Index steps, const PathIterate& iterate, FunctionRef<void()> keep, FunctionRef<bool()> judge);
  /// Another attempt from the start, measured by itself: what the last one thought good the certificate did not.
  void restart() {
    since_better_ = lost_ = 0;
    target_ = kTargetShare;
    merit_ = proof_ = kInfinity;
    fall_ = 0.0;
  }
  /// By how much the best iterate since then misses the tolerances, in the engine's own figures; at most 1: it does not.
  double merit() const { return merit_; }
  /// Share of the tolerances the iterates are driven to at present.
  double target() const { return target_; }

 private:
  // The last steps converge fast, so the certificate is asked late.
  static constexpr double kTargetShare = 0.1;
  static constexpr double kFinestTarget = 1e-13;
  // A better iterate is one by this factor, a longer ray one by the other.
  static constexpr double kBetter = 0.9, kLonger = 2.0;
  // Iterates so much worse than the best, so many times in a row, do not come back: the linear algebra is lost.
  static constexpr double kLost = 1e5;
  static constexpr Index kLostSteps = 6;

  Context& run_;
  Index patience_;  // steps without a better iterate before the solve ends with the best one
  Index most_steps_;
  Index since_better_ = 0, lost_ = 0;
  double target_ = kTargetShare;
  double merit_ = kInfinity, proof_ = kInfinity, fall_ = 0.0;  // the best so far
};

}  // namespace pliant
