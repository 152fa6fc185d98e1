#include "engines/interior/active_rows.hpp"

#include "engines/interior/equilibration.hpp"
#include "engines/interior/nonnegative_fit.hpp"
#include "engines/interior/sides.hpp"
#include "linalg/orthogonal_factor.hpp"
#include "parallel/stop.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace pliant {
namespace {

// Stored numbers up to which a copy of all rows in another form does not count.
constexpr Index kMostEntries = 20'000'000;
// Sides looked at, in order of their distance from x: so many for each variable, and some more.
constexpr Index kSidesPerVariable = 4, kMoreSides = 50;
// Distances, relative to the sides, up to which these are near: rounding at first, ten times as far at every look.
constexpr double kNearest = 1e-10, kFarthest = 1e8, kFarther = 10.0;
// Of the gradient of a curved objective, which changes with x, so much may be left open at first, ...
constexpr double kFirstResidual = 1e-2;
// ... and x is corrected so many times.
constexpr int kCorrections = 4;
// A side is crossed by more than this, relative to its constant, and so many times sides are added that were.
constexpr double kCrossed = 1e-10;
constexpr int kRoundsOfHolding = 5;

class ActiveRows {
 public:
  ActiveRows(Context& run, InnerPoint& point)
      : run_(run),
        point_(point),
        scaled_(standard_form(run.problem())),
        scaling_(equilibrate(scaled_)),
        sides_(scaled_) {}

  bool finish() {
    if (scaled_.l1.size() > 0) return false;
    const Vector x = run_.incumbent().so_far().x.cwiseQuotient(scaling_.columns);
    if (!x.allFinite()) return false;
    gather(x);
    Index looked_at = -1;
    for (double far = kNearest; far <= kFarthest; far *= kFarther) {
      Index near = equalities();
      while (near < N_.cols() && distances_[near] <= far) ++near;
      if (near == looked_at) continue;
      looked_at = near;
      if (run_.check_limits() || try_sides(x, near)) return true;
    }
    return false;
  }

 private:
  Index equalities() const { return static_cast<Index>(sides_.equalities.size()); }
  bool linear() const { return scaled_.P.nonZeros() == 0; }

  // Gradients, constants and distances of the equalities, then of the nearest sides, in order.
  void gather(const Vector& x) {
    const Vector Ax = scaled_.A * x;
    const auto distance = [&](Index k) {
      return std::max(0.0, sides_.offset[k] - sides_.term(k, x, Ax)) / (1.0 + std::abs(sides_.offset[k]));
    };
    std::vector<std::pair<double, Index>> order;
    for (Index k = 0; k < sides_.size(); ++k) order.emplace_back(distance(k), k);
    const auto most = static_cast<std::size_t>(kSidesPerVariable * scaled_.variables() + kMoreSides);
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(most, order.size()));
    std::partial_sort(order.begin(), end, order.end());
    order.erase(end, order.end());
    const Index count = equalities() + static_cast<Index>(order.size());
    N_.setZero(scaled_.variables(), count);
    constants_.resize(count);
    distances_.setZero(count);
    place_.clear();
    const Eigen::SparseMatrix<double, Eigen::RowMajor, int> rows(scaled_.A);
    const auto add_row = [&](Index row, double sign, double constant) {
      const auto column = static_cast<Index>(place_.size());
      for (decltype(rows)::InnerIterator it(rows, row); it; ++it) N_(it.col(), column) = sign * it.value();
      constants_[column] = constant;
      place_.push_back({row, sign});
    };
    for (const Index i : sides_.equalities) add_row(i, 1.0, scaled_.hi[i]);
    for (const auto& [far, k] : order) {
      const auto column = static_cast<Index>(place_.size());
      const Index at = sides_.place[static_cast<std::size_t>(k)];
      distances_[column] = far;
      if (k < sides_.rows) {
        add_row(at, sides_.sign[k], sides_.offset[k]);
        continue;
      }
      N_(at, column) = sides_.sign[k];
      constants_[column] = sides_.offset[k];
      place_.push_back({-1, sides_.sign[k]});
    }
  }

