// The randomised primal-dual gradient method (Lan and Zhou 2018) for sum_i h_i + psi, psi mu-strongly convex.
//
//   x_ = x + a (x - x_prev);   u_i <- (x_ + tau u_i) / (1 + tau);   y_i+ = grad h_i(u_i)          (one i, with p_i)
//   x <- argmin_v (sum_j y_j + (y_i+ - y_i) / p_i)'v + psi(v) + eta/2 |v - x|^2;   y_i <- y_i+
//
// with k components, L = sum L_i, p_i = 1/(2k) + L_i/(2L), C = 8L/mu, S = sqrt((k-1)^2 + 4kC),
// tau = (S - (k-1))/(2k), eta = mu (S + k - 1)/2, a = 1 - 1/(k + 1 + S). Scalar components keep row_i'u_i and one
// slope, others the vectors u_i and y_i.
#pragma once

#include "engines/stochastic/stochastic_method.hpp"

namespace pliant {

struct RpdgParameters : StochasticParameters {
  RpdgParameters() { uniform_share = 0.5; }
  double epoch_length = 2.0;  ///< steps per component between full evaluations
};

class Rpdg final : public StochasticMethod {
 public:
  /// Why it cannot take a problem with `memory` bytes for its vectors; empty: it can.
  static std::string obstacle(const Problem& problem, Index memory);
  /// Its epochs are worth less than those of the others.
  InnerRhythm rhythm() const override { return {10, 80, 1, true}; }
  // Extrapolated points lie within three times the reach of the iterates.
  explicit Rpdg(Index seed, RpdgParameters parameters = {})
      : StochasticMethod("rpdg", seed, parameters, 3.0), parameters_(parameters) {}

 protected:
  void start(const PenalizedFunction& phi, const InnerPoint& point) override;
  void epoch(InnerPoint& point) override;
  double steps_per_efold() const override { return coefficients().steps; }

 private:
  struct Coefficients {
    double tau, eta, a, steps;  // steps = 1 / (1 - a)
  };
  Coefficients coefficients() const;
  /// Moves u_i and y_i; y_i+ - y_i is `change_` times the returned row.
  RowView update(Index i, double tau);

  RpdgParameters parameters_;
  Vector start_, previous_, extrapolated_, sum_;  // sum_: of all y_i
  Vector inner_, slope_;                          // row_i'u_i (NaN: u_i is still the start) and slope of y_i
  std::vector<Index> slot_;                       // of components without a scalar form
  Matrix u_, y_;
  Vector point_, difference_;
  double change_ = 0.0;
};

}  // namespace pliant
