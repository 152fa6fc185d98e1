// The contract of the two forms of the softplus path: the problem restricted to selected rows, solved to a given
// accuracy. Working sets (working_set.hpp) drive either.
#pragma once

#include "pliant/function_ref.hpp"
#include "rows/row_selection.hpp"

namespace pliant {

struct PriceBudget;

/// The working rows with what was measured of them at x, in one read.
struct WorkingRows {
  RowSelection& rows;
  const Vector& values;
  const Vector& norms;       ///< |grad a_i(x)|
  const Vector& smoothness;  ///< upper bounds of L_i, perhaps infinite
  /// The largest multipliers of soft rows, infinite for hard ones; null: all are hard.
  const Vector* caps = nullptr;
  /// Of soft rows, where x is known to be the solution with kinks smoothed over these widths: the path begins there.
  const Vector* widths = nullptr;
  /// Caps are those of a unit of the multiplier of this budget; null: caps are caps.
  PriceBudget* budget = nullptr;
  /// The answer is to find more rows by: no certificate is asked for. Forms may take that as they like.
  bool loose = false;
};

class PathForm {
 public:
  virtual ~PathForm() = default;

  /// Solves on the working rows, from x, to relative accuracy eps. `stop` is asked after every Newton step.
  /// Returns false if it was told to stop or got stuck short of eps; x is the best it has either way.
  virtual bool solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) = 0;

  /// Multipliers of the working rows in original units, and their values at x, after solve().
  const Vector& multipliers() const { return row_multipliers_; }
  const Vector& values() const { return row_values_; }
  /// Multipliers of the equalities of the model.
  const Vector& equality_multipliers() const { return equality_multipliers_; }
  /// Multipliers of the working rows that are eigenvalues, as points of the dual cones (RowSelection).
  const Vector& dual_points() const { return dual_points_; }

  /// A penalty every row has at least, in original units, and the delta reached.
  virtual double xi() const = 0;
  virtual double delta() const = 0;
  /// Distance from their boundary up to which rows without a multiplier still shaped the last solution.
  virtual double reach() const { return 0.0; }
  /// xi grew out of all proportion: some constraint stays violated.
  virtual bool exhausted() const = 0;
  Index steps() const { return steps_; }

 protected:
  Vector row_multipliers_, row_values_, equality_multipliers_, dual_points_;
  Index steps_ = 0;
};

}  // namespace pliant
