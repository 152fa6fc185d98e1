#include "prox/ball.hpp"

#include "pliant/regularizers.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Projected points have the norm R up to rounding; they count as on the sphere.
constexpr double kOnSphere = 1e-12;

}  // namespace

double BallProx::domain_violation(ConstVectorRef x) const {
  const double excess = x.norm() - radius_;
  return excess < 0.0 ? 0.0 : excess;
}

void BallProx::prox(ConstVectorRef v, double, VectorRef out) const {
  const double norm = v.norm();
  const double scale = norm > radius_ ? radius_ / norm : 1.0;
  for (Index j = 0; j < n_; ++j) out[j] = scale * v[j];
}

// On the sphere the normal cone is {t x : t >= 0}; the best t is max(0, -g'x/|x|^2).
void BallProx::residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const {
  double t = 0.0;
  if (x.norm() >= radius_ * (1.0 - kOnSphere)) t = std::max(0.0, -g.dot(x) / x.squaredNorm());
  for (Index j = 0; j < n_; ++j) r[j] = g[j] + t * x[j];
}

// Weak duality in |y|^2 <= R^2: for every t >= 0
//   min >= t/2 (|x|^2 - R^2) - |g + t x|^2 / (2 (mu + t)),
// with equality at t = max(0, |mu x - g|/R - mu), so that rounding of t can only weaken the bound. mu = 0: -R|g| - g'x.
double BallProx::lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const {
  if (!x.allFinite() || !g.allFinite()) return -kInfinity;
  if (mu == 0.0) return -radius_ * g.norm() - g.dot(x);
  const double t = std::max(0.0, (mu * x - g).norm() / radius_ - mu);
  return 0.5 * t * (x.squaredNorm() - radius_ * radius_) - 0.5 * (g + t * x).squaredNorm() / (mu + t);
}

double BallProx::domain_radius(ConstVectorRef x) const { return radius_ + x.norm(); }

ProxPtr ball(Index n, double radius) { return std::make_shared<BallProx>(n, radius); }

}  // namespace pliant