  bool try_sides(Vector x, Index near) {
    for (int correction = 0; correction < (linear() ? 1 : kCorrections); ++correction) {
      if (!fit_ || !linear()) {  // the gradient of a linear objective is what it was
        target_ = -(scaled_.P * x + scaled_.q);
        fit_.emplace(N_, target_, equalities());
      }
      fit_->extend(near);
      const double share = linear() ? run_.settings().tol_gap : kFirstResidual;
      const double most = std::max(share * (1.0 + target_.lpNorm<Eigen::Infinity>()), fit_->rounding());
      if (!(fit_->residual().lpNorm<Eigen::Infinity>() <= most)) return false;
      Vector y = fit_->y();
      solve_within(fit_->used(), x, y);
      if (!x.allFinite() || !y.allFinite()) return false;
      if (judge(x, y)) return true;
    }
    return false;
  }

  // Sides without a multiplier may be crossed on the way to the others: they are held then, too.
  void solve_within(std::vector<Index> held, Vector& x, Vector& y) const {
    const Vector start = x;
    for (int round = 0; round < kRoundsOfHolding; ++round) {
      x = start;
      solve_on(held, x, y);
      const Vector beyond = N_.transpose() * x - constants_;
      const auto before = held.size();
      for (Index k = equalities(); k < N_.cols(); ++k) {
        const bool crossed = beyond[k] > kCrossed * (1.0 + std::abs(constants_[k]));
        if (crossed && std::find(held.begin(), held.end(), k) == held.end()) held.push_back(k);
      }
      if (held.size() == before) return;
    }
  }

  // P dx + N y = -(Px + q), N'dx = c - N'x: the shortest solution. Linear programs have their multipliers already, and a
  // smaller system.
  void solve_on(const std::vector<Index>& used, Vector& x, Vector& y) const {
    const Matrix N = N_(Eigen::all, used);
    const Index n = N.rows(), k = N.cols();
    if (linear()) {
      if (k == 0) return;
      const OrthogonalFactor factor(N.transpose());
      for (int round = 0; round < 2; ++round) x += factor.solve(Vector(constants_(used)) - N.transpose() * x);
      return;
    }
    Matrix K = Matrix::Zero(n + k, n + k);
    K.topLeftCorner(n, n) = scaled_.P;
    K.topRightCorner(n, k) = N;
    K.bottomLeftCorner(k, n) = N.transpose();
    const OrthogonalFactor factor(K);
    Vector multipliers = Vector::Zero(k), side(n + k);
    for (int round = 0; round < 2; ++round) {
      side.head(n) = -(scaled_.P * x + scaled_.q + N * multipliers);
      side.tail(k) = Vector(constants_(used)) - N.transpose() * x;
      const Vector step = factor.solve(side);
      x += step.head(n);
      multipliers += step.tail(k);
    }
    for (Index j = 0; j < k; ++j) {
      const Index column = used[static_cast<std::size_t>(j)];
      y[column] = column < equalities() ? multipliers[j] : std::max(0.0, multipliers[j]);
    }
  }

  // Bounds of variables have no multipliers of their own: what is left of the gradient is theirs.
  bool judge(const Vector& x, const Vector& y) {
    Vector duals = Vector::Zero(scaled_.rows());
    for (Index k = 0; k < y.size(); ++k) {
      const Place& place = place_[static_cast<std::size_t>(k)];
      if (place.row >= 0) duals[place.row] += place.sign * y[k];
    }
    point_.x = scaling_.x(x);
    run_.problem().prox().project(point_.x);
    evaluate_lagrangian(run_.problem(), run_.system(), point_.x,
                        run_.system().multipliers_from_duals(scaling_.y(duals)), point_.at);
    return run_.judge(point_);
  }

  struct Place {
    Index row;  // -1: a bound
    double sign;
  };

  Context& run_;
  InnerPoint& point_;
  StandardForm scaled_;
  Equilibration scaling_;
  Sides sides_;
  Matrix N_;  // gradients by columns
  Vector constants_, distances_, target_;
  std::vector<Place> place_;
  std::optional<NonnegativeFit> fit_;
};

bool applies(Context& run, Index most_variables) {
  const Problem& problem = run.problem();
  if (problem.dimension() > most_variables || !problem.conic().empty() || problem.has_soft_rows()) return false;
  if (run.view().reduced() || run.view().standing_for_all() || !run.incumbent().any()) return false;
  const auto entries = problem.data_bytes() / static_cast<Index>(sizeof(double));
  return entries <= kMostEntries && standard_form_obstacle(problem).empty();
}

}  // namespace

bool finish_on_active_rows(Context& run, InnerPoint& point, Index most_variables) {
  if (!applies(run, most_variables)) return false;
  ActiveRows rows(run, point);
  return rows.finish();
}

}  // namespace pliant
