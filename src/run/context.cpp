#include "run/context.hpp"

#include "certify/infeasibility.hpp"
#include "certify/overview.hpp"
#include "linalg/no_allocation.hpp"
#include "machine/activity.hpp"
#include "parallel/long_vectors.hpp"
#include "parallel/stop.hpp"
#include "prox/domain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// A solve is given up after this many stages without a merit smaller by a hundredth ...
constexpr Index kStagesWithoutProgress = 2000;
constexpr double kProgress = 0.99;
// ... when xi has grown by this factor and constraints still ask for more ...
constexpr double kXiGrowthLimit = 1e12;
// ... or when x has left every reasonable size: the problem is unbounded below, or as good as.
constexpr double kLargestPoint = 1e15;

bool is_worth(InfeasibilityKind kind, InfeasibilityKind least) {
  return kind == least || kind == InfeasibilityKind::proved;
}

}  // namespace

Context::Context(const Problem& problem, const Settings& settings, const SolveHooks& hooks, ProofSearch search)
    : problem_(problem),
      settings_(settings),
      hooks_(hooks),
      system_(problem),
      view_(problem, system_),
      budget_(settings, system_, hooks.interrupt),
      journal_(problem, budget_, system_, hooks),
      incumbent_(problem, settings, system_),
      search_(std::move(search)) {}

bool Context::observe(const InnerPoint& point) {
  const parallel::StopScope undisturbed(nullptr);  // the best point is kept whole or not at all
  const AllocationAllowedScope allowed;
  const Index near_active = count_near_active(point.at);
  return show(point, incumbent_.consider(point, view_), near_active);
}

bool Context::show(const InnerPoint& point, const Certificate& latest, Index near_active) {
  record(latest, near_active);
  if (journal_.show(point.x)) verdict_.conclude(Status::user_stopped, "stopped by the callback");
  note_size(point.x);
  return verdict_.reached();
}

bool Context::judge(const InnerPoint& point) {
  const AllocationAllowedScope allowed;
  observe(point);
  return judge_latest();
}

bool Context::judge(InnerPoint&& point) {
  const AllocationAllowedScope allowed;
  {
    const parallel::StopScope undisturbed(nullptr);
    const Index near_active = count_near_active(point.at);
    // x stays.
    show(point, incumbent_.consider(std::move(point), view_), near_active);  // NOLINT(bugprone-use-after-move)
  }
  return judge_latest();
}

bool Context::judge_latest() {
  if (incumbent_.latest().satisfies(settings_)) {
    certify_best();  // the point just judged, or one at least as good
    if (incumbent_.best().satisfies(settings_)) verdict_.conclude(Status::optimal, {});
  }
  return verdict_.reached();
}

void Context::certify_best() {
  const parallel::StopScope undisturbed(nullptr);
  const machine::Activity certifying("certifying the answer");
  if (incumbent_.certify_on_all_rows()) journal_.objective_components += problem_.components();
  const Journal::Phase phase(journal_, "certificate");
  incumbent_.take_rounding_off_best();
}

Index Context::count_near_active(const LagrangianEvaluation& at) {
  const double delta = journal_.delta();
  if (!(delta > 0.0)) return -1;
  const double least = -Progress::kNear * delta;
  const Index rows = std::min(at.a.size(), view_.system().inequalities());
  const Index near = (at.cones.a.array() >= least).count();
  const ConstraintSystem& system = view_.system();
  if (!system.grouped()) return near + parallel::count_if(rows, [&](Index i) { return at.a[i] >= least; });
  return near + parallel::count_if(rows, [&](Index i) { return at.a[i] >= least && system.leads(i); });
}

void Context::record(const Certificate& c, Index near_active) {
  Progress row;
  row.objective = c.objective;
  row.lower_bound = c.lower_bound;
  row.violation = c.violation(settings_.norm);
  row.dual_residual = c.dual_residual;
  row.active = c.active;
  row.near_active = near_active;
  if (journal_.record(row)) verdict_.conclude(Status::user_stopped, "stopped by the callback");
}

void Context::note(double objective, double violation, Index working, double dual_residual) {
  Certificate partial;
  partial.objective = objective;
  partial.lower_bound = incumbent_.lower_bound();
  partial.violation_l1 = partial.violation_l2 = partial.violation_linf = violation;
  partial.active = -1;  // nothing was certified
  partial.dual_residual = dual_residual;
  journal_.working(working);
  record(partial, -1);
}

