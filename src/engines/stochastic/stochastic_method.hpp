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
  double uniform_share = 0.0;  ///< of the sampling probabilities; the rest is proportional to L_i
  Index stall_window = 60;     ///< full evaluations without a smaller residual before `stalled`
};

class StochasticMethod : public InnerMethod {
 public:
  InnerOutcome advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) final;
  /// kappa = L/(k+1) - mu for k components (Lin, Mairal, Harchaoui).
  double proximal_weight(PenalizedFunction& phi, ConstVectorRef x) final;
  InnerRhythm rhythm() const override { return {5, 33, 1}; }

 protected:
  /// `name` is that of the command line. Every number drawn is a hash of (seed, position).
  StochasticMethod(std::string name, Index seed, StochasticParameters parameters, double reach = 1.0);

  /// Prepares for a new sequence of epochs; the first full evaluation is done.
  virtual void start(const PenalizedFunction& phi, const InnerPoint& point) = 0;
  /// A run of steps from the full evaluation at point.x; leaves the next point to evaluate in point.x.
  virtual void epoch(InnerPoint& point) = 0;

  ComponentSum& components() { return *components_; }
  const StepProx& prox() const { return *prox_; }
  /// Strong convexity outside the prox.
  double smooth_strong_convexity() const { return smooth_mu_; }
  /// The gradient at the snapshot without the quadratic that the prox takes care of.
  const Vector& gradient() const { return gradient_; }
  Index draw() { return components_->draw(stream_.uniform(counter_++)); }
  /// Steps until an event of the given probability has happened, at least 1.
  Index geometric(double probability);

 private:
  void bind(PenalizedFunction& phi, ConstVectorRef x);

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
};

}  // namespace pliant
