#include "engines/interior/without_solution.hpp"

#include "engines/interior/driver.hpp"
#include "engines/interior/presolve.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace pliant {
namespace {

// Such programs take 5 to 20 steps; a few have no interior on either side.
constexpr Index kMostAloneSteps = 40;
// Multipliers whose gradients cancel to this share of what they miss by are tried as a proof.
constexpr double kBalanced = 1e-6;
// Rays are sought to this accuracy, entries and costs being at most 1, and to that share of the objective; what falls by less is
// none.
constexpr double kRayAccuracy = 1e-8, kShareMissing = 1e-5, kLeastFall = 1e-7;
// Rows and bounds that a ray leaves by less than this share of their size are meant to stay where they are.
constexpr std::array kTouchedWithin{1e-6, 1e-8, 1e-4};
// Regularisation of a projection onto rows that may depend on each other. It is repeated while that leaves less than this share
// of what they grow by.
constexpr double kProjection = 1e-9, kUseful = 0.7;
constexpr int kMostProjections = 20, kPushes = 3;
// What a ray may lose of its descent by staying farther inside, and the largest move for that.
constexpr double kShareOfDescent = 1e-3, kLargestPush = 1e-4;

double kept_side(double side, double least) { return std::isfinite(side) ? 0.0 : least; }

// Directions that leave no side, with Pd = 0 as further rows.
StandardForm recession_form(const StandardForm& form) {
  StandardForm out;
  const Index n = form.variables(), m = form.rows();
  std::vector<Eigen::Triplet<double, int>> entries;
  for (int j = 0; j < form.A.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(form.A, j); it; ++it) entries.emplace_back(it.row(), j, it.value());
    for (SparseMatrix::InnerIterator it(form.P, j); it; ++it) {
      entries.emplace_back(static_cast<int>(m + it.row()), j, it.value());
    }
  }
  const Index curved = form.P.nonZeros() > 0 ? n : 0;
  out.A = SparseMatrix(static_cast<int>(m + curved), static_cast<int>(n));
  out.A.setFromTriplets(entries.begin(), entries.end());
  out.P = SparseMatrix(static_cast<int>(n), static_cast<int>(n));
  out.q = form.q;
  out.l1 = form.l1;
  out.lo = out.hi = Vector::Zero(m + curved);
  for (Index i = 0; i < m; ++i) {
    out.lo[i] = kept_side(form.lo[i], -kInfinity);
    out.hi[i] = kept_side(form.hi[i], kInfinity);
  }
  out.lower = form.lower.unaryExpr([](double bound) { return kept_side(bound, -1.0); });
  out.upper = form.upper.unaryExpr([](double bound) { return kept_side(bound, 1.0); });
  return out;
}

// Entries that are what rounding left of 0 would have curvature, of 1e-40 for instance, that no rounding of its own explains.
Vector without_lost_entries(const Vector& d) {
  const double least = std::numeric_limits<double>::epsilon() * d.lpNorm<Eigen::Infinity>();
  return (d.array().abs() > least).select(d, 0.0);
}

// A ray that is accurate to kRayAccuracy, moved onto what it touches.
class TouchedRows {
 public:
  TouchedRows(const StandardForm& form, const Vector& d, double touching) : d_(d) {
    const auto n = static_cast<std::size_t>(form.variables());
    std::vector<char> held(n, 0);
    for (std::size_t j = 0; j < n; ++j) {
      const auto at = static_cast<Index>(j);
      const bool bounded = form.lower[at] == 0.0 || form.upper[at] == 0.0;
      held[j] = bounded && std::abs(d[at]) <= touching ? 1 : 0;
      if (held[j] != 0) d_[at] = 0.0;
    }
    const RowMatrix rows(form.A);
    std::vector<Eigen::Triplet<double, int>> entries;
    for (Index i = 0; i < form.rows(); ++i) {
      double slope = 0.0, squares = 0.0;
      for (RowMatrix::InnerIterator it(rows, i); it; ++it) {
        slope += it.value() * d[it.col()];
        squares += it.value() * it.value();
      }
      const double size = std::sqrt(squares), reach = touching * size;
      const bool upper = form.hi[i] == 0.0 && slope >= -reach, lower = form.lo[i] == 0.0 && slope <= reach;
      if (!(size > 0.0) || (!upper && !lower)) continue;
      for (RowMatrix::InnerIterator it(rows, i); it; ++it) {
        if (held[static_cast<std::size_t>(it.col())] != 0) continue;
        entries.emplace_back(static_cast<int>(inward_.size()), static_cast<int>(it.col()), it.value() / size);
      }
      inward_.push_back(upper == lower ? 0.0 : upper ? -1.0 : 1.0);
    }
    A_ = SparseMatrix(static_cast<int>(inward_.size()), static_cast<int>(n));
    A_.setFromTriplets(entries.begin(), entries.end());
  }

