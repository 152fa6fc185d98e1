// What variance-reduced methods share: components, random numbers, and the loop of full evaluations with a run of
// cheap steps between them.
#pragma once

#include "engines/inner_method.hpp"
#include "engines/stochastic/component_sum.hpp"
#include "engines/stochastic/step_prox.hpp"
#include "random/random.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pliant {

struct StochasticParameters {
  /// Constants hold in a ball of this many times |r|/mu, the greatest distance the minimiser can have; 0:
  /// everywhere.
  double ball = 1.0;
  double ball_growth = 4.0;    ///< when an epoch leaves it
  Index batch_size = 1;        ///< B, draws per step
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

  /// The working memory of steps on sparse rows.
  struct Sparse {
    std::vector<Index> drawn;        // the batch
    std::vector<std::int32_t> last;  // steps of the block that a coordinate has seen
    Vector added;                    // to the gradient, by the rows of a batch
  };

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
  virtual double proximal_smoothness() const { return step_smoothness_; }

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

  /// L_B = L/B + (1 - 1/B) L_f, what decides over steps of B draws: L of the components, L_f of their sum.
  double step_smoothness() const { return step_smoothness_; }
  /// `epochs` times k/B, the steps in which every component is drawn that often.
  double draws_per_component(double epochs) const {
    const double batch = static_cast<double>(parameters_.batch_size);
    return std::max(1.0, epochs * static_cast<double>(components_->sampled()) / batch);
  }

  /// coefficient * direction = mean of (grad h_i(x) - grad h_i(x~)) / p_i over a new batch.
  struct Estimate {
    const double* direction;
    double coefficient;
  };
  Estimate estimate(const Vector& x);
  /// Steps between looks at the ball: a look costs n, the steps between them many times that.
  Index check_every() const { return check_every_; }

  /// Whether steps had better touch the nonzeros of the drawn rows alone (lazy_steps.hpp).
  bool sparse() const { return sparse_; }
  Index lazy_block(Index steps) const { return std::min(steps, check_every_); }
  /// Up to `steps` of them, fewer where the ball is left; returns how many.
  template <class Coordinates>
  Index take_lazy_steps(Index steps, const Coordinates& at);
  /// Steps until an event of the given probability has happened, at least 1.
  Index geometric(double probability);

 private:
  void bind(PenalizedFunction& phi, ConstVectorRef x);
  /// Everything at point.x, which becomes the snapshot.
  void evaluate(const PenalizedFunction& phi, InnerPoint& point);
  /// Chooses the ball around `point` in which steps are taken, and the constants for it.
  void localize(const PenalizedFunction& phi, const InnerPoint& point, bool first);
  /// What follows from the constants: L_B, and whether and how steps are lazy.
  void plan_steps();
  Index stall_window() const;
  void draw_batch() {
    for (Index& i : sparse_work_.drawn) i = draw();
  }

  std::string name_;
  StochasticParameters parameters_;
  double reach_;
  random::Stream stream_;
  Index counter_ = 0;
  const PenalizedFunction* bound_ = nullptr;
  std::optional<ComponentSum> components_;
  std::optional<StepProx> prox_;
  double smooth_mu_ = 0.0;
  Vector gradient_, residual_;
  double step_smoothness_ = 0.0;
  Index check_every_ = 1;
  bool sparse_ = false;
  Sparse sparse_work_;
  Vector direction_;           // of estimates that are no data row; sparse rows are put there
  RowView in_direction_;       // and taken away again
  Vector center_;              // of the ball in which the constants hold,
  double radius_ = kInfinity;  // and its radius
  bool left_ = false;          // the last epoch ended because it left the ball
};

}  // namespace pliant
