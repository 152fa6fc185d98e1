// The accelerated gradient method that iteration counts are proved for: steps of length 1/L with L known beforehand, no
// line search, no restarts. For Phi + psi, Phi L-smooth,
//
//   x_{k+1} = prox_{psi/L}(y_k - grad Phi(y_k)/L),   y_k = x_k + beta_k (x_k - x_{k-1}),
//
// the momentum beta_k from the recursion of nesterov.hpp. It begins with alpha = 1 and q = 0 (FISTA), which gives
//   (Phi + psi)(x_k) - (Phi + psi)(z) <= 2 L |x0 - z|^2/(k+1)^2                                          for every z,
// or with alpha = sqrt(q), q = mu/(L + mu_psi), mu and mu_psi the strong convexity of Phi + psi and of psi, which gives
//   (Phi + psi)(x_k) - min <= 2 (1 - sqrt(q))^k ((Phi + psi)(x0) - min).
#pragma once

#include "penalty/penalized_function.hpp"

namespace pliant {

class PlainAccelerated {
 public:
  struct Momentum {
    double alpha = 1.0;
    double q = 0.0;

    static Momentum any() { return {}; }
    static Momentum strongly_convex(double q);
  };

  /// `start` lies in the domain of psi.
  PlainAccelerated(const Vector& start, double smoothness, Momentum momentum);

  /// One step: one gradient.
  void step(PenalizedFunction& phi);
  const Vector& x() const { return x_; }

 private:
  double smoothness_, alpha_, q_;
  double beta_ = 0.0;
  Vector x_, before_, y_, moved_;
  LagrangianEvaluation at_;
};

}  // namespace pliant
