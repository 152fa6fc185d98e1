// Reductions of a standard form that need no arithmetic worth the name: empty, free, singleton, redundant and duplicate
// rows, fixed variables and variables that appear nowhere. Duals of what was removed are restored exactly.
//
// Bounds of variables have no duals of their own here: what of the Lagrangian's gradient remains at a bound is one.
// So only rows that became bounds (singletons) and rows that were merged into others (duplicates) need restoring, in
// the reverse order of the reductions.
#pragma once

#include "engines/interior/standard_form.hpp"

#include <initializer_list>
#include <utility>
#include <vector>

namespace pliant {

class Presolve {
 public:
  enum class Level { rows_without_sides, full };

  /// `form` must outlive the object.
  Presolve(const StandardForm& form, Level level);

  /// The reductions met a contradiction: the form is infeasible. Then nothing else of this object counts.
  bool contradiction() const { return contradiction_; }
  /// Duals of the rows that the contradiction follows from; they prove it if rounding does not stand against them.
  Vector contradicting_duals() const;
  const StandardForm& reduced() const { return reduced_; }
  Index removed_rows() const { return form_.rows() - reduced_.rows(); }
  Index removed_variables() const { return form_.variables() - reduced_.variables(); }

  Vector restore_x(const Vector& x) const;
  /// Duals of all rows from those of the reduced form at x (restored). Proofs of infeasibility, which know no
  /// objective, pass false.
  Vector restore_y(const Vector& x, const Vector& y, bool with_objective) const;

 private:
  struct Event {
    Index row;
    Index other;   // the column of a singleton, or the row a duplicate was merged into
    double ratio;  // its coefficient, or row = ratio * other
    bool singleton;
    bool took_upper = false, took_lower = false;
  };

  bool reduce_rows();
  bool reduce_row(Index i);
  bool tighten(Index row, Index column, double coefficient, double lo, double hi);
  bool fix_variables();
  void settle_lonely_variables();
  bool merge_duplicates();
  bool merge(Index kept, Index dropped, double ratio);
  bool contradict(std::initializer_list<std::pair<Index, double>> rows);
  bool contradict_bounds(Index j);
  void undo(const Vector& Px, bool with_objective, Vector& y) const;
  void build();
  double gradient(Index column, const Vector& Px, const Vector& y, bool with_objective) const;

  const StandardForm& form_;
  RowMatrix rows_;
  Vector lo_, hi_, lower_, upper_;
  std::vector<char> row_alive_, column_alive_;
  std::vector<Index> lower_owner_, upper_owner_;  // rows behind the present bounds, or -1
  Vector fixed_;
  std::vector<Event> events_;
  bool contradiction_ = false;
  Vector contradicting_;
  StandardForm reduced_;
  std::vector<Index> kept_rows_, kept_columns_;
};

}  // namespace pliant
