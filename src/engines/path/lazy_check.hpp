// Full checks that read only the rows that may have become positive.
//
// The first check reads everything and keeps a_i, |grad a_i| and a bound L_i of the curvature at its point; later
// ones read row i only if a_i + |grad a_i| |x - x_i| + L_i/2 |x - x_i|^2 > -slack, x_i being where it was last
// read: rigorous for convex L_i-smooth rows, and 0 to a few per cent of a pass near the solution.
#pragma once

#include "rows/row_selection.hpp"

#include <cstdint>
#include <vector>

namespace pliant {

/// What earlier reads left behind, one entry per inequality. A Solver keeps it between solves.
struct RowKnowledge {
  std::vector<Vector> points;          ///< where rows were read
  std::vector<std::int32_t> point_of;  ///< which of them for each row; -1: never read
  Vector values, norms;                ///< a_i and |grad a_i| there
  Vector smoothness;                   ///< bounds of L_i; empty while all are 0
  Matrix coordinates;                  ///< the R of VariableScaling the points are given in; empty: none

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
  /// a_i <= this at distance `distance` from where it was read.
  double bound(Index i, double distance) const {
    if (distance == 0.0) return values[i];  // 0 times a curvature that is not known is not 0
    const double curved = smoothness.size() > 0 ? 0.5 * smoothness[i] * distance * distance : 0.0;
    return values[i] + norms[i] * distance + curved;
  }
};

/// a/sqrt(|g|^2 + 2 L |a|): how far the boundary of a row is from where it has this value, gradient norm and curvature,
/// whatever factor the row is multiplied with. The value itself where the row is flat.
double row_distance(double value, double norm, double smoothness);

class LazyCheck {
 public:
  /// Inequalities only. Rows are read unless they are proven to be below -slack.
  LazyCheck(ConstraintSystem& system, RowKnowledge& known, double slack);

  /// The worst value at x and, if it is positive, the rows near violation: those at a distance above -share times the
  /// worst distance, ascending. Rows that are not read are proven to be <= -slack.
  struct Found {
    double worst = 0.0;
    std::vector<Index> rows;
    std::vector<double> values, distances;
  };
  /// Reads everything if more than `dense_fraction` of the rows are in doubt.
  const Found& check(const Vector& x, double share, double dense_fraction);
  /// Whether the latest check was made at x.
  bool checked(const Vector& x) const { return checked_.size() == x.size() && checked_ == x; }
  /// Upper bounds of all rows at x: exact for the rows the latest check at x read, at most -slack for the others.
  /// Returns how many those are, one for each group.
  Index upper_bounds(const Vector& x, VectorRef out) const;
  /// Rows proven inactive within `radius` of x by what is known of them.
  std::vector<Index> inactive_within(const Vector& x, double radius) const;

 private:
  void read_everything(const Vector& x);
  void read_doubtful(const Vector& x, std::vector<Index> doubtful);
  void collect(double share);
  /// Bound of row i at x, given the distances of x from the points of reading.
  double bound(Index i, const Vector& distance, double more = 0.0) const;
  Vector distances(const Vector& x) const;

  ConstraintSystem& system_;
  RowKnowledge& known_;
  RowSelection selection_;  // rows of the latest lazy check; empty: all were read
  double slack_;
  Vector checked_;  // where the latest check was made
  Found found_;
};

}  // namespace pliant
