// Files that HDF5 reads, from memory: they need a name, but no disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace pliant::fuzz {

/// The name of a file with these bytes for readers of HDF5, until the next call; the bytes must live as long.
const std::filesystem::path& memory_file(const std::uint8_t* data, std::size_t size);

}  // namespace pliant::fuzz
