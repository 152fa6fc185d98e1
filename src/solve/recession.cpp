#include "solve/recession.hpp"

#include "linalg/dense_limit.hpp"
#include "linalg/orthogonal_factor.hpp"
#include "objective/quadratic_objective.hpp"
#include "prox/domain.hpp"
#include "solve/walk.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

// Eigenvalues below this share of the largest are 0.
constexpr double kFlat = 1e-12;
// d'Hd is weighted so that H d is about this small.
constexpr double kFlatWeight = 1e6;
constexpr double kAccuracy = 1e-9;
// Entries of a direction below this share of the largest are what rounding left of 0; along them a form that is flat has
// a curvature, of 1e-65 for instance, which no rounding of its own explains.
constexpr double kLostEntry = std::numeric_limits<double>::epsilon();
constexpr Index kMostSteps = 20000;

struct RecessionProblem {
  Problem problem;
  Vector cost;    // |q| = 1
  Matrix curved;  // eigenvectors of H with eigenvalues > 0, as rows: H d = 0 where they vanish on d
};

bool add_linear_part(const Problem& problem, Vector& cost, Matrix& H) {
  if (!has_quadratic_objective(problem)) return false;
  const Vector origin = Vector::Zero(problem.dimension());
  cost = Vector::Zero(problem.dimension());
  problem.add_smooth_gradient(origin, cost);
  problem.add_smooth_hessian(origin, H);
  return cost.norm() > 0.0;
}

// False if some batch does not know its recession.
bool add_cones(const Problem& problem, Problem& out, Matrix& H) {
  const auto add = [&](const ConstraintBatch& batch) {
    const RecessionCone cone = batch.recession_cone();
    if (cone.rows == nullptr) return false;
    if (batch.size() > 0) out.subject_to(cone.rows);
    if (cone.flat) {
      const Vector ones = Vector::Ones(batch.size()), none = Vector::Zero(batch.size());
      batch.add_weighted_hessian(Vector::Zero(problem.dimension()), Rows::range(0, batch.size()), ones, none, H);
    }
    return true;
  };
  for (const BatchPtr& batch : problem.batches()) {
    if (!add(*batch)) return false;
  }
  return !problem.has_equalities() || add(*problem.equality_batch());
}

std::optional<RecessionProblem> recession_problem(const Problem& problem) {
  const Index n = problem.dimension();
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi == nullptr || n > kLargestDense) return std::nullopt;
  RecessionProblem out{Problem(n), {}, {}};
  Matrix H = Matrix::Zero(n, n);
  if (!add_linear_part(problem, out.cost, H) || !add_cones(problem, out.problem, H)) return std::nullopt;
  const double size = out.cost.norm();
  out.cost /= size;

  const RecessionBounds bounds = recession_bounds(problem.prox());
  out.problem.regularize(
      box(to_array(Vector(bounds.lower.cwiseMax(-1.0))), to_array(Vector(bounds.upper.cwiseMin(1.0)))));
  if (psi->l1 > 0.0) out.problem.regularize(l1(n, psi->l1 / size));

  if (H.isZero(0.0)) {
    out.problem.minimize(linear(to_array(out.cost)));
    return out;
  }
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(H);
  const Vector& values = eigen.eigenvalues();
  const Index flat = (values.array() <= kFlat * values[n - 1]).count();
  if (flat == 0) return std::nullopt;  // strongly convex in every direction
  out.curved = eigen.eigenvectors().rightCols(n - flat).transpose();
  // All nonzero eigenvalues become one: only where they vanish matters.
  const Matrix penalty = kFlatWeight * out.curved.transpose() * out.curved;
  out.problem.minimize(quadratic(DataMatrix::from(0.5 * (penalty + penalty.transpose())), to_array(out.cost)));
  return out;
}

// A direction and what its rows do along it, from one pass.
struct Candidate {
  const Vector& d;
  Vector slope, norms;
};

// d projected onto the null space of everything it touches up to `touching`: rows, bounds at 0, curved directions.
Vector polish(const RecessionProblem& recession, const ConstraintSystem& system, const RecessionBounds& bounds,
              const Candidate& candidate, double touching) {
  const auto& [d, slope, norms] = candidate;
  const Index n = d.size();
  std::vector<std::pair<double, Index>> near;
  for (Index i = 0; i < system.size(); ++i) {
    if (norms[i] > 0.0 && slope[i] > -touching * norms[i]) near.emplace_back(-slope[i] / norms[i], i);
  }
  const auto most = static_cast<std::size_t>(20 * n);
  if (near.size() > most) {
    std::nth_element(near.begin(), near.begin() + static_cast<std::ptrdiff_t>(most), near.end());
    near.resize(most);
  }
  Matrix touched(static_cast<Index>(near.size()) + recession.curved.rows(), n);
  for (Index k = 0; k < static_cast<Index>(near.size()); ++k) {
    const Index row = near[static_cast<std::size_t>(k)].second;
    Index segment = system.segments() - 1;
    while (system.segment_begin(segment) > row) --segment;
    Vector g = Vector::Zero(n);
    system.batch(segment).add_component_gradient(row - system.segment_begin(segment), d, 1.0 / norms[row], g);
    touched.row(k) = g;
  }
  if (recession.curved.rows() > 0) touched.bottomRows(recession.curved.rows()) = recession.curved;

  Vector out = d;
  for (Index j = 0; j < n; ++j) {  // entries held at 0 by a bound leave the game
    const bool bounded = bounds.lower[j] == 0.0 || bounds.upper[j] == 0.0;
    if (!bounded || std::abs(d[j]) > touching) continue;
    out[j] = 0.0;
    touched.col(j).setZero();
  }
  if (touched.rows() > 0) {
    const OrthogonalFactor factor(touched);
    for (int round = 0; round < 2; ++round) out -= factor.solve(touched * out);
  }
  return out;
}

