// Parts of a file mapped into memory: the kernel reads their pages when they are touched and drops them when
// memory is short, so that arrays may be larger than memory.
#pragma once

#include "io/hdf5_handle.hpp"

#include <cstdint>
#include <memory>

namespace pliant::io {

/// Smaller arrays are always read: a mapping costs whole pages and one of the kernel's entries.
inline constexpr std::uint64_t kSmallestMapping = 1 << 20;
/// Where files written here place arrays of that size, so that they can be mapped as they are.
inline constexpr std::uint64_t kMappingAlignment = 4096;

/// Maps bytes [offset, offset + bytes) of an open file, read-only. They are unmapped when the pointer's last copy goes;
/// the descriptor may be closed before. Throws an InputError that names `place` if they are not all in the file.
std::shared_ptr<const void> map_file(int descriptor, std::uint64_t offset, std::uint64_t bytes, const Hdf5Place& place);

/// Brings mapped bytes into memory, by all threads. Advice: where the kernel does not take it, pages come when touched.
void fetch_pages(const void* begin, std::uint64_t bytes);

}  // namespace pliant::io
