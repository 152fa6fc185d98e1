#include "engines/conic/conic_path.hpp"

#include "engines/conic/conic_problem.hpp"
#include "engines/conic/conic_scaling.hpp"
#include "engines/conic/homogeneous.hpp"
#include "run/path_progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <string>

namespace pliant {
namespace {

constexpr Index kPatience = 25;  // steps without a better iterate
constexpr Index kMostSteps = 200;
// Rays whose residuals cancel to this share of what they gain are tried as proofs, and again at a tenth.
constexpr double kRay = 1e-6;
// tau/kappa that says of constraints without an objective that they can be satisfied.
constexpr double kFeasible = 1e6;
// What the linear algebra adds to the diagonal. Where steps become too short to go on, the next one is tried from the
// start: no value is best everywhere.
constexpr std::array kRegularisations{1e-8, 1e-7, 1e-6};

class ConicPath {
 public:
  ConicPath(Context& run, InnerPoint& point)
      : run_(run), point_(point), problem_(run.problem()), scaled_(problem_.form()), scaling_(scale_conic(scaled_)) {}

  void run() {
    // A warm start that satisfies the tolerances takes no step.
    if (point_.at.multipliers.size() == run_.system().size() &&
        point_.at.cones.multipliers.size() == run_.problem().conic().size()) {
      evaluate(Vector(point_.x), Vector(point_.at.multipliers), std::vector<Vector>(point_.at.cones.multipliers));
      if (run_.judge(point_)) return;
    }
    std::string failure;
    for (const double regularisation : kRegularisations) {
      HomogeneousParameters parameters;
      parameters.regularisation = regularisation;
      engine_ = std::make_unique<HomogeneousInterior>(scaled_, LdlKind::automatic, parameters);
      progress_.restart();
      failure = engine_->run([&] { return step(); }) ? "the iterates stopped improving" : engine_->failure();
      if (run_.verdict().reached()) return evaluate_best();
      if (best_x_.size() > 0) {
        evaluate_best();
        if (run_.judge(point_)) return;
      }
    }
    if (scaled_.P.nonZeros() > 0 && seek_contradiction()) return;
    run_.verdict().conclude(Status::numerical_error, failure + " short of the tolerances");
  }

 private:
  // Called at every iterate; true ends the solve.
  bool step() {
    if (engine_->steps() > 0 && run_.tick()) return true;
    const auto largest = [](const Vector& v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0; };
    const double violation = largest(scaling_.s(engine_->primal_residual()));
    const double dual = largest(scaling_.gradient(engine_->dual_residual()));
    const double gradient = largest(scaling_.gradient(engine_->gradient()));
    const double objective = scaling_.objective(engine_->objective());
    const double gap = std::abs(objective - scaling_.objective(engine_->dual_objective()));
    PathIterate it;
    it.objective = objective;
    it.violation = violation;
    it.gap = gap;
    it.dual_residual = dual;
    it.gradient = gradient;
    it.delta = engine_->mu();
    it.proof = std::min(engine_->infeasibility_ratio(), engine_->unboundedness_ratio());
    const auto keep = [&] {
      best_x_ = scaling_.x(engine_->x());
      best_z_ = scaling_.z(engine_->z());
    };
    const auto judge = [&] {
      evaluate_best();
      return run_.judge(point_);
    };
    return progress_.visit(engine_->steps(), it, keep, judge) || try_proofs();
  }

  // The constraints alone: where they contradict each other, z converges faster without the curvature of the objective,
  // whose Px stands against G'z = 0 until x has vanished beside z.
  bool seek_contradiction() {
    ConicForm alone = scaled_;
    alone.P.setZero();
    alone.q.setZero();
    engine_ = std::make_unique<HomogeneousInterior>(alone, LdlKind::automatic);
    infeasible_ = kRay;
    engine_->run([&] {
      return run_.tick() || engine_->steps() >= kMostSteps || engine_->tau() > kFeasible * engine_->kappa() ||
             try_contradiction();
    });
    return run_.verdict().reached();
  }

  Vector multipliers(const Vector& z) const { return run_.system().multipliers_from_duals(problem_.row_duals(z)); }

  Vector own_variables(const Vector& x) const { return x.head(run_.problem().dimension()); }

  void evaluate(const Vector& x, const Vector& lambda, const std::vector<Vector>& cones) {
    const Journal::Phase phase(run_.journal(), "certificate");
    point_.x = x;
    run_.problem().prox().project(point_.x);
    evaluate_lagrangian(run_.problem(), run_.system(), point_.x, lambda, point_.at, cones);
  }

  void evaluate_best() {
    if (best_x_.size() > 0) {
      evaluate(own_variables(best_x_), multipliers(best_z_), problem_.cone_multipliers(best_z_));
    } else {
      evaluate(Vector(point_.x), Vector::Zero(run_.system().size()), {});
    }
  }

  // Rays as they are, then balanced ones: rounding alone may stand between a ray and a proof.
  bool try_proofs() {
    if (try_contradiction()) return true;
    if (const double ratio = engine_->unboundedness_ratio(); ratio < unbounded_) {
      unbounded_ = 0.1 * ratio;
      if (try_ray(engine_->ray_x())) return true;
      if (engine_->steps() > 0 && try_ray(engine_->balanced_x())) return true;
    }
    return false;
  }

  bool try_contradiction() {
    const double ratio = engine_->infeasibility_ratio();
    if (!(ratio < infeasible_)) return false;
    infeasible_ = 0.1 * ratio;
    return try_infeasibility(engine_->ray_z()) || (engine_->steps() > 0 && try_infeasibility(engine_->balanced_z()));
  }

  bool try_infeasibility(const Vector& scaled) {
    const Vector z = scaling_.z(scaled);
    Vector x = Vector::Zero(run_.problem().dimension());
    run_.problem().prox().project(x);
    return run_.try_infeasibility(x, multipliers(z), problem_.cone_multipliers(z));
  }

  bool try_ray(const Vector& scaled) {
    const Vector ray = own_variables(scaling_.x(scaled));
    const double length = ray.lpNorm<Eigen::Infinity>();
    return length > 0.0 && run_.try_unboundedness(own_variables(scaling_.x(engine_->x())), ray / length);
  }

  Context& run_;
  InnerPoint& point_;
  ConicProblem problem_;
  ConicForm scaled_;
  ConicScaling scaling_;
  std::unique_ptr<HomogeneousInterior> engine_;
  PathProgress progress_{run_, kPatience, kMostSteps};
  double infeasible_ = kRay, unbounded_ = kRay;
  Vector best_x_, best_z_;  // in original units
};

}  // namespace

void solve_conic_path(Context& run, InnerPoint& point) { ConicPath(run, point).run(); }

}  // namespace pliant