void Context::offer_best() {
  if (!hooks_.best || !incumbent_.any()) return;
  const auto now = std::chrono::steady_clock::now();
  if (std::chrono::duration<double>(now - offered_).count() < hooks_.best_every) return;
  const parallel::StopScope undisturbed(nullptr);  // the caller's function
  const AllocationAllowedScope allowed;
  hooks_.best(incumbent_.so_far());
  offered_ = std::chrono::steady_clock::now();  // a slow disk does not make it the only work
}

bool Context::check_limits() {
  offer_best();
  if (const auto limit = budget_.exhausted()) verdict_.conclude(limit->status, std::string(limit->message));
  return verdict_.reached();
}

bool Context::tick() {
  budget_.count_iteration();
  return check_limits();
}

bool Context::next_stage() {
  journal_.next_stage();
  const Index without = journal_.stage() - stage_of_last_progress_;
  if (incumbent_.merit() < kProgress * merit_at_last_progress_) {
    merit_at_last_progress_ = incumbent_.merit();
    stage_of_last_progress_ = journal_.stage();
    suspicion_.progress();
    return verdict_.reached();
  }
  if (incumbent_.any() && suspicion_.stall(without)) seek_proof();
  if (without >= kStagesWithoutProgress) {
    verdict_.conclude(Status::numerical_error, fmt::format("no progress in {} stages", kStagesWithoutProgress));
  }
  return verdict_.reached();
}

bool Context::note_failure(const std::vector<Index>& rows) {
  if (!verdict_.reached() && suspicion_.failure()) seek_proof(rows);
  return verdict_.reached();
}

bool Context::note_size(ConstVectorRef x, bool more_rows) {
  const double size = x.lpNorm<Eigen::Infinity>();
  if (!verdict_.reached() && suspicion_.size(size)) seek_proof();
  if (!(size < kLargestPoint) && !(more_rows && std::isfinite(size))) {
    verdict_.conclude(Status::numerical_error,
                      "x grows without bound: the objective may be unbounded below (not proved)");
  }
  return verdict_.reached();
}

bool Context::note_xi(double before, double now) {
  if (first_xi_ == 0.0) first_xi_ = before;
  if (suspicion_.xi(now / first_xi_)) seek_proof();
  if (now > kXiGrowthLimit * first_xi_) conclude_infeasible_perhaps();
  return verdict_.reached();
}

// The last word without a proof: one is looked for before it is said, whatever was tried before.
void Context::conclude_infeasible_perhaps() {
  if (!verdict_.reached()) seek_proof();
  const bool feasible = settled_ || std::isfinite(incumbent_.upper_bound());
  verdict_.conclude(Status::numerical_error,
                    feasible ? "rounding stopped the search, although there are feasible points: the objective may be "
                               "unbounded below (not proved)"
                             : "constraints stay violated however large xi grows: the problem may be infeasible (not "
                               "proved)");
}

void Context::seek_proof(const std::vector<Index>& hints) {
  // The search knows rows alone; cones with prices are none of its business.
  const bool cones = !problem_.conic().empty() || (system_.grouped() && !problem_.has_soft_rows());
  if (!search_ || settled_ || cones) return;
  const AllocationAllowedScope allowed;
  Vector start = Vector::Zero(problem_.dimension());
  if (problem_.start) start = *problem_.start;
  if (problem_.slater_point) start = *problem_.slater_point;
  problem_.prox().project(start);
  // A limit that is reached while searching ends the solve, unless it has ended already.
  Settings limits = settings_;
  limits.time_limit = budget_.rest().time_limit;
  const ProofAnswer answer = search_(problem_, {system_, std::move(start), hints, limits, budget_.interrupt(),
                                                [&] { return budget_.exhausted().has_value(); }});
  settled_ = answer.settled;
  if (answer.proof) {
    adopt(*answer.proof);
  } else {
    check_limits();
  }
}

