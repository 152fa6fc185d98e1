// What the studies of the paper's bounds run over.
#pragma once

#include <array>
#include <limits>

namespace pliant::testing {

inline constexpr double kEps = std::numeric_limits<double>::epsilon();
/// Ratio of the largest to the smallest norm of a row.
inline constexpr std::array kSpreads = {1.0, 30.0, 1000.0};
inline constexpr std::array kDeltas = {1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};

}  // namespace pliant::testing
