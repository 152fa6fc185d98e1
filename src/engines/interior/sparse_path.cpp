#include "engines/interior/sparse_path.hpp"

#include "constraints/linear.hpp"
#include "engines/interior/contradiction.hpp"
#include "engines/interior/driver.hpp"
#include "engines/interior/elastic_interior.hpp"
#include "engines/interior/equilibration.hpp"
#include "engines/interior/presolve.hpp"
#include "engines/interior/without_solution.hpp"
#include "engines/interior/working_rows.hpp"
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
// Rows left out are looked at once the part is solved to this share, and again at such a part of it; from the last one on
// in every step.
constexpr double kFirstLook = 0.3, kNextLook = 0.1, kLastLook = 1e-8;
// Rows join that x could reach by changing by as much as it may still change.
constexpr double kLeastReach = 0.1, kMostReach = 0.3;
// Engines with more rows begin at the first iterate solved to this share: still far from all boundaries, six to eight steps
// on. Later iterates cannot take in what new rows ask for (steps of a tenth and less).
constexpr double kCentre = 0.9;
// Steps without rows have to be so much cheaper: there are two or three times as many of them.
constexpr double kCheaper = 5.0;
// Proofs are looked for where the primal and the dual objective are this share of their sizes apart, as where one of them has no
// limit, and xi has grown a thousandfold while the last tenfold left this share of the violation, or the dual residual has not
// fallen by a tenth for so many steps.
constexpr double kFarApart = 0.8, kFirstLargeXi = 1e5, kXiGrows = 10.0, kStays = 0.3, kFalls = 0.9;
constexpr Index kDoubtfulSteps = 4;
// Rays are not sought where Pd = 0 as rows makes a factorisation so much dearer.
constexpr double kDearerRays = 10.0;
// Programs whose capacities bind everywhere would go on for long.
constexpr Index kMostJoins = 6;

double largest(const Vector& v) { return v.size() > 0 ? v.maxCoeff() : 0.0; }

double seconds_per_step(const StandardForm& form) {
  const KktCost cost = predict_kkt_cost(form.P, form.A);
  return predict_step_seconds(cost, cost.matrix_entries);
}

class SparsePath final : public InteriorMethod {
 public:
  SparsePath(Context& run, double most_flops)
      : run_(run), most_flops_(most_flops), form_(standard_form(run.problem())) {
    presolve_.emplace(form_, Presolve::Level::full);
  }

  /// Before any step: reductions that contradict each other, or bounds passed on from row to row. True: the run has a
  /// verdict.
  bool prove_at_once() {
    if (presolve_->contradiction()) return proves(presolve_->contradicting_duals());
    const std::optional<Vector> y = propagate_to_contradiction(presolve_->reduced());
    return y && proves(presolve_->restore_y(Vector::Zero(form_.variables()), *y, false));
  }

  void prepare() {
    // The proof is left to the multipliers of the unreduced form.
    if (presolve_->contradiction()) presolve_.emplace(form_, Presolve::Level::rows_without_sides);
    scaled_ = presolve_->reduced();
    scaling_ = equilibrate(scaled_);
    costs_ = scaled_.P.nonZeros() > 0 || !scaled_.q.isZero(0.0) || scaled_.l1.size() > 0;
    leave_rows_out();
    start();
  }

  double flops() const { return engine_->kkt().cost().flops; }
  /// Of the factor.
  double bytes() const {
    constexpr double kBytesPerEntry = 2.0 * 12.0;  // values, row indices and the work of building them
    return kBytesPerEntry * engine_->kkt().cost().entries;
  }
  double memory_limit() const {
    return static_cast<double>(run_.settings().memory_limit.value_or(machine::machine_memory()));
  }

  bool begin(Index attempt) override {
    if (attempt == 0) return true;
    if (joined_ && go_on()) return true;
    if (rows_) {  // too many joined, or the part broke down: all rows, from the start
      rows_.reset();
      start();
      return flops() <= most_flops_ && bytes() <= memory_limit();
    }
    if (engine_->farkas_ratio() < kFarkasRatio && contradicts(whole_duals())) return false;
    if (!asked_ && look_for_proofs()) return false;
    if (++regularisation_ >= kRegularisations.size()) return false;
    start();
    return true;
  }
  bool follow(FunctionRef<bool()> stop) override {
    return engine_->run([&] { return stop() || rows_join(); });
  }
  Index steps() const override { return earlier_steps_ + engine_->steps(); }

