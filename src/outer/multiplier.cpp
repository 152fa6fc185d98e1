// The log-sigmoid multiplier method.
//
//   repeat: minimise F(x) + sum xi_i p_delta(a_i(x) + u_i) inexactly;  u_i += a_i(x)
//
// which multiplies the odds of lambda_i / xi_i by e^{a_i / delta}. delta need not go to 0, so that the
// penalised problems stay as smooth as the first one. xi_i of a soft row is its price: there multipliers may end at
// either side of [0, xi_i], and shifts have a ceiling as well as a floor.
#include "outer/strategy.hpp"

#include "linalg/sums.hpp"
#include "softplus/softplus.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

class MultiplierLoop {
 public:
  MultiplierLoop(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, const OuterParameters& parameters)
      : run_(run), inner_(inner), point_(point), parameters_(parameters), rhythm_(inner.rhythm()) {}

  void start() {
    const InitialPenalty first = run_.guess(point_.x);
    phi().xi = first.xi;
    phi().delta = first.delta;
    finest_ = parameters_.least_delta * first.delta;
    phi().shift = Vector::Zero(run_.context().system().size());
    start_ = point_.x;
    if (point_.at.multipliers.size() == phi().shift.size() && phi().shift.size() > 0) {
      adopt_multipliers();
      way_ = start_.norm();  // who begins near the solution goes no way that says how large errors are
    }
  }

  void iterate() {
    Index stalled_in_a_row = 0;
    while (!run_.ended()) {
      const InnerOutcome outcome = stage();
      if (run_.ended() || run_.judge(point_) || run_.context().check_limits()) return;
      if (outcome.iterations >= parameters_.stage_iterations && run_.context().note_failure({})) return;
      const bool in_vain = outcome.end == InnerEnd::stalled || (cheap(outcome) && at_finest());
      stalled_in_a_row = in_vain ? stalled_in_a_row + 1 : 0;
      if (stalled_in_a_row >= parameters_.multiplier_patience) {
        run_.context().verdict().conclude(Status::numerical_error,
                                          "rounding stopped the penalised problems short of the tolerances");
        return;
      }
      if (run_.context().next_stage()) return;
      update_multipliers();
      adapt_delta(outcome);
      run_.screen(point_);
    }
  }

 private:
  PenalizedFunction& phi() { return run_.phi(); }

  // Shifts that reproduce given multipliers: xi sigma(u/delta) = lambda.
  void adopt_multipliers() {
    const Vector& lambda = point_.at.multipliers;
    if (!run_.settings().xi) phi().xi = std::max(phi().xi, 2.0 * phi().largest_hard(lambda));
    const double floor = -parameters_.shift_floor * phi().delta;
    for (Index i = 0; i < lambda.size(); ++i) {
      const double most = phi().ceiling(i);
      const double s = most > 0.0 ? std::min(lambda[i] / most, parameters_.most_of_xi) : 0.0;
      phi().shift[i] = s > 0.0 ? std::max(floor, phi().delta * std::log(s / (1.0 - s))) : floor;
    }
  }

  // Minimises inexactly: |r|^2 <= mu sum a_i (lambda_i - lambda_i_old) (for mu = 0 the error is measured
  // by |r| times the longest way gone from the start), but never beyond what the tolerances need.
  InnerOutcome stage() {
    run_.begin_stage();
    previous_.resize(phi().shift.size());
    penalty::softplus_sigmoid(phi().shift.size(), phi().shift.data(), nullptr, phi().delta, nullptr, previous_.data());
    for (Index i = 0; i < previous_.size(); ++i) previous_[i] *= phi().ceiling(i);
    // A shift at its floor stands for the multiplier 0. Counted as xi e^-40, rows far below zero would pretend a
    // progress of about xi e^-40 |a_i| in every stage, and inner solutions would never become more accurate than that.
    const double floor = -parameters_.shift_floor * phi().delta;
    for (Index i = 0; i < previous_.size(); ++i) {
      if (phi().shift[i] <= floor) previous_[i] = 0.0;
    }
    Index iteration = 0;
    return inner_.minimize(phi(), point_, [&](const InnerPoint& p) {
      if (iteration++ == 0) return false;  // a stage makes at least one step
      if (run_.context().tick()) return true;
      if (iteration % rhythm_.judge_every == 0 && run_.judge(p)) return true;
      way_ = std::max(way_, (p.x - start_).norm());
      return iteration > parameters_.stage_iterations || accurate_enough(p);
    });
  }

