// Files that HDF5 reads: they need a name and a descriptor, but no disk.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace pliant::fuzz {

/// The name of a file with these bytes, until the next call.
const std::filesystem::path& memory_file(const std::uint8_t* data, std::size_t size);

}  // namespace pliant::fuzz