bool Context::try_infeasibility(const Vector& x, Vector multipliers, std::vector<Vector> cone_multipliers,
                                InfeasibilityKind least) {
  double largest = multipliers.size() > 0 ? multipliers.maxCoeff() : 0.0;
  for (const Vector& z : cone_multipliers) largest = std::max(largest, z.size() > 0 ? z.cwiseAbs().maxCoeff() : 0.0);
  if (!(largest > 0.0)) return false;
  Contradiction found;
  found.x = x;
  found.multipliers = multipliers / largest;
  for (Vector& z : cone_multipliers) z /= largest;
  found.cone_multipliers = std::move(cone_multipliers);
  found.proof = found.cone_multipliers.empty()
                    ? check_infeasibility_balanced(problem_, system_, x, found.multipliers)
                    : check_infeasibility(problem_, system_, x, found.multipliers, found.cone_multipliers);
  if (!found.proof.holds || !is_worth(found.proof.kind(), least)) return false;
  adopt(std::move(found));
  return true;
}

bool Context::try_unboundedness(const Vector& x, const Vector& direction, InfeasibilityKind least) {
  // Rounding must not push against bounds of the domain.
  const RecessionBounds bounds = recession_bounds(problem_.prox());
  const Vector inside = direction.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
  Ray ray{x, inside, check_unboundedness(problem_, system_, x, inside)};
  if (!ray.proof.holds || !is_worth(ray.proof.kind(), least)) return false;
  adopt(std::move(ray));
  return true;
}

void Context::adopt(Proof proof) {
  const auto* contradiction = std::get_if<Contradiction>(&proof);
  std::string message = contradiction != nullptr ? describe(contradiction->proof)
                                                 : describe(std::get<Ray>(proof).proof, settings_.tol_feas);
  verdict_.conclude(std::move(proof), std::move(message));
}

// x and multipliers are those of the proof, so that it can be checked again from the result alone. F* is infinite, or
// minus infinity, where that is proved; within a radius nothing is said about it.
void Context::hand_over_proof(const Proof& proof, Result& result) {
  const auto* contradiction = std::get_if<Contradiction>(&proof);
  result.x = contradiction != nullptr ? contradiction->x : std::get<Ray>(proof).x;
  const Vector multipliers =
      contradiction != nullptr ? contradiction->multipliers : Vector(Vector::Zero(system_.size()));
  result.multipliers = system_.split(multipliers);
  LagrangianEvaluation at;
  evaluate_lagrangian(problem_, system_, result.x, multipliers, at,
                      contradiction != nullptr ? contradiction->cone_multipliers : std::vector<Vector>{});
  result.multipliers.cones = at.cones.multipliers;
  result.certificate = assess(problem_, system_, result.x, at);
  result.overview = survey(problem_, system_, at.a, multipliers, at.cones.a, at.cones.multipliers, 0);
  const InfeasibilityKind kind =
      contradiction != nullptr ? contradiction->proof.kind() : std::get<Ray>(proof).proof.kind();
  const bool proved = kind == InfeasibilityKind::proved;
  result.certificate.lower_bound = proved && contradiction != nullptr ? kInfinity : -kInfinity;
  result.certificate.lower_bound_kind = proved ? BoundKind::proved : BoundKind::estimate;
  result.certificate.proof = {result.certificate.lower_bound, result.certificate.lower_bound_kind};
  if (contradiction != nullptr) {
    result.infeasibility = contradiction->proof;
  } else {
    result.ray = std::get<Ray>(proof).direction;
    result.unboundedness = std::get<Ray>(proof).proof;
  }
}

Result Context::finish(const InnerPoint& last) {
  // Else judged a moment ago, or before rows went.
  if (last.at.a.size() == view_.system().size() && !incumbent_.considered(last)) incumbent_.consider(last, view_);
  return finish();
}

Result Context::finish() {
  Result result;
  if (verdict_.proof()) {
    hand_over_proof(*verdict_.proof(), result);
  } else {
    certify_best();
    // With a guarantee `optimal` means its accuracy, which the engine has judged.
    if (!settings_.guarantee && incumbent_.best().satisfies(settings_)) verdict_.found_optimal();
    incumbent_.hand_over(result);
  }
  result.status = verdict_.status().value_or(Status::numerical_error);
  result.message = verdict_.message();
  result.xi_proved = journal_.xi() >= incumbent_.multiplier_bound();
  journal_.close(result);
  return result;
}

}  // namespace pliant
