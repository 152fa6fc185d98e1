// Memory that runs out: from the k-th allocation on, or at it alone.
//
// malloc and its kin are defined here and stand before those of the C library or the sanitizers, so that every allocation of the
// process is counted and may fail: those of the library, of exceptions, and of MUMPS, LAPACK, zlib and whatever else it
// calls. Spared are libraries that do not survive it (failing_memory.cpp).
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

/// Blocks that were allocated and not freed.
long live_blocks();

}  // namespace pliant::testing
