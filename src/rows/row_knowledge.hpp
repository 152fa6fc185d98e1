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

using PointNumbers = Eigen::Matrix<std::int32_t, Eigen::Dynamic, 1>;

/// One entry per row of a holder (row_holder.hpp), whose state it is. A Solver keeps it between solves.
struct RowKnowledge {
  std::vector<Vector> points;  ///< where rows were read
  PointNumbers point_of;       ///< which of them for each row; -1: never read
  Vector values, norms;        ///< a_i and |grad a_i| there
  Vector smoothness;           ///< bounds of L_i; empty while all are 0
  Matrix coordinates;          ///< the R of RowHolder::set_coordinates the points are given in; empty: none

  bool started() const { return !points.empty(); }
  Index size() const { return values.size(); }
  /// More rows at the end, never read.
  void append(Index count);
  /// Rows begin, begin+1, ... must be read again.
  void forget(Index begin, Index count);
  /// Their constant terms changed: a_i grew by change_i everywhere. Rows whose values lose digits by that are forgotten.
  void shift(Index begin, const Vector& change);
  /// Size of a_i in units of distance, see row_distance.
  double distance(Index i) const;
  /// distances_from the points of reading.
  Vector distances(const Vector& x) const;
  /// Whether row i was read exactly where `distances` were taken.
  bool exact(Index i, const Vector& distances) const {
    const std::int32_t point = point_behind(i);
    return point >= 0 && !(distances[point] > 0.0);
  }

 private:
  std::int32_t point_behind(Index i) const { return i < size() ? point_of[i] : -1; }
};

/// Distances of x from points, a hair longer than computed, against rounding.
Vector distances_from(const std::vector<Vector>& points, const Vector& x);

/// What is known of the rows around x: a_i <= bounds(i) everywhere within `radius` of it; infinite for a row that was
/// never read.
class RowBounds {
 public:
  RowBounds(const RowKnowledge& known, const Vector& x, double radius = 0.0);
  double operator()(Index i) const {
    if (i >= known_.size()) return kInfinity;
    const std::int32_t point = known_.point_of[i];
    if (point < 0) return kInfinity;
    const double distance = reach_[point];
    if (distance == 0.0) return known_.values[i];  // 0 times a curvature that is not known is not 0
    const double straight = known_.values[i] + known_.norms[i] * distance;
    return curved_ ? straight + 0.5 * known_.smoothness[i] * distance * distance : straight;
  }

 private:
  const RowKnowledge& known_;
  Vector reach_;  // from the points of reading to the farthest place asked for
  bool curved_;
};

/// a/sqrt(|g|^2 + 2 L |a|): how far the boundary of a row is from where it has this value, gradient norm and curvature,
/// whatever factor the row is multiplied with. The value itself where the row is flat.
double row_distance(double value, double norm, double smoothness);

}  // namespace pliant
