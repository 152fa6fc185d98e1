#include "outer/screening.hpp"

#include "linalg/sums.hpp"
#include "pliant/theory.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Bound of a row at distance rho; 0 times a curvature that is not known is not 0, so such rows stay.
double bound(double value, double norm, double smoothness, double rho) {
  return value + norm * rho + 0.5 * smoothness * rho * rho;
}

}  // namespace

SafeBall safe_ball(const Problem& problem, const InnerPoint& point, const ProvedBounds& proved,
                   const ScreeningParameters& parameters) {
  const ProxTerm& psi = problem.prox();
  const LagrangianEvaluation& at = point.at;
  SafeBall ball{point.x, kInfinity};
  const double mu = problem.strong_convexity();
  Vector r(point.x.size());
  psi.residual(point.x, at.gradient, r);
  const double objective = at.smooth_value + psi.value(point.x);
  if (mu > 0.0 && r.allFinite() && std::isfinite(objective)) {
    const auto product = [&](Index i) { return at.multipliers[i] * at.a[i]; };
    const double complementarity = pairwise_sum(0, at.a.size(), product);
    const double v = at.a.size() > 0 ? std::max(0.0, at.a.maxCoeff()) : 0.0;
    const double s = proved.slater_slack;
    double upper_bound = proved.upper_bound;
    if (v == 0.0) upper_bound = std::min(upper_bound, objective);
    if (s > 0.0) upper_bound = std::min(upper_bound, (s * objective + v * proved.slater_objective) / (s + v));
    const double scale = std::abs(objective) + pairwise_sum(0, at.a.size(), [&](Index i) {
                           return std::abs(product(i)) + at.multipliers[i] * problem.constant_scale();
                         });
    const auto gap = [&](double difference, double size) {
      return std::max(0.0, difference) + parameters.rounding * (scale + std::abs(size));
    };
    const double residual = r.norm();
    if (std::isfinite(upper_bound)) {
      ball = {point.x - r / mu, theory::screening_radius_centered(
                                    residual, mu, gap(upper_bound - objective - complementarity, upper_bound))};
    }
    const double most = v > 0.0 ? v * proved.multiplier_bound : 0.0;
    if (s > 0.0 && std::isfinite(most)) {
      const double radius = theory::screening_radius_saddle(residual, mu, gap(most - complementarity, most));
      if (radius < ball.radius) ball = {point.x - r / (2.0 * mu), radius};
    }
    psi.project(ball.center);  // x* lies in the domain: no farther from there
  }
  if (const double reach = psi.domain_radius(ball.center); reach < ball.radius) ball.radius = reach;
  return ball;
}

void Screening::expect_norms(Vector norms) {
  norms_ = std::move(norms);
  smoothness_ = Vector::Zero(norms_.size());
}

// What is known of the values at x and of the norms elsewhere, taken at face value.
bool Screening::promising(const InnerPoint& point, const SafeBall& ball, Index inequalities) const {
  if (norms_.size() != point.at.a.size()) return true;
  const double rho = ball.radius + (point.x - ball.center).norm();
  Index stay = 0;
  for (Index i = 0; i < inequalities; ++i) stay += !(bound(point.at.a[i], norms_[i], smoothness_[i], rho) < 0.0);
  return pays(stay, inequalities, parameters_.worthwhile);
}

std::optional<std::vector<Index>> Screening::remaining(const Problem& problem, ConstraintSystem& system,
                                                       const InnerPoint& point, const ProvedBounds& proved) {
  const Index m = system.inequalities();
  if (m == 0 || point.at.a.size() != system.size()) return std::nullopt;
  const SafeBall ball = safe_ball(problem, point, proved, parameters_);
  if (!std::isfinite(ball.radius) || !promising(point, ball, m)) return std::nullopt;
  Vector a(system.size());
  norms_.resize(system.size());
  smoothness_.resize(system.size());
  system.values_and_bounds(ball.center, a, norms_, smoothness_);
  const double margin = -parameters_.rounding * (1.0 + problem.constant_scale());
  std::vector<Index> stay;
  for (Index i = 0; i < system.size(); ++i) {
    if (i >= m || !(bound(a[i], norms_[i], smoothness_[i], ball.radius) < margin)) stay.push_back(i);
  }
  system.complete_groups(stay);
  const Index equalities = system.size() - m;
  if (!pays(static_cast<Index>(stay.size()) - equalities, m, parameters_.accepted)) return std::nullopt;
  for (Vector* v : {&norms_, &smoothness_}) *v = Vector((*v)(stay));
  return stay;
}

}  // namespace pliant
