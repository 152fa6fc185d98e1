// Products of dense rows with a vector at the speed of memory: what a check of millions of rows consists of.
#pragma once

#include "pliant/rows.hpp"

namespace pliant {

/// out_k = row_k . x for rows of n numbers that lie one after the other at `data`; squares_k = |row_k|^2 in the same read
/// unless it is null. A row gives the same numbers alone, in a list or in a range.
void row_products(const double* data, Index n, Rows rows, const double* x, double* out, double* squares = nullptr);

}  // namespace pliant
