// The contract of a method that minimises the penalised problem Phi + psi at fixed xi, delta and u.
// Outer strategies (src/outer) drive any of them.
#pragma once

#include "penalty/penalized_function.hpp"
#include "pliant/function_ref.hpp"
#include "pliant/types.hpp"

namespace pliant {

/// A point with everything known there.
struct InnerPoint {
  Vector x;
  LagrangianEvaluation at;
  double phi = 0.0;       ///< Phi(x), without psi
  double residual = 0.0;  ///< norm of the smallest element of grad Phi(x) + subdifferential psi(x)
};

/// Called at every accepted point; true stops the method there.
using InnerMonitor = FunctionRef<bool(const InnerPoint& point)>;

enum class InnerEnd { stopped, stalled };

struct InnerOutcome {
  InnerEnd end = InnerEnd::stopped;
  Index iterations = 0;
};

class InnerMethod {
 public:
  virtual ~InnerMethod() = default;
  /// Starts at point.x (the rest of `point` is computed anew) and leaves the last accepted point there.
  /// `stalled`: rounding errors allow no further progress.
  virtual InnerOutcome minimize(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor) = 0;
};

}  // namespace pliant
