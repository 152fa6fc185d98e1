#include "engines/interior/sparse_path.hpp"

#include "certify/infeasibility.hpp"
#include "constraints/linear.hpp"
#include "engines/interior/elastic_interior.hpp"
#include "engines/interior/equilibration.hpp"
#include "engines/interior/presolve.hpp"
#include "machine/memory.hpp"
#include "run/path_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace pliant {
namespace {

// Share of the gap aimed at that complementarity may leave.
constexpr double kMuShare = 0.1;
constexpr double kLeastMu = 1e-13;
constexpr Index kPatience = 30;  // steps without a better iterate
constexpr Index kMostSteps = 300;
// Multipliers whose gradients cancel to this share of what they miss by are tried as a proof, and again at a tenth.
constexpr double kFarkasRatio = 1e-6;

class SparsePath {
 public:
  SparsePath(Context& run, InnerPoint& point)
      : run_(run), point_(point), form_(standard_form(run.problem())), presolve_(reduce(form_)) {
    scaled_ = presolve_->reduced();
    scaling_ = equilibrate(scaled_);
    engine_.emplace(scaled_, LdlKind::automatic);
  }

  const SparseLdlCost& cost() const { return engine_->kkt().cost(); }

  void run() {
    // A warm start that satisfies the tolerances takes no step.
    if (point_.at.multipliers.size() == run_.system().size()) {
      evaluate_lagrangian(run_.problem(), run_.system(), point_.x, Vector(point_.at.multipliers), point_.at);
      if (run_.judge(point_)) return;
    }
    const bool finished = engine_->run([&] { return step(); });
    if (run_.verdict().reached()) return evaluate_best();
    if (best_x_.size() > 0 && judge(best_x_, best_y_)) return;
    run_.verdict().conclude(Status::numerical_error, finished
                                                         ? "the iterates stopped improving short of the tolerances"
                                                         : "the linear algebra broke down short of the tolerances");
  }

 private:
  // Where the reductions find a contradiction, the proof is left to the multipliers of the unreduced form.
  static std::unique_ptr<Presolve> reduce(const StandardForm& form) {
    auto full = std::make_unique<Presolve>(form, Presolve::Level::full);
    if (!full->contradiction()) return full;
    return std::make_unique<Presolve>(form, Presolve::Level::rows_without_sides);
  }

  // Called at every iterate; true ends the solve.
  bool step() {
    if (engine_->steps() > 0 && run_.tick()) return true;
    const InteriorResiduals& r = engine_->residuals();
    PathIterate it;
    it.objective = r.objective / scaling_.cost;
    it.violation =
        std::max(largest(r.rows.cwiseQuotient(scaling_.rows)), largest(r.variables.cwiseProduct(scaling_.columns)));
    it.gap = std::abs(r.gap) / scaling_.cost;
    it.dual_residual = largest(r.dual.cwiseQuotient(scaling_.columns).cwiseAbs()) / scaling_.cost;
    it.gradient = largest(r.gradient.cwiseQuotient(scaling_.columns).cwiseAbs()) / scaling_.cost;
    it.xi = engine_->xi();
    it.delta = engine_->xi() > 0.0 ? engine_->mu() / engine_->xi() : 0.0;
    it.proof = engine_->farkas_ratio();
    const double pairs = 2.0 * static_cast<double>(std::max<Index>(engine_->sides(), 1));
    engine_->set_sufficient_mu(std::max(
        kLeastMu, kMuShare * progress_.target() * run_.incumbent().gap_target(it.objective) * scaling_.cost / pairs));
    const auto keep = [&] {
      best_x_ = engine_->x();
      best_y_ = engine_->y();
    };
    return progress_.visit(engine_->steps(), it, keep, [&] { return judge(best_x_, best_y_); }) || try_proof();
  }

  static double largest(const Vector& v) { return v.size() > 0 ? v.maxCoeff() : 0.0; }

