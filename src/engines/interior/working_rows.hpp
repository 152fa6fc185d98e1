// Rows that interior steps carry. Where most inequality rows have slack at the solution (capacities that few flows fill), each
// of them still ties its variables together in every factorisation. So the steps begin with the equalities alone; the other
// rows are looked at between steps, and join when the iterate comes near them or beyond.
//
// A solution of the part that keeps the rows left out is one of the whole, with multipliers 0 for these.
#pragma once

#include "engines/interior/standard_form.hpp"

#include <vector>

namespace pliant {

/// Whether every choice of rows leaves the objective bounded below: each cost is held by a bound of its variable. False
/// without an objective, where rows are all there is.
bool bounded_without_rows(const StandardForm& form);

class WorkingRows {
 public:
  /// With the equalities of `whole`, which must outlive the object.
  explicit WorkingRows(const StandardForm& whole);

  const StandardForm& part() const { return part_; }
  Index left_out() const { return whole_.rows() - part_.rows(); }
  /// Rows that the part has beside the equalities.
  Index joined() const { return part_.rows() - equalities_; }
  /// Duals of all rows from those of the part.
  Vector whole_duals(const Vector& y) const;
  /// By how much x violates each of all rows.
  Vector violations(const Vector& x) const;
  /// If x violates rows left out, these join, and with them all whose sides x could reach if its entries changed by
  /// this share of themselves. False: it violates none.
  bool join(const Vector& x, double reach);
  /// The rows of the part, and where some of them stand in it.
  const std::vector<Index>& kept() const { return kept_; }
  std::vector<Index> places(const std::vector<Index>& rows) const;

 private:
  void build();

  const StandardForm& whole_;
  RowMatrix rows_;
  std::vector<char> taken_;
  Index equalities_ = 0;
  std::vector<Index> kept_;
  StandardForm part_;
};

}  // namespace pliant
