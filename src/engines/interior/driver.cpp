#include "engines/interior/driver.hpp"

#include "parallel/stop.hpp"

#include <algorithm>
#include <optional>

namespace pliant {
namespace {

class Driver {
 public:
  Driver(Context& run, InnerPoint& point, InteriorMethod& method, InteriorPatience patience)
      : run_(run),
        point_(point),
        method_(method),
        progress_(run, patience.steps_without_progress, patience.most_steps) {}

  void drive() {
    if (warm_start_holds()) return;
    std::string why;
    for (Index attempt = 0; method_.begin(attempt); ++attempt) {
      progress_.restart();
      why = method_.follow([&] { return visit(); }) ? "the iterates stopped improving" : method_.failure();
      merit_ = std::min(merit_, progress_.merit());
      if (run_.verdict().reached()) return evaluate_best();
      if (best_ && (judge_best() || judge_without_multipliers())) return;
    }
    if (method_.last_resort()) return;
    run_.verdict().conclude(Status::numerical_error, why + " short of the tolerances");
  }

  // Stopped in the middle of a step: the best iterate so far is what there is.
  void stop() {
    const parallel::StopScope undisturbed(nullptr);
    run_.check_limits();
    evaluate_best();
  }

  double merit() const { return merit_; }

 private:
  // A warm start that satisfies the tolerances takes no step.
  bool warm_start_holds() {
    const LagrangianEvaluation& at = point_.at;
    if (at.multipliers.size() != run_.system().size() || at.cones.multipliers.size() != run_.problem().conic().size()) {
      return false;
    }
    evaluate(Candidate{point_.x, at.multipliers, at.cones.multipliers});
    return run_.judge(point_);
  }

  // Called at every iterate; true ends the attempt.
  bool visit() {
    if (method_.steps() > 0 && run_.tick()) return true;
    const PathIterate it = method_.iterate();
    method_.aim(progress_.target() * run_.incumbent().gap_target(it.objective));
    return progress_.visit(
               method_.steps(), it, [&] { best_ = method_.candidate(); }, [&] { return judge_best(); }) ||
           method_.try_proofs();
  }

  void evaluate(const Candidate& candidate) {
    const Journal::Phase phase(run_.journal(), "certificate");
    point_.x = candidate.x;
    run_.problem().prox().project(point_.x);
    evaluate_lagrangian(run_.problem(), run_.system(), point_.x, candidate.multipliers, point_.at, candidate.cones);
  }

  void evaluate_best() { evaluate(best_ ? *best_ : Candidate{point_.x, Vector::Zero(run_.system().size()), {}}); }

  bool judge_best() {
    evaluate_best();
    return run_.judge(point_);
  }

  // A feasible x at which f does not fall in any direction, as where there is no f, needs no multipliers; those of a path
  // that broke down may be large and prove nothing. To be asked after judge_best.
  bool judge_without_multipliers() {
    const Certificate& latest = run_.incumbent().latest();
    if (point_.at.smooth_gradient_size != 0.0) return false;
    if (!(latest.infeasibility(run_.settings().norm) <= run_.settings().tol_feas)) return false;
    Candidate free{best_->x, Vector::Zero(run_.system().size()), {}};
    for (const Vector& z : best_->cones) free.cones.emplace_back(Vector::Zero(z.size()));
    evaluate(free);
    return run_.judge(point_);
  }

  Context& run_;
  InnerPoint& point_;
  InteriorMethod& method_;
  PathProgress progress_;
  std::optional<Candidate> best_;
  double merit_ = kInfinity;
};

}  // namespace

double drive(Context& run, InnerPoint& point, InteriorMethod& method, InteriorPatience patience) {
  Driver driver(run, point, method, patience);
  try {
    driver.drive();
  } catch (const parallel::Stopped&) {
    driver.stop();
  }
  return driver.merit();
}

}  // namespace pliant
