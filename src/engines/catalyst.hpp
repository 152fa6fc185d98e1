// Catalyst (Lin, Mairal, Harchaoui 2018): accelerates any inner method by a sequence of proximal problems.
//
//   x_{k+1} ~ argmin Phi + psi + kappa/2 |x - y_k|^2,   started at x_k + kappa/(kappa + mu) (y_k - y_{k-1})
//   a+^2 = (1 - a+) a^2 + q a+,   q = mu/(mu + kappa),   y = x + beta (x - x_prev),   beta = a (1-a)/(a^2 + a+)
//
// The inner method names kappa (InnerMethod::proximal_weight); where that is 0 it runs as it is.
#pragma once

#include "engines/inner_method.hpp"

#include <memory>

namespace pliant {

struct CatalystParameters {
  Index inner_iterations = 1;  ///< of the inner method per proximal problem
  /// Proximal problems without a smaller residual before `stalled`: this many and as many more times 1/sqrt(q), in
  /// which the error should fall by a factor of e, at most the last number.
  double stall_window = 100.0;
  double stall_factor = 4.0;
  double longest_stall = 2000.0;
};

class Catalyst final : public InnerMethod {
 public:
  explicit Catalyst(std::unique_ptr<InnerMethod> inner, CatalystParameters parameters = {})
      : inner_(std::move(inner)), parameters_(parameters) {}

  InnerOutcome advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) override;
  InnerRhythm rhythm() const override { return inner_->rhythm(); }

 private:
  std::unique_ptr<InnerMethod> inner_;
  CatalystParameters parameters_;
  InnerPoint start_, reported_;
  Vector previous_x_, previous_y_, residual_;
};

}  // namespace pliant
