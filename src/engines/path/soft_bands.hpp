// Few passes over soft rows: only those near a kink are uncertain.
//
// A row that stays between kinks is a linear function of x. So all rows are read once at a good point, those far from a
// kink are frozen to the slope they have there (their gradients are summed in the same read), and the elastic Newton
// method solves for the band of rows near a kink. Then the frozen rows are checked: most need not be read again, because
// x has not moved as far as their distance from a kink. A row that is on another side after all costs the certificate what
// it is off; rows that cost too much join the band. Levels of samples give the good point, and kinks that are smoothed, less
// and less (smoothed_newton.hpp), the way from there: the elastic method is left with a few rows for each variable.
//
// The rows are seen through one contract (rows/soft_mass.hpp). Where they are held elsewhere, those near a kink come here at
// once, all of the above happens on them alone, and the others are checked when that has come to an end.
#pragma once

#include "engines/path/elastic_border.hpp"
#include "penalty/inner_point.hpp"
#include "pliant/function_ref.hpp"
#include "rows/soft_mass.hpp"
#include "run/context.hpp"

#include <string>

namespace pliant {

struct BandParameters {
  Index first_sample = 15;      ///< rows of the first sample, times n,
  double most_growth = 12.0;    ///< of each next one, times the one before, until it is all rows,
  double least_growth = 3.0;    ///< or less, but not below this,
  double widest = 0.4;          ///< where the band would be more than this share of all rows
  double sampling_error = 4.0;  ///< squared deviations up to this many times what sampling explains are due to it
  double width = 3.0;           ///< a band has width sqrt(n rows rows/sample) rows after a sample: where that is wrong,
  double spread = 4.0;          ///< or, once two samples have shown it, all within so many times what x is off by,
  Index most_sharpened = 4;     ///< samples of rows near a kink of a mass elsewhere, one after the other
  Index least_side = 10;     ///< with so many rows, times n, on the rarer side of their kinks in the first of the two,
  Index least_band = 20;     ///< but at least so many times n
  double kinks = 6.0;        ///< a band is so many times as wide, on each side, as its smoothed kinks,
  double first_width = 0.1;  ///< of kinks where all rows lie on theirs, relative to x,
  double narrowing = 0.2;    ///< which become narrower by this factor from one solve to the next,
  double undecided = 3.0;    ///< until, in a sample, rows within so many times their width
  double blur = 1.0;         ///< are no more than this times the root of n rows: sampling is off by as much,
  double last_open = 1.5;    ///< and, of all rows, no more than this times n: so many are at a kink at the end;
  Index last_band = 4;       ///< but so many times n stay in the band
  double stalled = 0.9;      ///< or, of ties, where more than this share of them stays open from one width to the next,
  Index most_stalls = 2;     ///< so many times in a row,
  Index least_widths = 3;    ///< not counting the first ones, when kinks are wider than rows are apart;
  Index most_retries = 3;    ///< a solve of a whole level that ran out of steps goes on from where it is so often
  double wrong_share = 0.02;    ///< a sample is done with when fewer rows than this share of the band are wrong
  double widening = 2.0;        ///< of a band that does not hold the solution,
  double too_many_wrong = 0.5;  ///< because more rows than this share of it are wrong,
  Index judged = 2000;          ///< as far as so many of the rows in doubt tell
  double usual_depth = 1.2;     ///< undecided multipliers of evenly spread rows are so many widths from their kinks
  double deeper = 1.0;          ///< prices are far above multipliers where these are so many widths deeper;
  double hardly_less = 0.8;     ///< then a band that would keep more than this share of its rows is the last one
  double wrong_cost = 0.25;     ///< of the gap that a band leaves open may be due to rows frozen on the wrong side
  double margin = 0.05;         ///< of the tolerances: accuracy of the solve on the last band
  double tightening = 0.1;      ///< of it where the certificate asks for more
  double finest = 1e-14;        ///< accuracies below this are lost to rounding
  Index max_rounds = 60;        ///< of one level
  Index most_hard_rows = 20;    ///< times n: hard rows beside soft ones are all in the working set
};

/// Why bands cannot take a problem, in words; empty if they can.
std::string soft_bands_obstacle(const Problem& problem, const BandParameters& parameters = {});

/// A budget beside soft rows (elastic_border.hpp), and who judges a point: x, the multipliers of the rows of the problem and
/// of the budget. The objective of the problem is without it, its prices are those of a unit of its multiplier.
struct BandBudget {
  PriceBudget budget;
  FunctionRef<bool(const Vector& x, const Vector& multipliers, double theta)> judge;
};
/// Leaves status and message in the verdict of the run: `optimal` where the judge accepted a point.
void solve_with_budget(Context& run, InnerPoint& point, BandBudget& budget, const BandParameters& parameters = {});

/// Drives a problem with soft rows to the tolerances of the run. Leaves the last point judged.
void solve_with_bands(Context& run, InnerPoint& point, const BandParameters& parameters = {});
/// The same where the soft rows are no part of the problem of the run, but a mass of their own.
void solve_with_bands(Context& run, InnerPoint& point, SoftMass& rows, const BandParameters& parameters = {});

}  // namespace pliant
