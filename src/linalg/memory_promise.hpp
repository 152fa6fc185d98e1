// A limit of memory that the system itself keeps.
#pragma once

#include "pliant/types.hpp"

#include <optional>

namespace pliant {

/// From here on this process gets `bytes` of memory of its own and no more: allocations beyond fail (std::bad_alloc). For
/// programs, not for libraries: it holds for everything the process does. Mapped files do not count. Where the system has
/// no such limit, nothing happens.
void promise_memory(Index bytes);
/// What was promised, if anything.
std::optional<Index> promised_memory();

}  // namespace pliant
