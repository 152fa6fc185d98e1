// Proximal SVRG (Xiao and Zhang 2014), and without the inner loop (Kovalev, Horvath, Richtarik 2020).
//
//   x <- prox(x - eta (grad Phi(x~) + (grad h_i(x) - grad h_i(x~)) / p_i)),   i drawn with p_i
//
// A fresh snapshot x~ = x is taken after 2k steps, or with probability 1/k in every step; k components.
// Batches of B draws: k/B in place of k, L_B in place of L.
#pragma once

#include "engines/stochastic/skipped_steps.hpp"
#include "engines/stochastic/stochastic_method.hpp"

namespace pliant {

struct SvrgParameters : StochasticParameters {
  bool loopless = false;
  double step = 1.0 / 3.0;           ///< eta L; good on its own,
  double damped_step = 0.1;          ///< and under Catalyst, whose momentum amplifies the noise of longer ones
  double loopless_step = 1.0 / 6.0;  ///< as its theorem asks
  double epoch_length = 2.0;         ///< steps per component
};

class Svrg final : public StochasticMethod {
 public:
  explicit Svrg(Index seed, SvrgParameters parameters = {}, const char* name = "svrg")
      : StochasticMethod(name, seed, parameters), parameters_(parameters) {}

 protected:
  void start(const PenalizedFunction& phi, const InnerPoint&) override { mu_ = phi.strong_convexity(); }
  void epoch(InnerPoint& point) override;
  double steps_per_efold() const override { return 1.0 / (mu_ * step()); }
  double proximal_smoothness() const override { return 1.0 / (3.0 * step()); }

 private:
  double step() const;

  SvrgParameters parameters_;
  double mu_ = 0.0;
  SkippedProxSteps skipped_;
};

}  // namespace pliant
