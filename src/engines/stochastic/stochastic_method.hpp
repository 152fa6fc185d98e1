// What variance-reduced methods share: components, random numbers, and the loop of full evaluations with a run of
// cheap steps between them.
#pragma once

#include "engines/inner_method.hpp"
#include "engines/stochastic/component_sum.hpp"
#include "generate/random.hpp"
#include "pliant/regularizers.hpp"

#include <optional>
#include <string>

namespace pliant {

/// The prox of psi(y) + quadratic/2 |y|^2.
///
/// Phi's own proximal term and the ridge of its components are such a quadratic once their linear part stands in the
/// gradient: kappa/2 |y - c|^2 = kappa/2 |y|^2 - kappa c'y + const.
class StepProx {
 public:
  StepProx(const ProxTerm& psi, double quadratic) : psi_(&psi), quadratic_(quadratic) {
    const SeparableParameters* p = separable_parameters(psi);
    if (p != nullptr && p->l1 == 0.0 && p->lo.empty()) shrink_ = quadratic + p->l2;
  }
  double strong_convexity() const { return psi_->strong_convexity() + quadratic_; }
  /// Whether psi is a multiple of the squared norm, so that its subgradients are continuous.
  bool smooth() const { return shrink_.has_value(); }

  /// v <- argmin_y psi(y) + quadratic/2 |y|^2 + |y - v|^2 / (2 step)
  void apply(double step, Vector& v) const {
    if (shrink_) {
      v *= 1.0 / (1.0 + step * *shrink_);
      return;
    }
    const double divisor = 1.0 + step * quadratic_;
    if (quadratic_ > 0.0) v /= divisor;
    psi_->prox(v, step / divisor, v);
  }

 private:
  const ProxTerm* psi_;
  double quadratic_;
  std::optional<double> shrink_;  // the whole of psi is a multiple of the squared norm
};

struct StochasticParameters {
  /// Constants hold in a ball of this many times |r|/mu, the greatest distance the minimiser can have; 0:
  /// everywhere.
  double ball = 1.0;
  double ball_growth = 4.0;    ///< when an epoch leaves it
  double uniform_share = 0.0;  ///< of the sampling probabilities; the rest is proportional to L_i
  /// Full evaluations without a smaller residual before `stalled`: this many, and as many more times those in which
  /// the method's theory promises a factor of e, at most the last number.
  Index stall_window = 60;
  double stall_factor = 4.0;
  Index longest_stall = 2000;
};

class StochasticMethod : public InnerMethod {
 public:
  InnerOutcome advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) final;
  /// kappa = L/(k+1) - mu for k components (Lin, Mairal, Harchaoui), so that an epoch solves a good part of a proximal
  /// problem; L is what the step says, 1/(3 step).
  double proximal_weight(PenalizedFunction& phi, InnerPoint& point) final;
  InnerRhythm rhythm() const override { return {5, 33, 1}; }

 protected:
  /// `name` is that of the command line. Every number drawn is a hash of (seed, position).
  StochasticMethod(std::string name, Index seed, StochasticParameters parameters, double reach = 1.0);

  /// Prepares for a new sequence of epochs; the first full evaluation is done.
  virtual void start(const PenalizedFunction& phi, const InnerPoint& point) = 0;
  /// A run of steps from the full evaluation at point.x; leaves the next point to evaluate in point.x.
  virtual void epoch(InnerPoint& point) = 0;
  /// Steps in which the theory promises an error smaller by a factor of e; infinite where it promises no such thing.
  virtual double steps_per_efold() const = 0;
  /// L as far as Catalyst is concerned.
  virtual double proximal_smoothness() const { return components_->step_smoothness(); }

  ComponentSum& components() { return *components_; }
  const ComponentSum& components() const { return *components_; }
  const StepProx& prox() const { return *prox_; }
  /// Strong convexity outside the prox.
  double smooth_strong_convexity() const { return smooth_mu_; }
  /// The gradient at the snapshot without the quadratic that the prox takes care of.
  const Vector& gradient() const { return gradient_; }
  /// Whether the constants hold at x. False ends an epoch: they are computed anew for a larger ball.
  bool inside(const Vector& x) {
    left_ = !((x - center_).squaredNorm() <= radius_ * radius_);
    return !left_;
  }
  Index draw() { return components_->draw(stream_.uniform(counter_++)); }
  /// Steps until an event of the given probability has happened, at least 1.
  Index geometric(double probability);

 private:
  void bind(PenalizedFunction& phi, ConstVectorRef x);
  /// Everything at point.x, which becomes the snapshot.
  void evaluate(const PenalizedFunction& phi, InnerPoint& point);
  /// Chooses the ball around `point` in which steps are taken, and the constants for it.
  void localize(const PenalizedFunction& phi, const InnerPoint& point, bool first);
  Index stall_window() const;

  std::string name_;
  StochasticParameters parameters_;
  double reach_;
  generation::Stream stream_;
  Index counter_ = 0;
  const PenalizedFunction* bound_ = nullptr;
  std::optional<ComponentSum> components_;
  std::optional<StepProx> prox_;
  double smooth_mu_ = 0.0;
  Vector gradient_, residual_;
  Vector center_;              // of the ball in which the constants hold,
  double radius_ = kInfinity;  // and its radius
  bool left_ = false;          // the last epoch ended because it left the ball
};

}  // namespace pliant