  PathIterate iterate() const override {
    const InteriorResiduals& r = engine_->residuals();
    PathIterate it;
    it.objective = scaling_.objective(r.objective);
    const double rows = largest(scaling_.s(rows_ ? rows_->violations(engine_->x()) : r.rows));
    it.violation = std::max(rows, largest(scaling_.x(r.variables)));
    it.gap = scaling_.objective(std::abs(r.gap));
    it.dual_residual = largest(scaling_.gradient(r.dual).cwiseAbs());
    it.gradient = largest(scaling_.gradient(r.gradient).cwiseAbs());
    it.xi = engine_->xi();
    it.delta = engine_->xi() > 0.0 ? engine_->mu() / engine_->xi() : 0.0;
    it.mu = engine_->mu();
    it.working = rows_ ? rows_->joined() : 0;
    if (steps() > 0) {
      it.step_primal = engine_->step_lengths().primal;
      it.step_dual = engine_->step_lengths().dual;
    }
    it.proof = engine_->farkas_ratio();
    return it;
  }

  Candidate candidate() const override {
    const Vector x = original(engine_->x());
    return {x, multipliers(x, whole_duals(), true), {}};
  }

  void aim(double gap) override {
    const double pairs = 2.0 * static_cast<double>(std::max<Index>(engine_->sides(), 1));
    if (!costs_) return;
    engine_->set_sufficient_mu(std::max(kLeastMu, kMuShare * gap * scaling_.cost / pairs));
  }

  bool try_proofs() override {
    if (farkas_.opens(engine_->farkas_ratio()) && contradicts(whole_duals())) return true;
    return !asked_ && doubtful() && look_for_proofs();
  }

 private:
  InteriorParameters parameters() const {
    InteriorParameters out;
    out.regularisation = kRegularisations[regularisation_];
    return out;
  }
  void start() {
    earlier_steps_ = 0;
    engine_.emplace(rows_ ? rows_->part() : scaled_, LdlKind::automatic, parameters());
  }

  // Duals of all rows of the form that keep every point so far from satisfying them that no tolerance accepts it. Steps may
  // find a better proof than one within a radius.
  bool proves(const Vector& y) {
    if (!(contradiction_of(form_, y) > run_.settings().tol_feas)) return false;
    return run_.try_infeasibility(origin(), run_.system().multipliers_from_duals(y), {}, InfeasibilityKind::proved);
  }

  // The distance of the primal and the dual objective as a share of their sizes.
  double apart() const {
    const InteriorResiduals& r = engine_->residuals();
    return std::abs(r.gap) / (std::abs(r.objective) + std::abs(r.objective - r.gap) + 1e-300);
  }

  // How far the iterate is from solving the part, as a share of what it is made of.
  double missing() const {
    const InteriorResiduals& r = engine_->residuals();
    const double dual = largest(r.dual.cwiseAbs()) / (largest(r.gradient.cwiseAbs()) + 1e-300);
    return std::max(apart(), dual);
  }

  // Where most of a factorisation is owed to inequality rows, and the program stays bounded without them.
  void leave_rows_out() {
    if (!bounded_without_rows(scaled_)) return;
    rows_.emplace(scaled_);
    if (rows_->left_out() > 0) {
      seconds_with_all_ = seconds_per_step(scaled_);
      if (kCheaper * seconds_per_step(rows_->part()) < seconds_with_all_) return;
    }
    rows_.reset();
  }

  // Looks at the rows left out where the iterate has come nearer to a solution of the part. True: some of them join.
  bool rows_join() {
    if (!rows_ || rows_->left_out() == 0) return false;
    const double share = missing();
    if (!centre_ && share <= kCentre) {
      centre_ = engine_->iterate();
      centre_rows_ = rows_->kept();
    }
    if (share > next_look_) return false;
    next_look_ = std::max(kNextLook * share, kLastLook);
    // The engine is not asked again: its rows are no longer the part.
    joined_ = rows_->join(engine_->x(), std::clamp(share, kLeastReach, kMostReach));
    return joined_;
  }

  // With the rows that joined. False: leaving out the others does not pay any more.
  bool go_on() {
    joined_ = false;
    const Index steps = engine_->steps();
    engine_.emplace(rows_->part(), LdlKind::automatic, parameters());
    const SparseLdlCost& cost = engine_->kkt().cost();
    const double entries = static_cast<double>(rows_->part().A.nonZeros() + rows_->part().P.nonZeros());
    if (++joins_ > kMostJoins || kCheaper * predict_step_seconds(cost, entries) > seconds_with_all_) return false;
    earlier_steps_ += steps;
    run_.journal().next_stage();
    engine_->continue_from(*centre_, rows_->places(centre_rows_));
    return true;
  }

