// Few passes over the data: solve on a sample of rows, check a larger sample, then all rows.
//
// Multipliers of a subset, zero elsewhere, are multipliers of the whole problem, so the certificate stays
// valid; only the violation needs every row, and later checks read only rows in doubt. Where the rows are is the
// holder's business (rows/row_holder.hpp).
#pragma once

#include "rows/row_holder.hpp"
#include "run/context.hpp"

#include <limits>
#include <optional>

namespace pliant {

struct RowKnowledge;

struct WorkingSetParameters {
  // Sizes are multiples of n; the larger one is taken while it stays below `small_share` of all rows.
  Index least_rows = 4, most_rows = 12;    ///< first sample
  Index least_added = 2, most_added = 12;  ///< rows added at a time, at most
  Index small_cone = 10;  ///< cones of up to so many rows (matrices of order 4) are added as if they were one row,
  double numbers_of_row = 1.5;  ///< larger ones count as one row for so many of theirs
  double small_share = 0.005;
  double keep_share = 0.5;  ///< working rows below -share * worst without a multiplier are dropped,
  Index patient_rounds =
      8;  ///< the share doubling with every round after these, so that no row comes and goes for ever
  double kept_multiplier = 1e-3;  ///< relative to the largest
  double accept_share = 0.3;      ///< rows with a > -share * worst are added
  double level_share = 0.03;      ///< the middle level holds at least this share of all rows,
  Index most_level_rows = std::numeric_limits<Index>::max();  ///< and no more than these,
  Index most_looks = std::numeric_limits<Index>::max();       ///< and is looked at so often at most,
  Index level_of_cones = 50;     ///< (cones) once only, if it has fewer of them than so many times n,
  double level_growth = 1.5;     ///< and is worth a check of its own if it is this much larger than the first sample
  Index scaling_rows = 40;       ///< rows behind a change of variables, as a multiple of n
  double loose = 1e-2;           ///< accuracy of the first solve
  double far = 0.1;              ///< worst violations above this ask for loose solves,
  double accuracy_share = 0.03;  ///< to this share of the violation
  double margin = 0.5;           ///< of what is asked for: rounding and the certificate need room
  double tightening = 0.1;       ///< of the target, where the certificate of everything asks for more
  double dense_check = 0.80;     ///< above this fraction a lazy check reads everything
  double check_slack = 1e-6;     ///< rows are not read if they are proven to be below this, relative to the constants
  double finest = 1e-14;         ///< accuracies below this are lost to rounding
  Index max_rounds = 100;
};

/// How far x* can be from the point of a certificate: F(x) - F* >= mu/2 |x - x*|^2 at a feasible x. Null where the
/// point is not feasible, the bound not proven or mu = 0.
std::optional<double> solution_radius(const Certificate& certificate, double mu);

/// Drives the problem to the tolerances of the run. Leaves the last point judged. `known` (may be null) is what an
/// earlier solve learnt of the rows, and is kept up to date.
void solve_with_working_sets(Context& run, InnerPoint& point, RowKnowledge* known,
                             const WorkingSetParameters& parameters);
/// Whether the problem of the run has the rows of the holder as well, for certificates and results with a number for
/// each of them, or knows them through the holder alone: then certificates take the rows that matter (ProblemView).
enum class RowsAre { here, elsewhere };
/// The same for rows that are held anywhere. Reads are charged to run.system() by the holder.
void solve_with_working_sets(Context& run, InnerPoint& point, RowHolder& rows, RowsAre where,
                             const WorkingSetParameters& parameters);
/// The slack of the holder's checks.
double check_slack(const Problem& problem, const WorkingSetParameters& parameters);

}  // namespace pliant