  // Multipliers of the problem's constraints from duals of the reduced, scaled rows.
  Vector multipliers(const Vector& x, const Vector& y, bool with_objective) const {
    return run_.system().multipliers_from_duals(presolve_->restore_y(x, scaling_.y(y), with_objective));
  }

  void evaluate(const Vector& scaled_x, const Vector& scaled_y) {
    const Journal::Phase phase(run_.journal(), "certificate");
    const Vector x = presolve_->restore_x(scaling_.x(scaled_x));
    const Vector lambda = multipliers(x, scaled_y, true);
    point_.x = x;
    run_.problem().prox().project(point_.x);
    evaluate_lagrangian(run_.problem(), run_.system(), point_.x, lambda, point_.at);
  }

  bool judge(const Vector& x, const Vector& y) {
    evaluate(x, y);
    return run_.judge(point_);
  }

  void evaluate_best() {
    if (best_x_.size() > 0) {
      evaluate(best_x_, best_y_);
    } else {
      evaluate_lagrangian(run_.problem(), run_.system(), point_.x, Vector::Zero(run_.system().size()), point_.at);
    }
  }

  bool try_proof() {
    const double ratio = engine_->farkas_ratio();
    if (!(ratio < farkas_)) return false;
    farkas_ = 0.1 * ratio;
    Vector x = Vector::Zero(run_.problem().dimension());
    run_.problem().prox().project(x);
    return run_.try_infeasibility(x, multipliers(x, engine_->y(), false));
  }

  Context& run_;
  InnerPoint& point_;
  StandardForm form_;
  std::unique_ptr<Presolve> presolve_;
  StandardForm scaled_;
  Equilibration scaling_;
  std::optional<ElasticInterior> engine_;
  PathProgress progress_{run_, kPatience, kMostSteps};
  double farkas_ = kFarkasRatio;
  Vector best_x_, best_y_;  // scaled
};

}  // namespace

std::string sparse_path_obstacle(const Problem& problem) { return standard_form_obstacle(problem); }

bool sparse_path_fits(const Problem& problem) {
  constexpr Index kRowsPerVariable = 50;
  return problem.constraints() <= kRowsPerVariable * problem.dimension() && sparse_path_obstacle(problem).empty();
}

bool factor_looks_dense(const Problem& problem) {
  constexpr Index kManyVariables = 20000;
  constexpr Index kShortRow = 50;  // longer rows stay rows of the Newton matrix and tie nothing together
  constexpr double kManyNeighbours = 100.0;
  const Index n = problem.dimension();
  if (n < kManyVariables) return false;
  double ties = 0.0;
  for (const BatchPtr& batch : problem.batches()) {
    const auto* linear = dynamic_cast<const LinearBatch*>(batch.get());
    if (linear == nullptr || !linear->matrix().is_sparse()) continue;
    const Indices& starts = linear->matrix().starts();
    for (Index i = 0; i < linear->matrix().rows(); ++i) {
      const Index entries = starts[i + 1] - starts[i];
      if (entries <= kShortRow) ties += static_cast<double>(entries) * static_cast<double>(entries);
    }
  }
  return ties > kManyNeighbours * static_cast<double>(n);
}

bool solve_sparse_path(Context& run, InnerPoint& point, double most_flops) {
  SparsePath path(run, point);
  if (path.cost().flops > most_flops) return false;
  const Index limit = run.settings().memory_limit.value_or(machine::machine_memory());
  const double needed = 2.0 * 12.0 * path.cost().entries;  // values, row indices and the work of building them
  if (needed > static_cast<double>(limit)) {
    throw InputError(
        fmt::format("--linear-algebra sparse: a factorisation would take about {:.1f} GB of memory, more "
                    "than the limit of {:.1f} GB",
                    1e-9 * needed, 1e-9 * static_cast<double>(limit)));
  }
  path.run();
  return true;
}

}  // namespace pliant