  Vector original(const Vector& scaled_x) const { return presolve_->restore_x(scaling_.x(scaled_x)); }
  Vector origin() const {
    Vector x = Vector::Zero(run_.problem().dimension());
    run_.problem().prox().project(x);
    return x;
  }
  /// Of the reduced, scaled rows, those left out included.
  Vector whole_duals() const { return rows_ ? rows_->whole_duals(engine_->y()) : engine_->y(); }
  // Multipliers of the problem's constraints from such duals.
  Vector multipliers(const Vector& x, const Vector& y, bool with_objective) const {
    return run_.system().multipliers_from_duals(presolve_->restore_y(x, scaling_.y(y), with_objective));
  }

  // Duals of the reduced, scaled rows as a proof of infeasibility.
  bool contradicts(const Vector& y) {
    const Vector x = origin();
    return run_.try_infeasibility(x, multipliers(x, y, false));
  }

  // Where rows cannot be satisfied multipliers grow with xi, and the violation stays; where the objective falls for ever there is
  // no dual point, and the dual residual stays.
  bool doubtful() {
    if (!costs_ || rows_) return false;  // the whole may cost too much
    const InteriorResiduals& r = engine_->residuals();
    const double dual = largest(r.dual.cwiseAbs()) / (1.0 + largest(r.gradient.cwiseAbs()));
    since_dual_fell_ = dual < kFalls * least_dual_ ? 0 : since_dual_fell_ + 1;
    least_dual_ = std::min(least_dual_, dual);
    const bool no_dual = since_dual_fell_ >= kDoubtfulSteps && least_dual_ > run_.settings().tol_gap;
    return (violation_stays() || no_dual) && apart() > kFarApart;
  }
  bool violation_stays() {
    const InteriorResiduals& r = engine_->residuals();
    if (engine_->xi() < next_xi_) return false;
    const double before = violation_then_;
    violation_then_ = std::max(largest(r.rows), largest(r.variables));
    next_xi_ = kXiGrows * engine_->xi();
    return violation_then_ > kStays * before;
  }

  // Once: the answer would be the same again. True: the run has a verdict.
  bool look_for_proofs() {
    asked_ = true;
    if (!costs_) return false;  // the constraints are alone already
    const Journal::Phase phase(run_.journal(), "search for proofs");
    const auto stop = [&] { return run_.tick(); };
    const ConstraintsAlone constraints = solve_constraints_alone(
        scaled_, stop,
        [&](const InteriorResiduals& r) {
          return std::max(largest(scaling_.s(r.rows)), largest(scaling_.x(r.variables))) <=
                 run_.incumbent().feasibility_target();
        },
        [&](const Vector& y) { return contradicts(y); });
    if (run_.verdict().reached()) return true;
    if (constraints.end != ConstraintsAlone::End::satisfied) return false;
    Vector x = original(constraints.x);
    run_.problem().prox().project(x);
    const Vector apex = original(Vector::Zero(scaled_.variables()));
    const bool found = show_rays(scaled_, kDearerRays * flops(), stop, [&](const Vector& d, bool inside) {
      return run_.try_unboundedness(x, original(d) - apex,
                                    inside ? InfeasibilityKind::proved : InfeasibilityKind::within_radius);
    });
    return found || run_.verdict().reached();
  }

  Context& run_;
  double most_flops_;
  StandardForm form_;
  std::optional<Presolve> presolve_;
  StandardForm scaled_;
  Equilibration scaling_;
  bool costs_ = true;   // there is an objective
  bool asked_ = false;  // whether there is a solution at all
  double least_dual_ = kInfinity, violation_then_ = kInfinity, next_xi_ = kFirstLargeXi;
  Index since_dual_fell_ = 0;
  std::optional<WorkingRows> rows_;
  std::optional<ElasticInterior> engine_;
  std::size_t regularisation_ = 0;
  // What leaving rows out needs besides.
  double seconds_with_all_ = 0.0, next_look_ = kFirstLook;
  bool joined_ = false;
  Index joins_ = 0, earlier_steps_ = 0;
  std::optional<InteriorIterate> centre_;
  std::vector<Index> centre_rows_;
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
  SparsePath path(run, most_flops);
  if (path.prove_at_once()) {
    point.at = {};  // what an engine before has left there is not of this point
    return true;
  }
  path.prepare();
  if (path.flops() > most_flops) return false;
  if (path.bytes() > path.memory_limit()) {
    throw InputError(
        fmt::format("--linear-algebra sparse: a factorisation would take about {:.1f} GB of memory, more "
                    "than the limit of {:.1f} GB",
                    1e-9 * path.bytes(), 1e-9 * path.memory_limit()));
  }
  drive(run, point, path, kPatience);
  return true;
}

}  // namespace pliant
