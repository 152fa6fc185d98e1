// Some rows of a problem as a problem of its own: what methods work on once the other rows are known not to matter.
#pragma once

#include "pliant/problem.hpp"

#include <vector>

namespace pliant {

/// The listed rows of a batch, ascending and distinct. Linear rows are copied side by side (stochastic methods know
/// linear batches, and a few rows spread over much memory are slow to read); other families are read where they are.
BatchPtr row_subset(const BatchPtr& batch, std::vector<Index> rows);

/// The same problem with fewer inequalities: `rows` counts through the batches in their order, as ConstraintSystem
/// does. Batches keep their places, even without rows.
Problem restrict_rows(const Problem& problem, const std::vector<Index>& rows);

}  // namespace pliant
