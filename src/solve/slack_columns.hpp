// Columns that are no more than the price of a row: soft rows written as a linear program.
//
// Modelling tools and files write c max(0, a(x)) as the cost c t of a variable t >= 0 with a row a(x) - t <= 0, c |a(x)|
// as c t with a(x) <= t and -a(x) <= t, and the two parts of a residual as y - a(x) = u - v with u, v >= 0. At a solution
// such a column is the largest of what its rows and its bound ask for, whatever the other variables are:
//
//   floor   one row  a - alpha t <= h,  t >= floor:      t = max(floor, (a - h) / alpha)
//   pair    two rows a - alpha t <= h,  b - beta t <= k: t = max((a - h) / alpha, (b - k) / beta)
//   parts   an equality a + alpha u - beta v = y:        u = max(0, y - a) / alpha,  v = max(0, a - y) / beta
//   tube    both a floor and two rows whose a / alpha and b / beta are opposite, and never both above the floor:
//           t = floor + max(0, (a - h) / alpha - floor) + max(0, (b - k) / beta - floor)
//
// A tube, c max(0, |r| - eps), often comes in two steps: |r| <= u for a variable u that costs nothing and stands in one
// more row, gamma u - alpha t <= g. Its smallest value, |r|, is as good as any, and it goes with t.
//
// Nothing else may depend on them: no curvature, no upper bound, no other row. But for one: where many of them stand in
// one row with positive coefficients (a limit of a conditional value at risk, of a sum of absolute values), this is their
// budget, and its multiplier theta is a cost theta w for each.
#pragma once

#include "pliant/problem.hpp"

#include <vector>

namespace pliant {

/// One constraint of one batch.
struct RowOfBatch {
  Index batch = -1, constraint = -1;
};

struct SlackColumn {
  enum class Kind { floor, pair, parts, tube };
  Kind kind = Kind::floor;
  Index column = -1;         ///< t, or u
  double cost = 0.0;         ///< of it
  double share = 0.0;        ///< its coefficient w in the budget, >= 0
  RowOfBatch row;            ///< the one with a; of parts: constraint is the row of E
  double coefficient = 0.0;  ///< alpha > 0
  double floor = 0.0;
  bool bound_is_floor = false;                       ///< the bound of t, not a row
  RowOfBatch floor_row;                              ///< a row -delta t <= d of t alone; batch -1: none
  double floor_coefficient = 0.0;                    ///< delta
  RowOfBatch other_row;                              ///< the one with b; batch -1: none
  Index other_column = -1;                           ///< v, or u of a tube; -1: none
  double other_cost = 0.0, other_coefficient = 0.0;  ///< of v; beta
  RowOfBatch link;                                   ///< of a tube with u: gamma u - alpha t <= g; batch -1: none
  double link_coefficient = 0.0;                     ///< alpha there
  double link_factor = 1.0, link_constant = 0.0;     ///< gamma / alpha, g / alpha; without u: t is u itself
};

/// Why no such columns are looked for, in words; empty if they are.
const char* slack_columns_obstacle(const Problem& problem);

/// The columns of a problem, ascending; no row belongs to two of them.
struct SlackColumns {
  std::vector<SlackColumn> columns;
  RowOfBatch budget;  ///< batch -1: none
};
/// Of a problem that has no obstacle. None where there cannot be `least`: that is seen without a look at the rows. A
/// budget is shared by at least half as many.
SlackColumns find_slack_columns(const Problem& problem, Index least);

/// The linear and quadratic terms of a problem that has no obstacle: sum of c'x + constants, and the forms with weights.
struct QuadraticParts {
  Vector cost;
  double constant = 0.0;
  struct Form {
    const DataMatrix* P;
    double weight;
  };
  std::vector<Form> forms;
};
QuadraticParts quadratic_parts(const Problem& problem);

}  // namespace pliant
