// Positions in standard containers, whose sizes are unsigned where ours are not.
#pragma once

#include "pliant/types.hpp"

#include <cstddef>

namespace pliant::io {

inline std::size_t at(Index i) { return static_cast<std::size_t>(i); }

}  // namespace pliant::io
