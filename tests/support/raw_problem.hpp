// Problems kept beside their raw numbers, so that a test can judge a solution without the library.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/problem.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace pliant::testing {

/// Worst violation and sum |dual * slack| of some rows.
struct RawRows {
  double violation = 0.0;
  double complementarity = 0.0;
};

/// Adds what the duals of the user's rows do to the gradient of the Lagrangian.
using RawBatch = std::function<RawRows(const Vector& x, const Vector& duals, Vector& gradient)>;

struct RawProblem {
  explicit RawProblem(Index n) : problem(n) {}

  Problem problem;
  std::function<double(const Vector& x, Vector& gradient)> smooth;  ///< value; the gradient is added
  std::vector<RawBatch> batches;
  double l1 = 0.0, l2 = 0.0, simplex_radius = 0.0;  ///< psi; radius 0: no simplex
  Vector lo, hi;                                    ///< empty: no box
  Matrix E;
  Vector e;

  Index dimension() const { return problem.dimension(); }
};

/// The KKT conditions at x, from the raw numbers. NaN anywhere makes `worst()` NaN.
struct RawKkt {
  double objective = 0.0;
  double violation = 0.0;        ///< rows, equalities and the domain of psi
  double stationarity = 0.0;     ///< relative to 1 + |grad f|
  double complementarity = 0.0;  ///< relative to 1 + |objective|
  double negative = 0.0;         ///< largest -lambda_i
};

/// How far the interval -[subdifferential of psi_j at t] is from g. Within `near` of a kink all of it counts.
inline double distance_to_psi(const RawProblem& raw, Index j, double t, double g, double near) {
  double low = raw.l2 * t, high = raw.l2 * t;
  if (raw.l1 > 0.0) {
    low += t > near ? raw.l1 : -raw.l1;
    high += t < -near ? -raw.l1 : raw.l1;
  }
  const double lo = raw.lo.size() > 0 ? raw.lo[j] : -kInfinity, hi = raw.hi.size() > 0 ? raw.hi[j] : kInfinity;
  if (t <= lo + near) low = -kInfinity;
  if (t >= hi - near) high = kInfinity;
  if (std::isnan(g)) return g;
  return std::max({0.0, low + g, -(high + g)});
}

inline RawKkt raw_kkt(const RawProblem& raw, const Vector& x, const Multipliers& multipliers, double near) {
  RawKkt out;
  Vector gradient = Vector::Zero(x.size());
  out.objective = raw.smooth(x, gradient) + raw.l1 * x.lpNorm<1>() + 0.5 * raw.l2 * x.squaredNorm();
  const double size = 1.0 + gradient.lpNorm<Eigen::Infinity>();
  for (std::size_t b = 0; b < raw.batches.size(); ++b) {
    const ConstraintBatch& batch = *raw.problem.batches()[b];
    Vector duals(batch.dual_size());
    batch.multipliers_to_duals(multipliers.lambda[b], duals);
    out.negative = std::max(out.negative, -multipliers.lambda[b].minCoeff());
    const RawRows rows = raw.batches[b](x, duals, gradient);
    out.violation = std::max(out.violation, rows.violation);
    out.complementarity += rows.complementarity;
  }
  if (raw.E.rows() > 0) {
    gradient += raw.E.transpose() * multipliers.nu;
    out.violation = std::max(out.violation, (raw.E * x - raw.e).lpNorm<Eigen::Infinity>());
  }
  if (raw.simplex_radius > 0.0) {  // the multiplier of sum x = radius is minus the smallest entry of the gradient
    out.violation = std::max({out.violation, -x.minCoeff(), std::abs(x.sum() - raw.simplex_radius)});
    gradient.array() -= gradient.minCoeff();
    for (Index j = 0; j < x.size(); ++j) {
      if (x[j] > near) out.stationarity = std::max(out.stationarity, std::abs(gradient[j]));
    }
  } else {
    for (Index j = 0; j < x.size(); ++j) {
      const double d = distance_to_psi(raw, j, x[j], gradient[j], near);
      out.stationarity = std::isnan(d) ? d : std::max(out.stationarity, d);
      if (raw.lo.size() > 0) out.violation = std::max({out.violation, raw.lo[j] - x[j], x[j] - raw.hi[j]});
    }
  }
  out.stationarity /= size;
  out.complementarity /= 1.0 + std::abs(out.objective);
  if (!x.allFinite() || !gradient.allFinite()) out.violation = std::numeric_limits<double>::quiet_NaN();
  return out;
}

}  // namespace pliant::testing
