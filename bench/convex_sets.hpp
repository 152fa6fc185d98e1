// Closed convex sets with projections: what penalties and splitting methods for general sets need of constraints.
#pragma once

#include "pliant/problem.hpp"

#include <variant>
#include <vector>

namespace pliant::bench {

/// {y : g'y <= h} with |g| = 1.
struct HalfSpace {
  Vector g;
  double h = 0.0;
};

/// {y : 1/2 y'Py + q'y + r <= 0}, P = V diag(curvature) V' with curvature > 0; q = V slope + flat.
struct QuadraticSet {
  Matrix V;
  Vector curvature, slope, flat;
  double flat_norm = 0.0;  ///< |flat|^2
  double r = 0.0;
};

/// {y : |E y + b| <= c'y + d}, rows of E of one length and orthogonal to each other and to c: a circular cone.
struct CircularSet {
  Matrix E;
  Vector b, c;
  double d = 0.0;
  double e_norm = 0.0, c_norm = 0.0;  ///< squared lengths of a row of E and of c
};

/// The constraints of a problem as sets.
class ConvexSets {
 public:
  /// Takes one batch of one-sided linear or of quadratic rows, or second-order cones of the form above; throws
  /// InputError for others.
  explicit ConvexSets(const Problem& problem);

  Index size() const { return static_cast<Index>(sets_.size()); }
  /// out = x - nearest point of set j; 0 inside.
  void displacement(Index j, const Vector& x, Vector& out) const;

 private:
  void add_batch(const ConstraintBatch& batch);
  void add_cones(const ConicConstraint& conic);
  std::vector<std::variant<HalfSpace, QuadraticSet, CircularSet>> sets_;
};

}  // namespace pliant::bench
