// What reads of rows leave behind, and what it proves of them elsewhere.
//
//   a_i(y) <= a_i + |grad a_i| |y - x_i| + L_i/2 |y - x_i|^2,   x_i being where row i was last read:
//
// rigorous for convex L_i-smooth rows. Near the solution it excludes nearly all of them, so that later checks read few.
#pragma once

#include "pliant/types.hpp"

#include <cstdint>
#include <vector>

namespace pliant {

/// One entry per row of a holder (row_holder.hpp), whose state it is. A Solver keeps it between solves.
struct RowKnowledge {
  std::vector<Vector> points;          ///< where rows were read
  std::vector<std::int32_t> point_of;  ///< which of them for each row; -1: never read
  Vector values, norms;                ///< a_i and |grad a_i| there
  Vector smoothness;                   ///< bounds of L_i; empty while all are 0
  Matrix coordinates;                  ///< the R of RowHolder::set_coordinates the points are given in; empty: none

  bool started() const { return !points.empty(); }
  Index size() const { return values.size(); }
  /// More rows at the end, never read.
  void append(Index count);
  /// Rows begin, begin+1, ... must be read again.
  void forget(Index begin, Index count);
  /// Their constant terms changed: a_i grew by change_i everywhere.
  void shift(Index begin, const Vector& change);
  /// Size of a_i in units of distance, see row_distance.
  double distance(Index i) const;
  /// Distances of x from the points of reading, a hair longer than computed, against rounding.
  Vector distances(const Vector& x) const;
  /// a_i <= this at points `distances` from those of reading and a further `more`; infinite if the row was never read.
  double bound(Index i, const Vector& distances, double more = 0.0) const;
  /// Whether row i was read exactly where `distances` were taken.
  bool exact(Index i, const Vector& distances) const {
    const std::int32_t point = point_behind(i);
    return point >= 0 && !(distances[point] > 0.0);
  }

 private:
  std::int32_t point_behind(Index i) const { return i < size() ? point_of[static_cast<std::size_t>(i)] : -1; }
};

/// a/sqrt(|g|^2 + 2 L |a|): how far the boundary of a row is from where it has this value, gradient norm and curvature,
/// whatever factor the row is multiplied with. The value itself where the row is flat.
double row_distance(double value, double norm, double smoothness);

}  // namespace pliant
