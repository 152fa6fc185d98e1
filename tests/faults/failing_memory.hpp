// Memory that runs out: from the k-th allocation on, or at it alone.
//
// The linker sends every malloc, calloc, realloc and aligned allocation of this binary, the library's code included (it is
// linked in as an archive), and every operator new here.
#pragma once

namespace pliant::testing {

enum class Shortage { once, lasting };

/// While it lives, allocation number `at` (from 1) of all threads fails; `lasting`: those after it, too. 0: none.
class FailingMemory {
 public:
  FailingMemory(long at, Shortage shortage);
  ~FailingMemory();
  FailingMemory(const FailingMemory&) = delete;
  FailingMemory& operator=(const FailingMemory&) = delete;

  /// Allocations that were asked for so far.
  static long asked();
};

/// Blocks that were allocated here and not freed.
long live_blocks();

}  // namespace pliant::testing
