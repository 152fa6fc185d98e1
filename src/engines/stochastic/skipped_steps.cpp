#include "engines/stochastic/skipped_steps.hpp"

namespace pliant {

void SkippedProxSteps::prepare(const StepProx& prox, double eta, Index longest) {
  prox_ = &prox;
  eta_ = eta;
  smooth_ = prox.smooth();
  powers_.resize(static_cast<std::size_t>(longest) + 1);
  const double rho = prox.shrink(eta);
  powers_[0] = {};
  for (std::size_t k = 1; k < powers_.size(); ++k) {
    powers_[k].rho_k = rho * powers_[k - 1].rho_k;
    powers_[k].sum = rho * (powers_[k - 1].sum + eta);
  }
}

double SkippedProxSteps::through_kinks(double x, double g, Index k, Index j) const {
  const double w1 = prox_->l1(), lo = prox_->lower(j), hi = prox_->upper(j);
  while (k > 0) {
    if (x == 0.0 && g >= -w1 && g <= w1) return x;
    const bool above = x > 0.0 || (x == 0.0 && g < -w1);  // on which side of 0 the coming steps lie
    const double d = above ? g + w1 : g - w1;
    const double end = affine(x, d, k);
    if (above ? end >= 0.0 : end <= 0.0) return std::min(std::max(end, lo), hi);
    if (above && lo >= 0.0) return lo;
    if (!above && hi <= 0.0) return hi;
    // The first step that arrives beyond 0, by bisection: after `low` steps x is still on this side.
    Index low = 0, high = k;
    while (high - low > 1) {
      const Index middle = (low + high) / 2;
      const double at = affine(x, d, middle);
      ((above ? at >= 0.0 : at <= 0.0) ? low : high) = middle;
    }
    // A bound met on the way is not left again, and lies on this side.
    const double before = std::min(std::max(affine(x, d, low), lo), hi);
    x = prox_->coordinate(eta_, j, before - eta_ * g);
    k -= high;
  }
  return x;
}

void SkippedKatyushaSteps::prepare(const KatyushaStep& c, Index longest) {
  powers_.resize(static_cast<std::size_t>(longest) + 1);
  powers_[0] = {};
  powers_[0].z.z = powers_[0].y.y = 1.0;
  // One step applied to each of the unit vectors of (z, y, s, g).
  const auto advance = [&](double z0, double y0, double s, double g, double sum, double& z, double& y, double& a) {
    const double x = c.x(z0, y0, s);
    z = c.z(z0, x, g);
    y = x + c.t1 * (z - z0);
    a = c.d * sum + (y - s);
  };
  for (std::size_t k = 1; k < powers_.size(); ++k) {
    const Power& p = powers_[k - 1];
    Power& q = powers_[k];
    advance(p.z.z, p.y.z, 0.0, 0.0, p.sum.z, q.z.z, q.y.z, q.sum.z);
    advance(p.z.y, p.y.y, 0.0, 0.0, p.sum.y, q.z.y, q.y.y, q.sum.y);
    advance(p.z.s, p.y.s, 1.0, 0.0, p.sum.s, q.z.s, q.y.s, q.sum.s);
    advance(p.z.g, p.y.g, 0.0, 1.0, p.sum.g, q.z.g, q.y.g, q.sum.g);
    q.decay = c.d * p.decay;
  }
}

}  // namespace pliant
