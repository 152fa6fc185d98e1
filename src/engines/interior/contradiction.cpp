#include "engines/interior/contradiction.hpp"

#include "parallel/stop.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Passing bounds on may converge without an end: reads of the matrix, and how much of itself a bound that exists already has to
// move by.
constexpr Index kMostReads = 20;
constexpr double kWorthwhile = 0.1;
// Sides that miss each other by less than this (relative) touch, as in presolve.hpp.
constexpr double kMissedBy = 1e-9;
// Entries of A'y below this share of their parts are rounding.
constexpr double kCancelled = 1e-12;
constexpr Index kRowsPerPoll = 1000;

class Propagation {
 public:
  explicit Propagation(const StandardForm& form) : form_(form), rows_(form.A), lower_(form.lower), upper_(form.upper) {}

  std::optional<Vector> run() {
    std::vector<char> asked(static_cast<std::size_t>(form_.rows()), 1);
    Index left = kMostReads * std::max<Index>(form_.A.nonZeros(), 1);
    for (bool changed = true; changed && left > 0;) {
      changed = false;
      for (Index i = 0; i < form_.rows() && left > 0; ++i) {
        if (i % kRowsPerPoll == 0) parallel::poll();
        char& ask = asked[static_cast<std::size_t>(i)];
        if (ask == 0) continue;
        ask = 0;
        left -= rows_.outerIndexPtr()[i + 1] - rows_.outerIndexPtr()[i];
        moved_.clear();
        if (!pass_on(i)) return charged();
        for (const Index j : moved_) {
          for (SparseMatrix::InnerIterator it(form_.A, static_cast<int>(j)); it; ++it) {
            if (it.row() != i) asked[static_cast<std::size_t>(it.row())] = 1;
          }
        }
        changed = changed || !moved_.empty();
      }
    }
    return std::nullopt;
  }

 private:
  // What the entries of a row add up to at least or at most: a sum, and how many of them are infinite.
  struct Reach {
    double sum = 0.0;
    Index open = 0;
    void add(double part) { std::isfinite(part) ? void(sum += part) : void(++open); }
    /// Without one of its parts; infinite if others are.
    double without(double part, double infinite) const {
      const bool finite = std::isfinite(part);
      return open > (finite ? 0 : 1) ? infinite : finite ? sum - part : sum;
    }
  };

  // False: a contradiction; y_ has its multipliers.
  bool pass_on(Index i) {
    Reach least, most;
    double size = 0.0;
    for (RowMatrix::InnerIterator it(rows_, i); it; ++it) {
      const auto [from, to] = parts(it.value(), it.col());
      least.add(from);
      most.add(to);
      size += (std::isfinite(from) ? std::abs(from) : 0.0) + (std::isfinite(to) ? std::abs(to) : 0.0);
    }
    const double lo = form_.lo[i], hi = form_.hi[i];
    if (least.open == 0 && least.sum > hi + touching(hi, size)) return contradict(i, 1.0);
    if (most.open == 0 && most.sum < lo - touching(lo, size)) return contradict(i, -1.0);
    if (least.open > 1 && most.open > 1) return true;
    for (RowMatrix::InnerIterator it(rows_, i); it; ++it) {
      const double a = it.value();
      const auto [from, to] = parts(a, it.col());
      const double above = hi < kInfinity ? hi - least.without(from, -kInfinity) : kInfinity;
      const double below = lo > -kInfinity ? lo - most.without(to, kInfinity) : -kInfinity;
      if (!move({i, it.col(), a, a > 0.0}, above / a) || !move({i, it.col(), a, a < 0.0}, below / a)) return false;
    }
    return true;
  }

  std::pair<double, double> parts(double a, Index j) const {
    const double at_lower = a * lower_[j], at_upper = a * upper_[j];
    return {std::min(at_lower, at_upper), std::max(at_lower, at_upper)};
  }

  static double touching(double side, double size) { return kMissedBy * (1.0 + std::abs(side) + size); }

  // False: the new bound lies beyond the opposite one.
  bool move(const ImpliedBound& bound, double to) {
    if (!std::isfinite(to)) return true;
    double& mine = bound.upper ? upper_[bound.column] : lower_[bound.column];
    const double other = bound.upper ? lower_[bound.column] : upper_[bound.column];
    const double gain = bound.upper ? mine - to : to - mine;
    const double room = std::isfinite(other) ? std::abs(other - mine) : 1.0 + std::abs(to);
    if (!(gain > kWorthwhile * std::min(room, 1.0 + std::abs(to)))) return true;
    const double beyond = bound.upper ? other - to : to - other;
    if (std::isfinite(other) && beyond > kMissedBy * (1.0 + std::abs(to) + std::abs(other))) {
      return contradict(bound.row, 1.0 / bound.coefficient * (bound.upper ? 1.0 : -1.0));
    }
    bounds_.push_back(bound);
    moved_.push_back(bound.column);
    mine = bound.upper ? std::max(to, other) : std::min(to, other);
    return true;
  }

  bool contradict(Index row, double multiplier) {
    y_ = Vector::Zero(form_.rows());
    y_[row] = multiplier;
    return false;
  }

  Vector charged() {
    charge_implied_bounds(rows_, bounds_, y_);
    return y_;
  }

  const StandardForm& form_;
  RowMatrix rows_;
  Vector lower_, upper_, y_;
  std::vector<ImpliedBound> bounds_;
  std::vector<Index> moved_;
};

}  // namespace

void charge_implied_bounds(const RowMatrix& rows, const std::vector<ImpliedBound>& bounds, Vector& y) {
  Vector gradient = rows.transpose() * y;
  for (auto bound = bounds.rbegin(); bound != bounds.rend(); ++bound) {
    const double g = gradient[bound->column];
    if (bound->upper ? !(g < 0.0) : !(g > 0.0)) continue;
    const double multiplier = -g / bound->coefficient;
    y[bound->row] += multiplier;
    for (RowMatrix::InnerIterator it(rows, bound->row); it; ++it) gradient[it.col()] += multiplier * it.value();
    gradient[bound->column] = 0.0;
  }
}

double contradiction_of(const StandardForm& form, const Vector& y) {
  double value = 0.0, weight = 0.0;
  for (Index i = 0; i < form.rows(); ++i) {
    if (y[i] == 0.0) continue;
    const double side = y[i] > 0.0 ? form.hi[i] : form.lo[i];
    if (!std::isfinite(side)) return 0.0;
    value -= y[i] * side;
    weight += std::abs(y[i]) * (1.0 + std::abs(side));
  }
  for (Index j = 0; j < form.variables(); ++j) {
    double g = 0.0, size = 0.0;
    for (SparseMatrix::InnerIterator it(form.A, static_cast<int>(j)); it; ++it) {
      g += it.value() * y[it.row()];
      size += std::abs(it.value() * y[it.row()]);
    }
    if (std::abs(g) <= kCancelled * size) continue;
    const double bound = g > 0.0 ? form.lower[j] : form.upper[j];
    if (!std::isfinite(bound)) return 0.0;
    value += g * bound;
  }
  return value > 0.0 && std::isfinite(weight) ? value / weight : 0.0;
}

std::optional<Vector> propagate_to_contradiction(const StandardForm& form) { return Propagation(form).run(); }

}  // namespace pliant
