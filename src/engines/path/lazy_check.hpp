// Full checks that read only the rows that may have become positive.
//
// The first check reads everything and keeps a_i, |grad a_i| and a bound L_i of the curvature at its point; later
// ones read row i only if a_i + |grad a_i| |x - x_i| + L_i/2 |x - x_i|^2 > -slack, x_i being where it was last
// read: rigorous for convex L_i-smooth rows, and 0 to a few per cent of a pass near the solution.
#pragma once

#include "constraints/row_selection.hpp"

#include <cstdint>
#include <vector>

namespace pliant {

class LazyCheck {
 public:
  /// Inequalities only. Rows are read unless they are proven to be below -slack.
  LazyCheck(ConstraintSystem& system, double slack);

  /// The worst value at x and the rows near it: those above -share times the worst, ascending. Rows that are
  /// not read are proven to be <= -slack.
  struct Found {
    double worst = 0.0;
    std::vector<Index> rows;
    std::vector<double> values;
  };
  /// Reads everything if more than `dense_fraction` of the rows are in doubt.
  const Found& check(const Vector& x, double share, double dense_fraction);
  /// Upper bounds of all rows at x: exact for the rows the latest check at x read, at most -slack for the others.
  void upper_bounds(const Vector& x, VectorRef out) const;
  bool started() const { return !points_.empty(); }
  /// Rows proven inactive within `radius` of x by what is known of them.
  Index inactive_within(const Vector& x, double radius) const;

 private:
  void read_everything(const Vector& x);
  void read_doubtful(const Vector& x, std::vector<Index> doubtful);
  void collect(double share);
  Vector distances(const Vector& x) const;
  double bound(Index i, double distance) const {
    return values_[i] + norms_[i] * distance + (curved_ ? 0.5 * smoothness_[i] * distance * distance : 0.0);
  }

  ConstraintSystem& system_;
  RowSelection selection_;  // rows of the latest lazy check; empty: all were read
  double slack_;
  bool curved_ = false;                 // some L_i > 0
  std::vector<Vector> points_;          // where rows were read
  std::vector<std::int32_t> point_of_;  // which of them for each row
  Vector values_, norms_, smoothness_;
  Found found_;
};

}  // namespace pliant
