#include "engines/interior/sparse_path.hpp"

#include "constraints/linear.hpp"
#include "engines/interior/driver.hpp"
#include "engines/interior/elastic_interior.hpp"
#include "engines/interior/equilibration.hpp"
#include "engines/interior/presolve.hpp"
#include "machine/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace pliant {
namespace {

// Share of the gap aimed at that complementarity may leave.
constexpr double kMuShare = 0.1;
// Of thousands of pairs 1e-13 in scaled units each was more than a gap of 1e-8 allows: nothing could be better then.
constexpr double kLeastMu = 1e-16;
constexpr InteriorPatience kPatience{.steps_without_progress = 30, .most_steps = 300};
// Multipliers whose gradients cancel to this share of what they miss by are tried as a proof.
constexpr double kFarkasRatio = 1e-6;

double largest(const Vector& v) { return v.size() > 0 ? v.maxCoeff() : 0.0; }

// Where the reductions find a contradiction, the proof is left to the multipliers of the unreduced form.
std::unique_ptr<Presolve> reduce(const StandardForm& form) {
  auto full = std::make_unique<Presolve>(form, Presolve::Level::full);
  if (!full->contradiction()) return full;
  return std::make_unique<Presolve>(form, Presolve::Level::rows_without_sides);
}

class SparsePath final : public InteriorMethod {
 public:
  explicit SparsePath(Context& run) : run_(run), form_(standard_form(run.problem())), presolve_(reduce(form_)) {
    scaled_ = presolve_->reduced();
    scaling_ = equilibrate(scaled_);
    start(kRegularisations.front());
  }

  const SparseLdlCost& cost() const { return engine_->kkt().cost(); }

  bool begin(Index attempt) override {
    if (attempt >= static_cast<Index>(kRegularisations.size())) return false;
    if (attempt > 0) start(kRegularisations[static_cast<std::size_t>(attempt)]);
    return true;
  }
  bool follow(FunctionRef<bool()> stop) override { return engine_->run(stop); }
  Index steps() const override { return engine_->steps(); }

  PathIterate iterate() const override {
    const InteriorResiduals& r = engine_->residuals();
    PathIterate it;
    it.objective = scaling_.objective(r.objective);
    it.violation = std::max(largest(scaling_.s(r.rows)), largest(scaling_.x(r.variables)));
    it.gap = scaling_.objective(std::abs(r.gap));
    it.dual_residual = largest(scaling_.gradient(r.dual).cwiseAbs());
    it.gradient = largest(scaling_.gradient(r.gradient).cwiseAbs());
    it.xi = engine_->xi();
    it.delta = engine_->xi() > 0.0 ? engine_->mu() / engine_->xi() : 0.0;
    it.mu = engine_->mu();
    if (engine_->steps() > 0) {
      it.step_primal = engine_->step_lengths().primal;
      it.step_dual = engine_->step_lengths().dual;
    }
    it.proof = engine_->farkas_ratio();
    return it;
  }

  Candidate candidate() const override {
    const Vector x = presolve_->restore_x(scaling_.x(engine_->x()));
    return {x, multipliers(x, true), {}};
  }

  void aim(double gap) override {
    const double pairs = 2.0 * static_cast<double>(std::max<Index>(engine_->sides(), 1));
    engine_->set_sufficient_mu(std::max(kLeastMu, kMuShare * gap * scaling_.cost / pairs));
  }

  bool try_proofs() override {
    if (!farkas_.opens(engine_->farkas_ratio())) return false;
    Vector x = Vector::Zero(run_.problem().dimension());
    run_.problem().prox().project(x);
    return run_.try_infeasibility(x, multipliers(x, false));
  }

 private:
  void start(const Regularisation& regularisation) {
    InteriorParameters parameters;
    parameters.regularisation = regularisation;
    engine_.emplace(scaled_, LdlKind::automatic, parameters);
  }

  // Multipliers of the problem's constraints from duals of the reduced, scaled rows.
  Vector multipliers(const Vector& x, bool with_objective) const {
    return run_.system().multipliers_from_duals(presolve_->restore_y(x, scaling_.y(engine_->y()), with_objective));
  }

  Context& run_;
  StandardForm form_;
  std::unique_ptr<Presolve> presolve_;
  StandardForm scaled_;
  Equilibration scaling_;
  std::optional<ElasticInterior> engine_;
  ProofGate farkas_{kFarkasRatio};
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
    const auto* linear = batch->linear_rows();
    if (linear == nullptr || !linear->matrix().is_sparse()) continue;
    const Indices& starts = linear->matrix().starts();
    for (Index i = 0; i < linear->matrix().rows(); ++i) {
      const Index entries = starts[i + 1] - starts[i];
      if (entries <= kShortRow) ties += static_cast<double>(entries) * static_cast<double>(entries);
    }
  }
  return ties > kManyNeighbours * static_cast<double>(n);
}

KktCost sparse_path_cost(const Problem& problem) {
  const StandardForm form = standard_form(problem);
  return predict_kkt_cost(form.P, form.A);
}

bool solve_sparse_path(Context& run, InnerPoint& point, double most_flops) {
  SparsePath path(run);
  if (path.cost().flops > most_flops) return false;
  const Index limit = run.settings().memory_limit.value_or(machine::machine_memory());
  constexpr double kBytesPerEntry = 2.0 * 12.0;  // values, row indices and the work of building them
  const double needed = kBytesPerEntry * path.cost().entries;
  if (needed > static_cast<double>(limit)) {
    throw InputError(
        fmt::format("--linear-algebra sparse: a factorisation would take about {:.1f} GB of memory, more "
                    "than the limit of {:.1f} GB",
                    1e-9 * needed, 1e-9 * static_cast<double>(limit)));
  }
  drive(run, point, path, kPatience);
  return true;
}

}  // namespace pliant
