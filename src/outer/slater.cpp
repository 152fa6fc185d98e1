#include "outer/slater.hpp"

#include "certify/lagrangian_enclosure.hpp"
#include "engines/first_order/apg.hpp"
#include "engines/phase_one/smooth_max.hpp"
#include "linalg/dense_limit.hpp"
#include "linalg/rounding.hpp"
#include "penalty/initial_penalty.hpp"
#include "pliant/theory.hpp"
#include "prox/domain.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Accelerated steps on the objective alone, and the residual relative to its first one that ends them: they only place
// the model whose minimum is the bound, so that a rough minimiser will do.
constexpr Index kObjectiveSteps = 500;
constexpr double kObjectiveResidual = 1e-9;
// Penalised steps whose multipliers make the bound better: their number at each delta, and the deltas.
constexpr Index kBoundSteps = 60;
constexpr int kBoundStages = 4;
constexpr double kBoundReduction = 0.1;
// Newton steps that move a point away from the boundary.
constexpr Index kDeepeningSteps = 30;
// Bytes of rows for which all of this is worth it.
constexpr Index kSmallData = Index{64} << 20;

// A point of the domain up to the rounding of its sum (simplex).
bool in_domain(const Problem& problem, const Vector& x) {
  const double allowed =
      problem.prox().kind() == "simplex" ? rounding_error(static_cast<double>(x.size()) + kAround, x.lpNorm<1>()) : 0.0;
  return problem.prox().domain_violation(x) <= allowed;
}

bool has_zero_cone(const Problem& problem) {
  return std::any_of(problem.conic().begin(), problem.conic().end(), [](const ConicConstraint& conic) {
    return std::any_of(conic.cones.begin(), conic.cones.end(),
                       [](const Cone& cone) { return cone.kind == ConeKind::zero && cone.rows > 0; });
  });
}

// How far inside all rows and cones x is; cones as computed.
double slack_at(const Problem& problem, ConstraintSystem& system, const Vector& x) {
  if (!x.allFinite() || !in_domain(problem, x) || has_zero_cone(problem)) return -kInfinity;
  double slack = certain_slack(system, x);
  if (!problem.conic().empty()) {
    Vector unused = Vector::Zero(x.size());
    const ConicEvaluation cones = evaluate_cones(problem, system, x, {}, unused);
    if (cones.a.size() > 0) slack = std::min(slack, -cones.a.maxCoeff());
  }
  return slack;
}

double objective_at(const Problem& problem, const Vector& x) {
  const double certain = objective_from_above(problem, x);
  return std::isfinite(certain) ? certain : problem.objective(x);
}

// Where the model of F without its constraints is tight: a few steps, which read no row.
Vector near_free_minimum(const Problem& problem, const Vector& start) {
  const double smoothness = problem.smoothness();
  if (!(smoothness > 0.0) || !std::isfinite(smoothness)) return start;
  Problem objective(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) objective.minimize(t.term, t.weight);
  objective.regularize(problem.prox_ptr());
  ConstraintSystem no_rows(objective);
  PenalizedFunction phi(objective, no_rows);
  Apg inner(problem.dimension(), problem.strong_convexity());
  InnerPoint point;
  point.x = start;
  double first = -1.0;
  inner.advance(
      phi, point,
      [&](const InnerPoint& p) {
        if (first < 0.0) first = p.residual;
        return !(p.residual > kObjectiveResidual * first);
      },
      kObjectiveSteps);
  return point.x.allFinite() ? point.x : start;
}

// The bound that multipliers prove at x, rounding taken off, where it is better.
void improve(const Problem& problem, ConstraintSystem& system, const Vector& x, const Vector& multipliers,
             const Vector* feasible, LowerBound& best) {
  const std::vector<Vector> no_cones;
  const LowerBound bound = prove_lower_bound(problem, system, {x, multipliers, no_cones, feasible});
  if (bound.kind != BoundKind::estimate && bound.value > best.value) best = bound;
}

// LB of F*: min over the domain of the model of F at some points; the multipliers are 0.
LowerBound bound_without_rows(const Problem& problem, ConstraintSystem& system, const Vector& x0,
                              const Vector* feasible) {
  const Vector zeros = Vector::Zero(system.size());
  LowerBound best;
  improve(problem, system, near_free_minimum(problem, x0), zeros, feasible, best);
  if (feasible != nullptr) improve(problem, system, *feasible, zeros, feasible, best);
  return best;
}

// The same with the multipliers of penalised problems with a falling delta, each solved roughly.
void improve_by_steps(const Problem& problem, ConstraintSystem& system, const Vector& feasible,
                      FunctionRef<bool()> stop, LowerBound& best) {
  if (!problem.conic().empty() || !std::isfinite(problem.smoothness()) || problem.data_bytes() > kSmallData) return;
  PenalizedFunction phi(problem, system);
  const InitialPenalty first = initial_penalty(problem, system, Settings{}, feasible);
  phi.xi = first.xi;
  phi.delta = first.delta;
  Apg inner(problem.dimension(), problem.strong_convexity());
  InnerPoint point;
  point.x = feasible;
  for (int stage = 0; stage < kBoundStages && !stop(); ++stage, phi.delta *= kBoundReduction) {
    inner.advance(
        phi, point, [&](const InnerPoint&) { return stop(); }, kBoundSteps);
    if (!point.x.allFinite()) return;
    phi.evaluate(point.x, point.at);
    improve(problem, system, point.x, point.at.multipliers, &feasible, best);
  }
}

struct Candidate {
  Vector x;
  const char* source;
};

