// Katyusha (Allen-Zhu 2017), and without the inner loop (Kovalev, Horvath, Richtarik 2020).
//
//   x  = t1 z + t2 x~ + (1 - t1 - t2) y
//   g  = grad Phi(x~) + (grad h_i(x) - grad h_i(x~)) / p_i
//   z+ = argmin_v g'v + psi(v) + mu_f/2 |v - x|^2 + |v - z|^2 / (2 alpha)
//   y  = x + t1 (z+ - z),   or   argmin_v g'v + psi(v) + 3L/2 |v - x|^2 where psi is not smooth: a mean of points is
//        never exactly on a bound or 0, and the residual there would not go to 0
//
// with t2 = 1/2, t1 = min(sqrt(2k mu/(3L)), 1/2), alpha = 1/(3 t1 L); mu_f is the strong convexity of Phi that psi
// does not hold, mu that of Phi + psi. After 2k steps x~ becomes the mean of the y weighted by (1 + alpha mu)^j; the
// loopless form sets x~ = y with probability 1/k in every step. For mu = 0: t1 = 2/(s + 4) in epoch s. Batches of B
// draws: k/B in place of k, L_B in place of L.
#pragma once

#include "engines/stochastic/skipped_steps.hpp"
#include "engines/stochastic/stochastic_method.hpp"

namespace pliant {

struct KatyushaParameters : StochasticParameters {
  bool loopless = false;
  double epoch_length = 2.0;  ///< steps per component
};

class Katyusha final : public StochasticMethod {
 public:
  explicit Katyusha(Index seed, KatyushaParameters parameters = {}, const char* name = "katyusha")
      : StochasticMethod(name, seed, parameters), parameters_(parameters) {}

 protected:
  void start(const PenalizedFunction& phi, const InnerPoint& point) override;
  void epoch(InnerPoint& point) override;
  /// 1 / ln(1 + alpha mu)
  double steps_per_efold() const override;

 private:
  double momentum() const;
  static double weight_sum(double a, Index count);
  /// Steps from the present x, y, z; they return how many were taken before the ball was left.
  Index sparse_epoch(const KatyushaStep& step, Index steps, const InnerPoint& point);
  Index dense_epoch(const KatyushaStep& step, Index steps, const InnerPoint& point);

  KatyushaParameters parameters_;
  double mu_ = 0.0;
  double epochs_ = 0.0;     // of 2k steps, done so far
  Vector x_, y_, z_, sum_;  // sum_: weighted, of y - x~
  SkippedKatyushaSteps skipped_;
};

}  // namespace pliant
