// The dual function and its domain.
#include "engines/stochastic/dual_coordinates.hpp"
#include "linalg/sums.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

double negative_entropy(double p) { return p > 0.0 ? p * std::log(p) : 0.0; }

}  // namespace

// phi_i*:  square, huber  a^2/(2s) + t a;   logistic  s (p ln p + (1-p) ln(1-p)), p = -y a/s;   rows  their side times
// a
double DualCoordinates::conjugate(const Group& g, Index local, double a) const {
  const double t = g.targets[local];
  switch (g.kind) {
    case Kind::square:
    case Kind::huber:
      return (0.5 * a / g.scale + t) * a;
    case Kind::logistic: {
      const double p = -t * a / g.scale;
      return g.scale * (negative_entropy(p) + negative_entropy(1.0 - p));
    }
    case Kind::one_sided:
      return a != 0.0 ? t * a : 0.0;
    case Kind::two_sided:
      return a > 0.0 ? t * a : (a < 0.0 ? g.lower[local] * a : 0.0);
  }
  return 0.0;
}

// -sum phi_i*(alpha_i) - sum_j (v_j x_j - mu/2 x_j^2 - w |x_j|)
double DualCoordinates::value(const Vector& alpha, const Vector& image) const {
  double sum = 0.0;
  for (const Group& g : groups_) {
    sum += pairwise_sum(0, g.count, [&](Index k) { return conjugate(g, k, alpha[g.begin + k]); });
  }
  sum += pairwise_sum(0, image.size(), [&](Index j) {
    if (smooth_) return 0.5 * mu_ * image[j] * image[j];
    const double x = primal(j, image[j]);
    return (image[j] - 0.5 * mu_ * x) * x - psi_.l1 * std::abs(x);
  });
  return -sum;
}

DualCoordinates::Interval DualCoordinates::domain(const Group& g, Index local, double xi) const {
  switch (g.kind) {
    case Kind::square:
      break;
    case Kind::huber:
      return {-g.scale * g.k, g.scale * g.k};
    case Kind::logistic:
      return g.targets[local] > 0.0 ? Interval{-g.scale, 0.0} : Interval{0.0, g.scale};
    case Kind::one_sided:
    case Kind::two_sided:
      return domain_of_row(g, local, xi);
  }
  return {-kInfinity, kInfinity};
}

DualCoordinates::Interval DualCoordinates::domain_of_row(const Group& g, Index local, double xi) {
  if (!g.above.empty()) {
    const auto i = static_cast<std::size_t>(local);
    return {-g.below[i], g.above[i]};
  }
  if (g.kind == Kind::one_sided) return {0.0, xi};
  return {g.lower[local] > -kInfinity ? -xi : 0.0, g.targets[local] < kInfinity ? xi : 0.0};
}

Index DualCoordinates::clip(Vector& alpha, Vector& image, double xi) const {
  Index read = 0;
  for (const Group& g : groups_) {
    for (Index k = 0; k < g.count; ++k) {
      double& a = alpha[g.begin + k];
      const Interval allowed = domain(g, k, xi);
      const double inside = std::clamp(a, allowed.low, allowed.high);
      if (inside == a) continue;
      RowView(*g.matrix, k).add(smooth_ ? (a - inside) / mu_ : a - inside, image.data());
      a = inside;
      ++read;
    }
  }
  return read;
}

double DualCoordinates::longest_step(const Vector& direction, double xi) const {
  double longest = kInfinity;
  for (const Group& g : groups_) {
    for (Index k = 0; k < g.count; ++k) {
      const double d = direction[g.begin + k];
      if (d == 0.0) continue;
      const Interval allowed = domain(g, k, xi);
      longest = std::min(longest, ((d > 0.0 ? allowed.high : allowed.low) - alpha_[g.begin + k]) / d);
    }
  }
  return std::max(longest, 0.0);
}

void DualCoordinates::assign(const Vector& alpha, const Vector& image) {
  alpha_ = alpha;
  if (smooth_) {
    x_ = image;
    return;
  }
  v_ = image;
  for (Index j = 0; j < x_.size(); ++j) x_[j] = primal(j, v_[j]);
}

}  // namespace pliant
