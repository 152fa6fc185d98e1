// Accelerated proximal gradient: FISTA with backtracking, adaptive restart and, where the strong
// convexity is known, the momentum that belongs to it.
#pragma once

#include "engines/inner_method.hpp"

namespace pliant {

struct ApgParameters {
  double step_growth = 0.95;      ///< L is multiplied by this after every accepted step
  double backtrack_factor = 2.0;  ///< and by this when the quadratic bound fails
  Index max_backtracks = 60;
  Index stall_window = 400;  ///< iterations without a smaller residual before `stalled`
};

class Apg final : public InnerMethod {
 public:
  /// mu: strong convexity of Phi + psi (without a proximal term), 0 if unknown.
  Apg(Index dimension, double mu, ApgParameters parameters = {});

  InnerOutcome advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) override;

 private:
  void first_estimate_of_smoothness(PenalizedFunction& phi, const InnerPoint& point);
  /// Steps from y_, backtracking on L, into next_. False if no step is accepted.
  bool step_from_extrapolation(PenalizedFunction& phi);
  bool quadratic_bound_holds() const;
  void evaluate(PenalizedFunction& phi, InnerPoint& point);

  double mu_;
  ApgParameters parameters_;
  double smoothness_ = 0.0;  ///< L, kept from stage to stage; 0: not estimated yet
  InnerPoint y_, next_;
  Vector direction_, residual_;
};

}  // namespace pliant
