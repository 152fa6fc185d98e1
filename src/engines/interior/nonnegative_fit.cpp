#include "engines/interior/nonnegative_fit.hpp"

#include "linalg/orthogonal_factor.hpp"
#include "parallel/stop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

// Rounding of sums of products, relative to the sum of their absolute values.
constexpr double kFitRounding = 2e-15;
// Columns change places at most so many times for each of them.
constexpr Index kMostExchanges = 4;

}  // namespace

NonnegativeFit::NonnegativeFit(const Matrix& N, const Vector& target, Index free)
    : N_(N), target_(target), free_(free), y_(Vector::Zero(N.cols())), residual_(target) {
  used_.resize(static_cast<std::size_t>(free));
  std::iota(used_.begin(), used_.end(), Index{0});
  refused_.assign(static_cast<std::size_t>(N.cols()), 0);
  if (free > 0) y_.head(free) = fit_used();
  measure();
}

void NonnegativeFit::measure() {
  residual_ = target_;
  rounding_ = target_.cwiseAbs();
  for (const Index j : used_) {
    residual_ -= y_[j] * N_.col(j);
    rounding_ += std::abs(y_[j]) * N_.col(j).cwiseAbs();
  }
  rounding_ *= kFitRounding;
}

Vector NonnegativeFit::fit_used() const { return OrthogonalFactor(N_(Eigen::all, used_)).solve(target_); }

Index NonnegativeFit::next_column(Index columns) const {
  Index best = -1;
  double steepest = 0.0;
  for (Index j = free_; j < columns; ++j) {
    if (refused_[static_cast<std::size_t>(j)] != 0 || y_[j] > 0.0) continue;
    const double length = N_.col(j).norm();
    const double slope = N_.col(j).dot(residual_);
    if (slope > std::max(N_.col(j).cwiseAbs().dot(rounding_), steepest * length)) {
      steepest = slope / length;
      best = j;
    }
  }
  return best;
}

bool NonnegativeFit::settle(Index added) {
  for (;;) {
    const Vector z = fit_used();
    double length = 1.0;
    Index leaving = -1;
    for (std::size_t k = 0; k < used_.size(); ++k) {
      const Index j = used_[k];
      const double to = z[static_cast<Index>(k)];
      if (free(j) || to > 0.0) continue;
      if (j == added && y_[j] == 0.0) {
        used_.erase(used_.begin() + static_cast<std::ptrdiff_t>(k));
        return false;
      }
      const double t = y_[j] / (y_[j] - to);
      if (t < length || leaving < 0) {
        length = std::min(length, t);
        leaving = j;
      }
    }
    for (std::size_t k = 0; k < used_.size(); ++k) {
      y_[used_[k]] += length * (z[static_cast<Index>(k)] - y_[used_[k]]);
    }
    if (leaving < 0) return true;
    y_[leaving] = 0.0;
    std::erase_if(used_, [&](Index j) {
      if (free(j) || y_[j] > 0.0) return false;
      y_[j] = 0.0;
      return true;
    });
  }
}

void NonnegativeFit::extend(Index columns) {
  std::fill(refused_.begin(), refused_.end(), 0);
  for (Index exchange = 0; exchange < kMostExchanges * columns; ++exchange) {
    parallel::poll();
    const Index j = next_column(columns);
    if (j < 0) return;
    used_.push_back(j);
    if (!settle(j)) refused_[static_cast<std::size_t>(j)] = 1;
    measure();
  }
}

}  // namespace pliant
