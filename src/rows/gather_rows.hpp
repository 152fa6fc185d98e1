// Rows of batches copied side by side into a batch of their own.
//
// A few rows spread over much memory, over a file or over several holders become one local batch. Operations on a list
// of its rows compute the same bytes as on the list of the rows it was copied from.
#pragma once

#include "pliant/problem.hpp"

#include <span>
#include <vector>

namespace pliant {

/// Some rows of a batch, ascending and distinct (whole groups where rows come in groups).
struct RowPiece {
  BatchPtr batch;
  std::vector<Index> rows;
};

/// Whether rows of this family can be copied: those of user functions cannot.
bool copyable(const ConstraintBatch& batch);

/// One batch of the rows of all pieces, in this order; pieces are of one family and shape. Throws InputError where the
/// family is not copyable.
BatchPtr join_rows(std::span<const RowPiece> pieces);

/// The listed rows of a matrix, ascending, copied.
DataMatrix copy_rows(const DataMatrix& all, const std::vector<Index>& rows);

}  // namespace pliant
