#include "run/path_progress.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

bool PathProgress::visit(Index steps, const PathIterate& it, FunctionRef<void()> keep, FunctionRef<bool()> judge) {
  const double tolerance = run_.settings().tol_gap;
  const double merit = std::max({it.violation / run_.incumbent().feasibility_target(),
                                 it.dual_residual / (1.0 + it.gradient) / tolerance,
                                 it.gap / run_.incumbent().gap_target(it.objective)});
  run_.journal().penalty(it.xi, it.delta);
  run_.journal().path({it.gap, it.mu, it.step_primal, it.step_dual});
  run_.note(it.objective, it.violation, it.working, it.dual_residual);
  if (run_.verdict().reached() || !std::isfinite(merit)) return true;
  // Progress is a better iterate, a better proof that there is none, or a longer ray.
  if (merit < kBetter * merit_ || it.proof < kBetter * proof_ || it.fall > kLonger * fall_) since_better_ = 0;
  proof_ = std::min(proof_, it.proof);
  fall_ = std::max(fall_, it.fall);
  if (merit < merit_) {
    merit_ = merit;
    keep();
  }
  lost_ = since_better_ > 0 && merit > kLost * merit_ ? lost_ + 1 : 0;
  if (++since_better_ > patience_ || lost_ >= kLostSteps || steps >= most_steps_) return true;
  if (merit > target_) return false;
  if (judge()) return true;
  target_ *= 0.1;
  return target_ * tolerance < kFinestTarget;
}

}  // namespace pliant
