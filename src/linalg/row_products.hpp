// Products of dense rows with a vector at the speed of memory: what a check of millions of rows consists of.
#pragma once

#include "pliant/rows.hpp"

namespace pliant {

/// out_k = row_k . x for rows of n numbers that lie one after the other at `data`; squares_k = |row_k|^2 in the same read
/// unless it is null. A row gives the same numbers alone, in a list or in a range.
void row_products(const double* data, Index n, Rows rows, const double* x, double* out, double* squares = nullptr);

/// out += sum_k w_k row_k. Rows of weight 0 are not read.
void add_weighted_rows(const double* data, Index n, Rows rows, const double* w, double* out);
/// out += sum_k w_k |row_k|, w >= 0; a product too small for a double counts as the smallest normal one, never as 0.
void add_weighted_sizes(const double* data, Index n, Rows rows, const double* w, double* out);

}  // namespace pliant
