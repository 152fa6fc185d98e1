// How much of what a process has reserved it uses.
#pragma once

#include "pliant/types.hpp"

namespace pliant::machine {

/// Memory that the system counts as this process's data (VmData), and what is in use of it (RssAnon); 0 where it does not
/// tell.
struct DataMemory {
  Index reserved = 0, touched = 0;
};
DataMemory data_memory();

}  // namespace pliant::machine
