// What rows that are held elsewhere cost, by name.
#pragma once

#include <cstdint>

namespace pliant {

/// What rows (g_i, h_i) in shards or on a device cost (soft_rows.hpp); all but the first two divide by their number.
enum class SoftLoss : std::uint8_t {
  as_held,              ///< what the shards say: they were made of soft rows
  positive_part,        ///< max(0, g'x - h)
  quantile,             ///< rho_tau(h - g'x), tau being the parameter
  absolute,             ///< |g'x - h|
  epsilon_insensitive,  ///< max(0, |g'x - h| - eps), eps being the parameter
  hinge                 ///< max(0, 1 - h g'x), h in {-1, +1}
};

}  // namespace pliant
