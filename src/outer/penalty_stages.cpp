// The strategies `static` and `nested`: plain penalties with one delta or a falling sequence.
#include "outer/strategy.hpp"

#include "linalg/sums.hpp"
#include "pliant/theory.hpp"
#include "softplus/softplus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

enum class StageEnd { converged, stalled, told_to_stop };

// delta sum xi_i H(lambda_i / xi_i): the gap the smoothing itself leaves at the minimiser.
double entropy_gap(const PenalizedFunction& phi, const Vector& multipliers) {
  if (!phi.has_soft_rows()) {
    return phi.xi * phi.delta *
           pairwise_sum(0, multipliers.size(), [&](Index i) { return penalty::entropy(multipliers[i] / phi.xi); });
  }
  return phi.delta * pairwise_sum(0, multipliers.size(), [&](Index i) {
           const double most = phi.ceiling(i);
           return most > 0.0 ? most * penalty::entropy(multipliers[i] / most) : 0.0;
         });
}

// Error in Phi that a residual leaves: |r|^2 / (2 mu), or |r| times the length of the way for mu = 0.
double inner_error(const PenaltyRun& run, const InnerPoint& point, ConstVectorRef stage_start) {
  const double mu = run.problem().strong_convexity();
  if (mu > 0.0) return point.residual * point.residual / (2.0 * mu);
  return point.residual * ((point.x - stage_start).norm() + 1.0 + point.x.norm());
}

// Error in Phi that a nested stage may leave: a part of the gap the smoothing leaves, and (mu > 0) no more than puts x
// within the way the stage has come, |r|/mu <= |x - start|. The first alone lets x err by O(sqrt(delta)), while the
// smoothing moves it by O(delta). Never more accurate than a tenth of the gap tolerance needs.
double nested_accuracy(PenaltyRun& run, const InnerPoint& p, ConstVectorRef start, const OuterParameters& parameters) {
  const double gap = parameters.inner_accuracy * entropy_gap(run.phi(), p.at.multipliers);
  const double mu = run.problem().strong_convexity();
  if (!(mu > 0.0)) return gap;
  const double way = 0.5 * mu * (p.x - start).squaredNorm();
  return std::min(gap, std::max(way, parameters.enough_gap * run.gap_target(p.at.smooth_value)));
}

// Minimises at the present xi and delta until the inner error is below `target(point)`.
template <class Target>
StageEnd run_stage(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, Target target) {
  run.begin_stage();
  const Vector stage_start = point.x;
  const Index judge_every = inner.rhythm().judge_every;
  Index iteration = 0;
  bool converged = false;
  const InnerOutcome outcome = inner.minimize(run.phi(), point, [&](const InnerPoint& p) {
    if (iteration++ > 0 && run.context().tick()) return true;
    if (iteration % judge_every == 0 && run.judge(p)) return true;
    converged = inner_error(run, p, stage_start) <= target(p);
    return converged;
  });
  if (run.ended()) return StageEnd::told_to_stop;
  if (run.judge(point) || run.context().check_limits()) return StageEnd::told_to_stop;
  return converged || outcome.end != InnerEnd::stalled ? StageEnd::converged : StageEnd::stalled;
}

// A constraint that stays violated by many delta at a converged stage has its multiplier at xi.
bool raise_xi_if_saturated(PenaltyRun& run, const InnerPoint& point, const OuterParameters& parameters) {
  PenalizedFunction& phi = run.phi();
  if (run.settings().xi || point.at.a.size() == 0) return false;
  const double worst = phi.largest_hard(point.at.a);
  if (worst <= parameters.saturated_excess * phi.delta || worst <= run.feasibility_target()) return false;
  run.raise_xi(parameters.xi_growth);
  return true;
}

// delta as given: the minimiser of that penalised problem is what was asked for, whatever it is worth.
void solve_given(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, const OuterParameters& parameters) {
  PenalizedFunction& phi = run.phi();
  phi.delta = *run.settings().delta;
  while (true) {
    const StageEnd end = run_stage(run, inner, point, [](const InnerPoint&) { return 0.0; });
    if (end == StageEnd::told_to_stop) return;
    if (!raise_xi_if_saturated(run, point, parameters)) break;
    if (run.context().next_stage()) return;
  }
  run.context().incumbent().insist_on(point, run.context().view());
  run.context().verdict().conclude(
      Status::iteration_limit,
      fmt::format("x minimises the penalised problem; delta = {:g} is too large for the tolerances", phi.delta));
}

struct FixedPenalty {
  double delta, accuracy;
};

// epsilon with |A|_1 <= epsilon and F - F* <= xi epsilon / 2 within the tolerances for hard rows. Soft ones leave
// delta ln 2 sum c_i at most: a quarter of the gap, and the inner error another one.
FixedPenalty fixed_penalty(PenaltyRun& run, double objective) {
  const PenalizedFunction& phi = run.phi();
  const double gap = run.gap_target(objective);
  const double epsilon = std::min(run.feasibility_target(), 2.0 * gap / phi.xi);
  FixedPenalty out{theory::delta_for_accuracy(epsilon, std::max<Index>(1, phi.hard_rows())), phi.xi * epsilon / 4.0};
  if (!(phi.sum_of_prices() > 0.0)) return out;
  const double soft = gap / (4.0 * penalty::softplus(0.0, 1.0) * phi.sum_of_prices());
  if (phi.hard_rows() == 0) out = {soft, gap / 4.0};
  return {std::min(out.delta, soft), std::min(out.accuracy, gap / 4.0)};
}

}  // namespace

void solve_fixed(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, const OuterParameters& parameters) {
  PenalizedFunction& phi = run.phi();
  phi.xi = run.guess(point.x).xi;
  if (run.settings().delta) return solve_given(run, inner, point, parameters);
  const double objective = run.problem().objective(point.x);
  double share = 1.0;  // of the error that the theory allows
  while (true) {
    const FixedPenalty fixed = fixed_penalty(run, objective);
    phi.delta = fixed.delta;
    const double accuracy = share * fixed.accuracy;
    const StageEnd end = run_stage(run, inner, point, [&](const InnerPoint&) { return accuracy; });
    if (end == StageEnd::told_to_stop) return;
    if (end == StageEnd::stalled) {
      run.context().verdict().conclude(Status::numerical_error,
                                       "rounding stopped the penalised problem short of the tolerances");
      return;
    }
    // Without strong convexity the error is only estimated; a stage that ended too early goes on.
    if (!raise_xi_if_saturated(run, point, parameters)) share *= parameters.longer_stage;
    if (run.context().next_stage()) return;
  }
}

void solve_nested(PenaltyRun& run, InnerMethod& inner, InnerPoint& point, const OuterParameters& parameters) {
  const InitialPenalty first = run.guess(point.x);
  run.phi().xi = first.xi;
  run.phi().delta = first.delta;
  Index stalled_in_a_row = 0;
  while (true) {
    const Vector start = point.x;
    const StageEnd end =
        run_stage(run, inner, point, [&](const InnerPoint& p) { return nested_accuracy(run, p, start, parameters); });
    if (end == StageEnd::told_to_stop) return;
    stalled_in_a_row = end == StageEnd::stalled ? stalled_in_a_row + 1 : 0;
    if (stalled_in_a_row >= parameters.nested_patience) {
      run.context().verdict().conclude(Status::numerical_error,
                                       fmt::format("{} stages in a row made no progress", stalled_in_a_row));
      return;
    }
    if (run.context().next_stage()) return;
    if (!raise_xi_if_saturated(run, point, parameters)) run.phi().delta *= parameters.nested_reduction;
    run.screen(point);
  }
}

}  // namespace pliant
