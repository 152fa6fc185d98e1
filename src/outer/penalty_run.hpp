// A solve by penalised problems: the context of the solve, the penalised function of the rows that are left, and the
// screening that leaves fewer of them between stages.
#pragma once

#include "outer/screening.hpp"
#include "penalty/initial_penalty.hpp"
#include "penalty/penalized_function.hpp"
#include "run/context.hpp"

#include <memory>

namespace pliant {

class PenaltyRun {
 public:
  /// Looks at the problem's Slater point, where it has one.
  explicit PenaltyRun(Context& context);

  Context& context() { return context_; }
  const Problem& problem() const { return context_.problem(); }
  const Settings& settings() const { return context_.settings(); }
  /// Another object after `screen`.
  PenalizedFunction& phi() { return *phi_; }
  bool ended() { return context_.verdict().reached(); }
  double gap_target(double objective) const { return context_.incumbent().gap_target(objective); }
  double feasibility_target() const { return context_.incumbent().feasibility_target(); }

  /// Begins a stage with the present penalty.
  void begin_stage() { context_.journal().penalty(phi_->xi, phi_->delta); }
  /// Guesses xi and delta at x0.
  InitialPenalty guess(ConstVectorRef x0);
  /// Context::judge of a point of the present penalty.
  bool judge(const InnerPoint& point);
  /// Multiplies xi; gives up where it grows out of all proportion. True: stop.
  bool raise_xi(double factor);
  /// Between stages: goes on without the constraints that the end point of a stage proves inactive (screening.hpp).
  /// What is known of the point besides x then goes with them.
  void screen(InnerPoint& point);

 private:
  Context& context_;
  Screening screening_;
  std::unique_ptr<PenalizedFunction> phi_;
};

}  // namespace pliant
