// Sums of outer products of many dense rows, for wide matrices: the threads share out the result, tile by tile, so that
// none of them needs a partial sum of the whole.
#pragma once

#include "pliant/types.hpp"

#include <span>

namespace pliant {

/// Lower triangle of H += sum_k w_k g_k g_k' with g_k = the n numbers at row[k] and w_k >= 0.
void add_weighted_gram(std::span<const double* const> rows, ConstVectorRef w, MatrixRef H);

}  // namespace pliant
