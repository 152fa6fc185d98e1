// Rows gathered from their holder: the few on which everything of second order happens.
//
// Either copies, a small problem of their own, or a list of rows of a system in this memory. Operations go through
// selections, whose results are the same bytes either way.
#pragma once

#include "rows/row_selection.hpp"

#include <memory>
#include <vector>

namespace pliant {

class RowBlock {
 public:
  /// Rows read where they are: `original` in the variables of the problem, `present` in those of the solve.
  RowBlock(std::vector<Index> rows, ConstraintSystem& original, ConstraintSystem& present);
  /// Copies of all of them, batch after batch, for R of RowHolder::set_coordinates (empty: none). Reads are charged to
  /// `account`.
  RowBlock(std::vector<Index> rows, std::vector<BatchPtr> copies, const Matrix& R, ConstraintSystem& account);

  RowBlock(const RowBlock&) = delete;
  RowBlock& operator=(const RowBlock&) = delete;

  Index size() const { return static_cast<Index>(rows_.size()); }
  /// Their numbers at the holder, ascending.
  const std::vector<Index>& rows() const { return rows_; }
  /// The rows in the coordinates of the solve.
  RowSelection& selection() { return *present_; }
  /// The same rows in those of the problem.
  RowSelection& original() { return original_; }

 private:
  /// A problem of rows alone, and its account.
  struct Copies {
    Copies(std::vector<BatchPtr> batches, ConstraintSystem& account);
    Problem problem;
    ConstraintSystem system;
  };

  std::vector<Index> rows_;
  std::unique_ptr<Copies> copies_, moved_copies_;  // null: in place, or no other coordinates
  RowSelection original_, moved_;
  RowSelection* present_;  // one of the two
};

/// Rank-one rows over Y with X = R'YR (constraints/rank_one.hpp): the only rows that know other coordinates.
std::vector<BatchPtr> in_coordinates(const std::vector<BatchPtr>& batches, const Matrix& R);

}  // namespace pliant
