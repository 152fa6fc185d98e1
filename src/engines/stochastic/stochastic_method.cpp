#include "engines/stochastic/stochastic_method.hpp"

#include "linalg/no_allocation.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr std::uint64_t kSamplingStream = 0x5a3d;  // apart from the streams of generated instances

}  // namespace

StochasticMethod::StochasticMethod(std::string name, Index seed, StochasticParameters parameters, double reach)
    : name_(std::move(name)),
      parameters_(parameters),
      reach_(reach),
      stream_(static_cast<std::uint64_t>(seed), kSamplingStream) {}

void StochasticMethod::bind(PenalizedFunction& phi, ConstVectorRef x) {
  if (bound_ != &phi) {
    components_.emplace(phi, x, "--method " + name_, reach_);
    bound_ = &phi;
  }
  components_->refresh(parameters_.uniform_share);
  const double ridge = components_->ridge();
  prox_.emplace(phi.problem().prox(), phi.kappa + ridge);
  smooth_mu_ = std::max(0.0, phi.smooth_strong_convexity() - ridge);
  gradient_.resize(x.size());
  residual_.resize(x.size());
}

double StochasticMethod::proximal_weight(PenalizedFunction& phi, ConstVectorRef x) {
  bind(phi, x);
  const double k = static_cast<double>(components_->sampled());
  return std::max(0.0, components_->step_smoothness() / (k + 1.0) - phi.strong_convexity());
}

// ceil(ln u / ln(1 - p)) is geometric for u uniform in (0, 1).
Index StochasticMethod::geometric(double probability) {
  const double u = stream_.uniform(counter_++);
  if (probability >= 1.0) return 1;
  return std::max<Index>(1, static_cast<Index>(std::ceil(std::log(u) / std::log1p(-probability))));
}

InnerOutcome StochasticMethod::advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor,
                                       Index max_iterations) {
  const ProxTerm& psi = phi.problem().prox();
  psi.project(point.x);
  bind(phi, point.x);
  StallCheck stalled(parameters_.stall_window);
  InnerOutcome outcome;
  for (; outcome.iterations < max_iterations; ++outcome.iterations) {
    components_->evaluate(point);
    psi.residual(point.x, point.at.gradient, residual_);
    point.residual = residual_.norm();
    if (monitor(point)) return outcome;
    if (stalled(point.residual)) {
      outcome.end = InnerEnd::stalled;
      return outcome;
    }
    gradient_ = point.at.gradient - (phi.kappa + components_->ridge()) * point.x;
    if (outcome.iterations == 0) start(phi, point);
    const NoAllocationScope no_allocation;
    epoch(point);
  }
  components_->settle();
  outcome.end = InnerEnd::limit;
  return outcome;
}

}  // namespace pliant