  /// d with A d = 0 up to rounding. False: the linear algebra broke down.
  bool project() {
    if (A_.rows() == 0) return true;
    const SparseMatrix none(A_.cols(), A_.cols());
    kkt_.emplace(none, A_, LdlKind::automatic);
    if (!kkt_->factorize(Vector::Ones(A_.cols()), Vector::Constant(A_.rows(), kProjection))) return false;
    double left = kInfinity;
    for (int round = 0; round < kMostProjections; ++round) {
      const Vector slope = A_ * d_;
      const double size = slope.lpNorm<Eigen::Infinity>();
      if (!(size < kUseful * left)) break;
      left = size;
      if (!move(-slope, d_)) return false;
    }
    return d_.allFinite();
  }
  const Vector& direction() const { return d_; }

  /// The same moved to the inner side of the rows that have one, as far as its descent along q allows.
  Vector inside(const Vector& q) {
    if (A_.rows() == 0) return d_;
    Vector inward = Vector::Zero(d_.size());
    for (int round = 0; round < kPushes; ++round) {
      if (!move(Eigen::Map<const Vector>(inward_.data(), A_.rows()) - A_ * inward, inward)) return d_;
    }
    const double size = inward.lpNorm<Eigen::Infinity>(), cost = std::abs(q.dot(inward));
    if (!(size > 0.0) || !std::isfinite(size)) return d_;
    const double gain = std::abs(q.dot(d_));
    return d_ + std::min(kLargestPush / size, cost > 0.0 ? kShareOfDescent * gain / cost : kInfinity) * inward;
  }

 private:
  // The shortest move that adds `rhs` to A d. Systems are solved to digits of numbers of the size of 1.
  bool move(const Vector& rhs, Vector& d) {
    const double size = rhs.lpNorm<Eigen::Infinity>();
    if (size == 0.0) return true;
    Vector dx, dy;
    if (!kkt_->solve(Vector::Zero(d.size()), rhs / size, dx, dy)) return false;
    d += size * dx;
    return true;
  }

  Vector d_;
  SparseMatrix A_;
  std::vector<double> inward_;  // what a move to the inner side adds to each row
  std::optional<KktSystem> kkt_;
};

// The best ray, to kRayAccuracy; empty where the objective falls along none.
std::optional<Vector> solve_for_ray(const StandardForm& form, FunctionRef<bool()> stop) {
  const Presolve presolve(form, Presolve::Level::full);
  if (presolve.contradiction() || presolve.reduced().variables() == 0) return std::nullopt;
  ElasticInterior engine(presolve.reduced(), LdlKind::automatic);
  bool found = false;
  engine.run([&] {
    const InteriorResiduals& r = engine.residuals();
    const auto largest = [](const Vector& v) { return v.size() > 0 ? v.lpNorm<Eigen::Infinity>() : 0.0; };
    const double violation = std::max(largest(r.rows), largest(r.variables));
    const double gap = std::abs(r.gap);
    const bool none = gap <= kRayAccuracy && largest(r.dual) <= kRayAccuracy;
    const bool accurate = violation <= kRayAccuracy && (none || gap <= kShareMissing * -r.objective);
    found = accurate && r.objective < -kLeastFall;
    return accurate || engine.steps() >= kMostAloneSteps || stop();
  });
  if (!found) return std::nullopt;
  return presolve.restore_x(engine.x());
}

}  // namespace

ConstraintsAlone solve_constraints_alone(const StandardForm& form, FunctionRef<bool()> stop,
                                         FunctionRef<bool(const InteriorResiduals&)> satisfies,
                                         FunctionRef<bool(const Vector&)> proves) {
  StandardForm alone = form;
  alone.P.setZero();
  alone.q.setZero();
  alone.l1.resize(0);
  ConstraintsAlone out;
  ElasticInterior engine(alone, LdlKind::automatic);
  ProofGate gate(kBalanced);
  engine.run([&] {
    if (satisfies(engine.residuals())) {
      out = {ConstraintsAlone::End::satisfied, engine.x()};
    } else if (gate.opens(engine.farkas_ratio()) && proves(engine.y())) {
      out.end = ConstraintsAlone::End::contradicted;
    }
    return out.end != ConstraintsAlone::End::open || engine.steps() >= kMostAloneSteps || stop();
  });
  return out;
}

bool show_rays(const StandardForm& form, double most_flops, FunctionRef<bool()> stop,
               FunctionRef<bool(const Vector&, bool inside)> proves) {
  const StandardForm recession = recession_form(form);
  if (predict_kkt_cost(recession.P, recession.A).flops > most_flops) return false;
  const std::optional<Vector> ray = solve_for_ray(recession, stop);
  if (!ray) return false;
  return std::any_of(kTouchedWithin.begin(), kTouchedWithin.end(), [&](double touching) {
    TouchedRows touched(recession, *ray, touching);
    if (!touched.project()) return false;
    return proves(without_lost_entries(touched.inside(form.q)), true) ||
           proves(without_lost_entries(touched.direction()), false);
  });
}

}  // namespace pliant
