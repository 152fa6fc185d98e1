// Few passes over the data: solve on a sample of rows, check a larger sample, then all rows.
//
// Multipliers of a subset, zero elsewhere, are multipliers of the whole problem, so the certificate stays
// valid; only the violation needs every row. The first full check keeps a_i and |grad a_i| at its point; later
// checks evaluate only rows that may have become positive, a_i + |grad a_i| |x - x_ref| > 0, which is rigorous
// for linear rows.
#pragma once

#include "constraints/row_selection.hpp"
#include "engines/path/elastic_newton.hpp"
#include "outer/run.hpp"

#include <vector>

namespace pliant {

struct WorkingSetParameters {
  // Sizes are multiples of n; the larger one is taken while it stays below `small_share` of all rows.
  Index least_rows = 4, most_rows = 20;    ///< first sample
  Index least_added = 2, most_added = 20;  ///< rows added at a time, at most
  double small_share = 0.01;
  double keep_share = 1.0;        ///< working rows below -share * worst without a multiplier are dropped
  double kept_multiplier = 1e-3;  ///< relative to the largest
  double accept_share = 0.3;      ///< rows with a > -share * worst are added
  double level_share = 0.03;      ///< the middle level holds at least this share of all rows
  double loose = 1e-2;            ///< accuracy of the first solve
  double far = 0.1;               ///< worst violations above this ask for loose solves,
  double accuracy_share = 0.03;   ///< to this share of the violation
  double dense_check = 0.80;      ///< above this fraction a lazy check reads everything
  double finest = 1e-14;          ///< accuracies below this are lost to rounding
  Index max_rounds = 100;
};

/// All rows with what is known of them from earlier checks.
class LazyCheck {
 public:
  /// Rows are read unless they are proven to be below -slack.
  LazyCheck(ConstraintSystem& system, double slack) : system_(system), selection_(system), slack_(slack) {}

  /// The worst value at x and the rows near it: those above -share times the worst, ascending. Rows that are
  /// not read are proven to be <= 0.
  struct Found {
    double worst = 0.0;
    std::vector<Index> rows;
    std::vector<double> values;
  };
  const Found& check(const Vector& x, double share, double dense_fraction);
  /// Upper bounds of all rows at x: exact for the rows the latest check at x read, at most -slack for the others.
  void upper_bounds(const Vector& x, Vector& out) const;
  /// |grad a_i| of every row, known after the first check.
  const Vector& norms() const { return norms_; }
  bool started() const { return !points_.empty(); }

 private:
  void read_everything(const Vector& x);
  void collect(double share);
  Vector distances(const Vector& x) const;

  ConstraintSystem& system_;
  RowSelection selection_;  // rows of the latest lazy check; empty: all were read
  double slack_;
  std::vector<Vector> points_;          // where rows were evaluated
  std::vector<std::int32_t> point_of_;  // which of them for each row
  Vector values_, norms_;
  Vector lazy_values_;
  Found found_;
};

/// Drives the problem to the tolerances of the run. Leaves the last point judged.
void solve_with_working_sets(Run& run, InnerPoint& point, const WorkingSetParameters& parameters);

}  // namespace pliant
