// Penalties of the constraint functions themselves, minimised by accelerated gradients.
#include "baselines.hpp"

#include "rows/constraint_system.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::bench {
namespace {

constexpr double kShorter = 0.5;  // of a step that was too long
constexpr double kLonger = 1.05;  // of the next one otherwise
constexpr double kLeastStep = 1e-30;

/// A penalty p(a) of one constraint, and its derivative.
struct Penalty {
  double value = 0.0, slope = 0.0;
};
using PenaltyOf = std::function<Penalty(double)>;

// s minus the nearest point of the second-order cone.
Vector outside_of_cone(const Vector& s) {
  const double length = s.tail(s.size() - 1).norm();
  if (length <= s[0]) return Vector::Zero(s.size());
  if (length <= -s[0]) return s;
  Vector nearest = 0.5 * (1.0 + s[0] / length) * s;
  nearest[0] = 0.5 * (length + s[0]);
  return s - nearest;
}

// f(x) + sum_j p(a_j(x)), of cones (w/2) dist(h - Gx, K)^2; one evaluation counts all components and constraints.
class PenalisedSum {
 public:
  /// `cone_weight` 0: cones are refused.
  PenalisedSum(const ConstrainedSum& form, PenaltyOf penalty, double cone_weight)
      : problem_(form.problem()),
        system_(problem_),
        penalty_(std::move(penalty)),
        cone_weight_(cone_weight),
        a_(system_.size()),
        w_(system_.size()) {
    if (!problem_.conic().empty() && cone_weight == 0.0) {
      throw InputError("baselines: this penalty of functions does not take cones");
    }
  }

  double evaluate(const Vector& x, Vector& gradient) {
    gradient.setZero(x.size());
    double value = problem_.add_smooth_gradient(x, gradient);
    system_.sweep(
        x,
        [&](Index, Index count, const double* a, double* w) {
          for (Index k = 0; k < count; ++k) w[k] = penalty_(a[k]).slope;
        },
        a_, w_, gradient);
    for (const double a : a_) value += penalty_(a).value;
    for (const ConicConstraint& conic : problem_.conic()) value += add_cones(conic, x, gradient);
    evaluations_ += problem_.components() + problem_.constraints();
    return value;
  }
  Index evaluations() const { return evaluations_; }

 private:
  double add_cones(const ConicConstraint& conic, const Vector& x, Vector& gradient) const {
    double value = 0.0;
    Index begin = 0;
    for (const Cone& cone : conic.cones) {
      Vector s(cone.rows);
      for (Index i = 0; i < cone.rows; ++i) s[i] = conic.h[begin + i] - conic.G.dot(begin + i, x.data());
      const Vector outside = outside_of_cone(s);
      for (Index i = 0; i < cone.rows; ++i) conic.G.axpy(begin + i, -cone_weight_ * outside[i], gradient.data());
      value += 0.5 * cone_weight_ * outside.squaredNorm();
      begin += cone.rows;
    }
    return value;
  }

  const Problem& problem_;
  ConstraintSystem system_;
  PenaltyOf penalty_;
  double cone_weight_;
  Vector a_, w_;
  Index evaluations_ = 0;
};

// FISTA with backtracking, mu/2 |x|^2 as the proximal part, restarted when the step turns against the momentum.
void accelerated_gradients(const ConstrainedSum& form, PenaltyOf penalty, double cone_weight, const Watch& watch) {
  PenalisedSum f(form, std::move(penalty), cone_weight);
  Vector x = Vector::Zero(form.dimension()), y = x, next = x, gradient, unused;
  double step = 1.0, momentum = 1.0;
  for (;;) {
    const double at = f.evaluate(y, gradient);
    for (;; step *= kShorter) {
      next = (y - step * gradient) / (1.0 + step * form.mu());
      const Vector d = next - y;
      // Differences of values lose their digits near the end: then the slopes decide.
      const double bound = at + gradient.dot(d) + d.squaredNorm() / (2.0 * step);
      if (f.evaluate(next, unused) <= bound || (unused - gradient).dot(d) <= d.squaredNorm() / step) break;
      if (step < kLeastStep) return;
    }
    if (watch(f.evaluations(), next)) return;
    const bool against = (y - next).dot(next - x) > 0.0;
    const double grown = against ? 1.0 : 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    y = against ? next : Vector(next + ((momentum - 1.0) / grown) * (next - x));
    momentum = grown;
    x = next;
    step *= kLonger;
  }
}

}  // namespace

void quadratic_penalty(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch) {
  const auto penalty = [w = options.parameter](double a) {
    const double excess = std::max(0.0, a);
    return Penalty{0.5 * w * excess * excess, w * excess};
  };
  accelerated_gradients(problem, penalty, options.parameter, watch);
}

void huber_penalty(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch) {
  const auto penalty = [d = options.parameter, xi = options.xi](double a) {
    if (a <= -d) return Penalty{};
    if (a >= d) return Penalty{xi * a, xi};
    return Penalty{xi * (a + d) * (a + d) / (4.0 * d), xi * (a + d) / (2.0 * d)};
  };
  accelerated_gradients(problem, penalty, 0.0, watch);
}

}  // namespace pliant::bench
