// Files that are read from memory: the functions of zlib that readers of text call, over one input.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pliant::fuzz {

/// What gzopen opens from now on, whatever the name.
void set_input(const std::uint8_t* data, std::size_t size);

}  // namespace pliant::fuzz