std::vector<Candidate> known_points(const Problem& problem, const Vector& x0) {
  std::vector<Candidate> out;
  if (problem.slater_point) out.push_back({*problem.slater_point, "Slater point of the problem"});
  out.push_back({x0, "start"});
  Vector origin = Vector::Zero(problem.dimension());
  problem.prox().project(origin);
  if (origin != x0) out.push_back({std::move(origin), "origin"});
  return out;
}

// Minimises the smoothed maximum of all rows and of the domain from a feasible point on. x moves under the hands of the
// method; `look` sees it after every step.
void move_inside(const Problem& problem, ConstraintSystem& system, Vector x, FunctionRef<void(const Vector&)> look,
                 FunctionRef<bool()> stop) {
  if (problem.data_bytes() > kSmallData || problem.dimension() > kLargestDense) return;
  Problem rows(problem.dimension());
  for (const BatchPtr& batch : problem.batches()) rows.subject_to(batch);
  if (BatchPtr domain = domain_rows(problem.prox())) rows.subject_to(std::move(domain));
  ConstraintSystem all(rows);
  RowSelection selection(all);
  std::vector<Index> every(static_cast<std::size_t>(all.size()));
  for (Index i = 0; i < all.size(); ++i) every[static_cast<std::size_t>(i)] = i;
  selection.select(std::move(every));
  SmoothMaxParameters parameters;
  parameters.enough = -kInfinity;
  SmoothMax method(selection, Vector::Ones(all.size()), parameters);
  Index steps = 0;
  method.minimize(
      x, [](const Vector&, const Vector&) { return false; },
      [&] {
        look(x);
        return ++steps >= kDeepeningSteps || stop();
      });
  system.charge(all);
}

class Finder {
 public:
  Finder(const Problem& problem, ConstraintSystem& system, const Vector& x0, FunctionRef<bool()> stop)
      : problem_(problem), system_(system), x0_(x0), stop_(stop) {}

  SlaterSearch run(bool search) {
    SlaterConstants& c = out_.constants;
    for (const Candidate& candidate : known_points(problem_, x0_)) consider(candidate.x, candidate.source);
    if (!c.known()) c.source = why_none(search);
    if (c.known()) finish(search);
    if (!c.known()) c.lower_bound = bound_without_rows(problem_, system_, x0_, nullptr);
    return std::move(out_);
  }

 private:
  // Keeps the point with the smaller bound of the multipliers, were LB the objective's value at the best of them.
  void consider(const Vector& x, const char* source) {
    SlaterConstants& c = out_.constants;
    const double slack = slack_at(problem_, system_, x);
    if (!(slack > 0.0)) return;
    const double objective = objective_at(problem_, x);
    if (!std::isfinite(objective)) return;
    if (!have_reference_) {
      reference_ = bound_without_rows(problem_, system_, x0_, &x).value;
      have_reference_ = true;
    }
    const bool comparable = std::isfinite(reference_);
    const bool better =
        !c.known() ||
        (comparable ? (objective - reference_) * c.slack < (c.objective - reference_) * slack : slack > c.slack);
    if (!better) return;
    c.slack = slack;
    c.objective = objective;
    c.point = x;
    c.source = source;
  }

  void finish(bool by_steps) {
    SlaterConstants& c = out_.constants;
    c.lower_bound = bound_without_rows(problem_, system_, x0_, &c.point);
    if (by_steps) improve_by_steps(problem_, system_, c.point, stop_, c.lower_bound);
    if (!std::isfinite(c.lower_bound.value)) return;
    const double gap = std::max(0.0, rounded_up(c.objective - c.lower_bound.value));
    c.multiplier_bound = rounded_up(theory::multiplier_bound_from_slater(gap, c.slack));
  }

  // Looks for a point; in words why there is none.
  std::string why_none(bool search) {
    if (problem_.has_equalities() || has_zero_cone(problem_)) return "equalities leave no strictly feasible point";
    if (!problem_.conic().empty()) return "none of the known points lies inside all cones, and none is searched for";
    if (!search) return "none of the known points (Slater point, start, origin) is strictly feasible";
    FeasibilityOutcome found = search_feasibility(problem_, system_, x0_, {}, stop_);
    if (found.answer == Feasibility::infeasible) {
      out_.contradiction = std::move(found);
      return "the constraints contradict each other";
    }
    if (found.answer == Feasibility::open) return "the search for a strictly feasible point found none";
    static constexpr const char* kFound = "found by a search";
    consider(found.x, kFound);
    move_inside(
        problem_, system_, found.x,
        [&](const Vector& x) {
          Vector inside = x;
          problem_.prox().project(inside);
          consider(inside, kFound);
        },
        stop_);
    return out_.constants.known() ? kFound : "the search found feasible points, none of them strictly";
  }

  const Problem& problem_;
  ConstraintSystem& system_;
  const Vector& x0_;
  FunctionRef<bool()> stop_;
  SlaterSearch out_;
  double reference_ = -kInfinity;
  bool have_reference_ = false;
};

}  // namespace

SlaterSearch find_slater_constants(const Problem& problem, ConstraintSystem& system, const Vector& x0, bool search,
                                   FunctionRef<bool()> stop) {
  if (system.size() == 0 && problem.conic().empty()) {
    SlaterSearch out;
    out.constants.source = "there are no constraints";
    return out;
  }
  if (problem
          .has_soft_rows()) {  // their multipliers have bounds of their own, and the bounds of others need a smooth F
    SlaterSearch out;
    out.constants.source = "not looked for beside soft rows";
    return out;
  }
  return Finder(problem, system, x0, stop).run(search);
}

SlaterConstants slater_constants(const Problem& problem, bool search) {
  ConstraintSystem system(problem);
  Vector x0 = problem.start ? *problem.start : Vector(Vector::Zero(problem.dimension()));
  problem.prox().project(x0);
  return find_slater_constants(problem, system, x0, search, [] { return false; }).constants;
}

}  // namespace pliant
