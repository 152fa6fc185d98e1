// What a coordinate goes through while steps touch others, in closed form.
//
// A variance-reduced step moves every coordinate by the full gradient of the snapshot and by the prox; the row that was
// drawn adds something at its nonzeros only. Steps that skip coordinate j therefore repeat one map of one number,
// whose k-fold repetition is known: so a step costs the nonzeros it touches, the prox included.
#pragma once

#include "engines/stochastic/step_prox.hpp"

#include <vector>

namespace pliant {

/// k times x <- prox(x - eta g) for psi_j = w1 |x| + (w2/2) x^2 + indicator[lo, hi].
///
/// Between its kinks the map is x -> rho (x - eta d), rho = 1/(1 + eta w2), d = g + w1 sign(x), and k of them are
/// x -> rho^k x - eta d (rho + ... + rho^k). The sequence is monotone, so it crosses 0 at most once and ends on a bound
/// once it meets one.
class SkippedProxSteps {
 public:
  /// For up to `longest` steps at a time.
  void prepare(const StepProx& prox, double eta, Index longest);
  double operator()(double x, double g, Index k, Index j) const {
    return smooth_ ? affine(x, g, k) : through_kinks(x, g, k, j);
  }
  double once(double x, double g, Index j) const {
    return smooth_ ? affine(x, g, 1) : prox_->coordinate(eta_, j, x - eta_ * g);
  }

 private:
  struct Power {
    double rho_k = 1.0, sum = 0.0;  // rho^k and eta (rho + ... + rho^k)
  };
  double affine(double x, double d, Index k) const {
    const Power& p = powers_[static_cast<std::size_t>(k)];
    return p.rho_k * x - d * p.sum;
  }
  double through_kinks(double x, double g, Index k, Index j) const;

  const StepProx* prox_ = nullptr;
  double eta_ = 0.0;
  bool smooth_ = true;
  std::vector<Power> powers_;
};

/// k steps of Katyusha that skip a coordinate, for a smooth prox term:
///
///   x = t1 z + t2 s + t3 y,   z+ = rho (pull z + (1 - pull) x - step g),   y+ = x + t1 (z+ - z),   A+ = d A + (y+ - s)
///
/// with s the snapshot and A a weighted sum. All of it is linear in (z, y, s, g), and so is its repetition.
struct KatyushaStep {
  double t1, t2, t3, pull, step, rho, d;

  double x(double z, double y, double s) const { return t1 * z + t2 * s + t3 * y; }
  /// z+ for x and g = the gradient estimate.
  double z(double z, double x, double g) const { return rho * (pull * z + (1.0 - pull) * x - step * g); }
};

class SkippedKatyushaSteps {
 public:
  void prepare(const KatyushaStep& step, Index longest);
  void operator()(double& z, double& y, double& sum, double s, double g, Index k) const {
    const Power& p = powers_[static_cast<std::size_t>(k)];
    const double z0 = z, y0 = y;
    z = p.z.of(z0, y0, s, g);
    y = p.y.of(z0, y0, s, g);
    sum = p.decay * sum + p.sum.of(z0, y0, s, g);
  }

 private:
  struct Form {
    double z = 0.0, y = 0.0, s = 0.0, g = 0.0;
    double of(double z_, double y_, double s_, double g_) const { return z * z_ + y * y_ + s * s_ + g * g_; }
  };
  struct Power {
    Form z, y, sum;
    double decay = 1.0;
  };
  std::vector<Power> powers_;
};

}  // namespace pliant
