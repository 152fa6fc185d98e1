// Linear programs solved in exact arithmetic: the truth about polyhedra.
#pragma once

#include "judge/exact.hpp"

#include <optional>

namespace pliant::judge {

/// {x : rows x <= rhs}
struct Polyhedron {
  Index n = 0;
  std::vector<RationalVector> rows;
  RationalVector rhs;

  void add(RationalVector row, Rational bound) {
    rows.push_back(std::move(row));
    rhs.push_back(std::move(bound));
  }
  /// sign x_j <= bound
  void add_bound(Index j, int sign, Rational bound);
  /// |x_j| <= radius for all j
  void add_box(const Rational& radius);
  /// The directions that stay in it for ever: rows d <= 0.
  Polyhedron recession() const;
};

enum class LpEnd { infeasible, unbounded, optimal };

struct LpAnswer {
  LpEnd end = LpEnd::infeasible;
  Rational value;    ///< optimal: the least of cost'x
  RationalVector x;  ///< a point of the set, unless there is none; optimal: where the value is attained
  /// One per row, nonnegative. Optimal: cost + sum lambda_i row_i = 0 with lambda_i = 0 where the row is not attained.
  /// Infeasible: sum lambda_i row_i = 0 and sum lambda_i rhs_i < 0. Unbounded: empty.
  RationalVector multipliers;
};

/// Minimises cost'x over the polyhedron.
LpAnswer minimise(const Polyhedron& set, const RationalVector& cost);

/// A point of the set, if there is one.
std::optional<RationalVector> find_point(const Polyhedron& set);

/// The point of the set nearest to x in the largest entry of the difference, if the set has any.
std::optional<RationalVector> nearest_point(const Polyhedron& set, const RationalVector& x);

}  // namespace pliant::judge
