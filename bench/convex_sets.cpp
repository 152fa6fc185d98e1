#include "convex_sets.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>

namespace pliant::bench {
namespace {

// Eigenvalues below this part of the largest are rounding.
constexpr double kFlat = 1e-13;
// Rows of cones count as orthogonal if their products are below this part of their lengths.
constexpr double kOrthogonal = 1e-10;
constexpr int kMostRootSteps = 200;
constexpr double kRootAccuracy = 1e-15;

void displace(const HalfSpace& set, const Vector& x, Vector& out) { out = std::max(0.0, set.g.dot(x) - set.h) * set.g; }

// The nearest point is y(t) = (I + tP)^-1 (x - tq) for the t >= 0 at which a(y(t)) = 0, and a(y(t)) falls with t:
//   y_i = (x_i - t slope_i)/(1 + t curvature_i) along the columns of V, y = x - t flat elsewhere.
struct QuadraticRoot {
  const QuadraticSet& set;
  Vector along;   // V'x
  double across;  // flat'x + r

  double value(double t, double& derivative) const {
    double a = across - t * set.flat_norm;
    derivative = -set.flat_norm;
    for (Index i = 0; i < along.size(); ++i) {
      const double k = set.curvature[i], y = position(i, t), steep = k * y + set.slope[i];
      a += (0.5 * k * y + set.slope[i]) * y;
      derivative -= steep * steep / (1.0 + t * k);
    }
    return a;
  }
  double position(Index i, double t) const { return (along[i] - t * set.slope[i]) / (1.0 + t * set.curvature[i]); }
  // Newton's method inside a bracket.
  double solve() const {
    double slope = 0.0, low = 0.0, high = 1.0;
    while (value(high, slope) > 0.0 && high < 1e300) high *= 2.0;
    double t = 0.0;
    for (int k = 0; k < kMostRootSteps && high - low > kRootAccuracy * high; ++k) {
      const double a = value(t, slope);
      (a > 0.0 ? low : high) = t;
      if (a == 0.0) break;
      const double next = t - a / slope;
      if (std::abs(next - t) <= kRootAccuracy * t) break;
      t = next > low && next < high ? next : 0.5 * (low + high);
    }
    return t;
  }
};

void displace(const QuadraticSet& set, const Vector& x, Vector& out) {
  const QuadraticRoot root{set, set.V.transpose() * x, set.flat.dot(x) + set.r};
  double slope = 0.0;
  out.setZero(x.size());
  if (root.value(0.0, slope) <= 0.0) return;
  const double t = root.solve();
  Vector moved(root.along.size());
  for (Index i = 0; i < moved.size(); ++i) moved[i] = root.along[i] - root.position(i, t);
  out = t * set.flat + set.V * moved;
}

// With s = (c'x + d, Ex + b): the nearest point is x + t (c - E'u), u = s_1/|s_1|, t = (|s_1| - s_0)/(|c|^2 + |e|^2), unless
// that leaves s_0 negative: then it is the nearest one with s = 0.
void displace(const CircularSet& set, const Vector& x, Vector& out) {
  const double s0 = set.c.dot(x) + set.d;
  const Vector s1 = set.E * x + set.b;
  const double length = s1.norm();
  out.setZero(x.size());
  if (length <= s0) return;
  const double t = (length - s0) / (set.c_norm + set.e_norm);
  if (s0 + t * set.c_norm < 0.0) {
    out = (s0 / set.c_norm) * set.c + set.E.transpose() * s1 / set.e_norm;
  } else {
    out = -t * set.c + t * (set.E.transpose() * (s1 / length));
  }
}

QuadraticSet quadratic_set(const QuadraticRows& rows, Index i) {
  const Eigen::SelfAdjointEigenSolver<Matrix> eigen(rows.matrix(i));
  const Vector& all = eigen.eigenvalues();
  const double least = kFlat * std::max(0.0, all.maxCoeff());
  const Index kept = (all.array() > least).count();
  QuadraticSet set;
  set.V = eigen.eigenvectors().rightCols(kept);
  set.curvature = all.tail(kept);
  const Eigen::Map<const Vector> q(rows.q.data() + i * rows.n, rows.n);
  set.slope = set.V.transpose() * q;
  set.flat = q - set.V * set.slope;
  if (set.flat.norm() <= kFlat * q.norm()) set.flat.setZero();
  set.flat_norm = set.flat.squaredNorm();
  set.r = rows.r[i];
  return set;
}

}  // namespace

ConvexSets::ConvexSets(const Problem& problem) {
  const std::size_t parts = problem.batches().size() + problem.conic().size();
  if (parts != 1 || problem.has_equalities())
    throw InputError("baselines: need one batch of constraints, no equalities");
  if (problem.conic().empty()) {
    add_batch(*problem.batches()[0]);
  } else {
    add_cones(problem.conic()[0]);
  }
}

void ConvexSets::add_batch(const ConstraintBatch& batch) {
  const LinearRows* linear = batch.linear_rows();
  const QuadraticRows* quadratic = batch.quadratic_rows();
  if (quadratic == nullptr && (linear == nullptr || linear->two_sided())) {
    throw InputError("baselines: project onto one-sided linear rows, quadratic rows and circular cones alone");
  }
  for (Index j = 0; j < batch.size(); ++j) {
    if (quadratic != nullptr) {
      sets_.emplace_back(quadratic_set(*quadratic, j));
      continue;
    }
    const Vector row = linear->matrix().row(j);
    sets_.emplace_back(HalfSpace{row / row.norm(), linear->upper()[j] / row.norm()});
  }
}

void ConvexSets::add_cones(const ConicConstraint& conic) {
  Index begin = 0;
  for (const Cone& cone : conic.cones) {
    if (cone.kind != ConeKind::second_order || cone.rows < 2) {
      throw InputError("baselines: project onto second-order cones alone");
    }
    Matrix rows(cone.rows, conic.G.cols());  // of s = h - Gx
    for (Index i = 0; i < cone.rows; ++i) rows.row(i) = -conic.G.row(begin + i).transpose();
    const Matrix products = rows * rows.transpose();
    CircularSet set{rows.bottomRows(cone.rows - 1), Vector(cone.rows - 1), rows.row(0).transpose(), conic.h[begin]};
    for (Index i = 1; i < cone.rows; ++i) set.b[i - 1] = conic.h[begin + i];
    set.c_norm = products(0, 0);
    set.e_norm = products(1, 1);
    Matrix expected = Matrix::Zero(cone.rows, cone.rows);
    expected.diagonal().setConstant(set.e_norm);
    expected(0, 0) = set.c_norm;
    if ((products - expected).norm() > kOrthogonal * products.norm() || !(set.c_norm > 0.0)) {
      throw InputError("baselines: project onto second-order cones with orthogonal rows alone");
    }
    sets_.emplace_back(std::move(set));
    begin += cone.rows;
  }
}

void ConvexSets::displacement(Index j, const Vector& x, Vector& out) const {
  std::visit([&](const auto& set) { displace(set, x, out); }, sets_[static_cast<std::size_t>(j)]);
}

}  // namespace pliant::bench
