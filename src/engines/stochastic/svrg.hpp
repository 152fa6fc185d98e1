// Proximal SVRG (Xiao and Zhang 2014), and without the inner loop (Kovalev, Horvath, Richtarik 2020).
//
//   x <- prox(x - eta (grad Phi(x~) + (grad h_i(x) - grad h_i(x~)) / p_i)),   i drawn with p_i
//
// A fresh snapshot x~ = x is taken after 2k steps, or with probability 1/k in every step; k components.
#pragma once

#include "engines/stochastic/stochastic_method.hpp"

namespace pliant {

struct SvrgParameters : StochasticParameters {
  bool loopless = false;
  double step = 1.0 / 3.0;           ///< eta L
  double loopless_step = 1.0 / 6.0;  ///< as its theorem asks
  double epoch_length = 2.0;         ///< steps per component
};

class Svrg final : public StochasticMethod {
 public:
  explicit Svrg(Index seed, SvrgParameters parameters = {})
      : StochasticMethod(parameters.loopless ? "loopless-svrg" : "svrg", seed, parameters), parameters_(parameters) {}

 protected:
  void start(const PenalizedFunction&, const InnerPoint&) override {}
  void epoch(InnerPoint& point) override;

 private:
  SvrgParameters parameters_;
};

}  // namespace pliant
