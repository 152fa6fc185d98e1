// How large dense matrices over the variables may become.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

/// n x n matrices beyond this (and the partial sums of them) are left to methods without factorisations.
inline constexpr Index kLargestDense = 2000;

}  // namespace pliant