// d moved a little to the inner side of every row it touches, as far as its descent allows: growth that is 0 up to
// rounding proves nothing, a growth below 0 does. Rows that hold each other (equalities) leave no inner side.
Vector push_inside(const RecessionProblem& recession, const ConstraintSystem& system, const RecessionBounds& bounds,
                   const Candidate& candidate) {
  constexpr double kTouching = 1e-9;
  constexpr double kShareOfDescent = 1e-3, kLargestPush = 1e-4;
  const auto& [d, slope, norms] = candidate;
  std::vector<Index> near;
  for (Index i = 0; i < system.size(); ++i) {
    if (norms[i] > 0.0 && slope[i] > -kTouching * norms[i]) near.push_back(i);
  }
  if (near.empty() || static_cast<Index>(near.size()) > 20 * d.size()) return d;
  Matrix touched = Matrix::Zero(static_cast<Index>(near.size()), d.size());
  Index segment = 0;
  for (Index k = 0; k < touched.rows(); ++k) {
    const Index row = near[static_cast<std::size_t>(k)];
    while (segment + 1 < system.segments() && system.segment_begin(segment + 1) <= row) ++segment;
    Vector g = Vector::Zero(d.size());
    system.batch(segment).add_component_gradient(row - system.segment_begin(segment), d, 1.0 / norms[row], g);
    touched.row(k) = g;
  }
  for (Index j = 0; j < d.size(); ++j) {
    if (d[j] == 0.0 && (bounds.lower[j] == 0.0 || bounds.upper[j] == 0.0)) touched.col(j).setZero();
  }
  const Vector inward = OrthogonalFactor(touched).solve(Vector::Constant(touched.rows(), -1.0));
  const double size = inward.lpNorm<Eigen::Infinity>();
  if (!(size > 0.0) || !std::isfinite(size)) return d;
  const double cost = std::abs(recession.cost.dot(inward)), gain = std::abs(recession.cost.dot(d));
  const double step = std::min(kLargestPush / size, cost > 0.0 ? kShareOfDescent * gain / cost : kInfinity);
  return d + step * inward;
}

}  // namespace

std::optional<Ray> find_ray(const Problem& problem, ConstraintSystem& system, const Vector& x, const Settings& settings,
                            const std::atomic<bool>* interrupt) {
  if (problem.strong_convexity() > 0.0 || std::isfinite(problem.prox().domain_radius(x))) return std::nullopt;
  std::optional<RecessionProblem> recession = recession_problem(problem);
  if (!recession) return std::nullopt;
  SolveHooks hooks;
  hooks.interrupt = interrupt;
  Settings own;
  own.tol_feas = own.tol_gap = kAccuracy;
  own.max_iterations = kMostSteps;
  own.time_limit = settings.time_limit;
  own.seed = settings.seed;
  recession->problem.validate();
  const Plan plan = choose(recession->problem, own);
  const Result result = walk(recession->problem, plan.attempts, own, hooks, {});
  system.charge(result.passes, result.component_evaluations);
  if (!result.x.allFinite() || !(recession->cost.dot(result.x) < -kAccuracy)) return std::nullopt;

  const RecessionBounds bounds = recession_bounds(problem.prox());
  ConstraintSystem rows(recession->problem, &system);
  Candidate candidate{result.x, Vector(rows.size()), Vector(rows.size())};
  rows.values_and_gradient_norms(result.x, candidate.slope, candidate.norms);
  std::optional<Ray> best;
  for (const double touching : {1e-6, 1e-8, 1e-4, 1e-5, 1e-7, 0.0}) {
    Vector d = touching > 0.0 ? polish(*recession, rows, bounds, candidate, touching) : result.x;
    d = d.cwiseMax(bounds.lower).cwiseMin(bounds.upper);
    const double size = d.lpNorm<Eigen::Infinity>();
    if (!(size > 1e-6)) continue;
    d = (d.array().abs() > kLostEntry * size).select(d / size, 0.0);
    const UnboundednessProof proof = check_unboundedness(problem, system, x, d);
    if (proof.holds && proof.kind() == InfeasibilityKind::proved) return Ray{x, d, proof};
    if (proof.holds && !best) best = Ray{x, d, proof};
    Candidate polished{d, Vector(rows.size()), candidate.norms};
    rows.values(d, polished.slope);
    const Vector inside = push_inside(*recession, rows, bounds, polished).cwiseMax(bounds.lower).cwiseMin(bounds.upper);
    const UnboundednessProof pushed = check_unboundedness(problem, system, x, inside);
    if (pushed.holds && pushed.kind() == InfeasibilityKind::proved) return Ray{x, inside, pushed};
    if (best) return best;
  }
  return best;
}

}  // namespace pliant