  bool accurate_enough(const InnerPoint& p) {
    const double progress =
        pairwise_sum(0, previous_.size(), [&](Index i) { return p.at.a[i] * (p.at.multipliers[i] - previous_[i]); });
    const double mu = run_.problem().strong_convexity();
    const bool good_enough = !rhythm_.scatters || phi().largest_hard(p.at.a) <= run_.feasibility_target();
    const double floor = good_enough ? parameters_.enough_gap * run_.gap_target(p.at.smooth_value) : 0.0;
    if (mu > 0.0) {
      const double error = p.residual * p.residual / mu;
      return error <= std::max(progress, floor);
    }
    return p.residual * way_ <= std::max(parameters_.inner_accuracy * progress, floor);
  }

  void update_multipliers() {
    const Vector& lambda = point_.at.multipliers;
    const double floor = -parameters_.shift_floor * phi().delta;
    for (Index i = 0; i < lambda.size(); ++i) {
      const double moved = std::max(floor, phi().shift[i] + point_.at.a[i]);
      phi().shift[i] = phi().soft(i) ? std::min(moved, -floor) : moved;
    }
    bool saturated = false;
    for (Index i = 0; i < lambda.size(); ++i) {
      if (phi().soft(i)) continue;
      saturated = saturated || (lambda[i] > parameters_.saturation * phi().xi && point_.at.a[i] > 0.0);
    }
    if (saturated && !run_.settings().xi) raise_xi();
  }

  // Raises xi and keeps every multiplier: xi' sigma(u'/delta) = xi sigma(u/delta).
  void raise_xi() {
    const double previous = phi().xi;
    run_.raise_xi(parameters_.xi_growth);
    const double floor = -parameters_.shift_floor * phi().delta;
    for (Index i = 0; i < phi().shift.size(); ++i) {
      if (phi().soft(i)) continue;
      double& u = phi().shift[i];
      const double lambda = previous * penalty::sigmoid(u / phi().delta);
      u = std::max(floor, phi().delta * (std::log(lambda) - std::log(phi().xi - lambda)));
    }
  }

  bool cheap(const InnerOutcome& outcome) const { return outcome.iterations < rhythm_.few; }
  bool at_finest() { return parameters_.cheap_stage * phi().delta < finest_; }

  // Cheap stages can afford a smaller delta (faster multipliers), dear ones need a larger one.
  void adapt_delta(const InnerOutcome& outcome) {
    double factor = 1.0;
    if (cheap(outcome) && !at_finest()) factor = parameters_.cheap_stage;
    if (outcome.iterations > rhythm_.many || outcome.end == InnerEnd::stalled) factor = parameters_.dear_stage;
    phi().delta *= factor;
    phi().shift *= factor;
  }

  PenaltyRun& run_;
  InnerMethod& inner_;
  InnerPoint& point_;
  const OuterParameters& parameters_;
  const InnerRhythm rhythm_;
  Vector previous_;      // multipliers at the start of the stage
  Vector start_;         // where the solve began
  double way_ = 0.0;     // longest distance from there
  double finest_ = 0.0;  // delta falls no further
};

}  // namespace

void solve_multiplier(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, const OuterParameters& parameters) {
  MultiplierLoop loop(run, inner, point, parameters);
  loop.start();
  loop.iterate();
}

}  // namespace pliant
