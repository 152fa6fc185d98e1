// Deterministic parallel loops.
//
// Work is cut into chunks whose number and borders depend on the problem alone; partial sums are
// combined in a fixed binary tree. The number of threads only decides who computes which chunk, so
// results are the same bytes for any thread count. BLAS and LAPACK stay serial inside a chunk.
#pragma once

#include "pliant/function_ref.hpp"
#include "pliant/types.hpp"

namespace pliant::parallel {

/// Threads used by the loops below when the calling thread runs them (default: all cores, or OMP_NUM_THREADS).
int threads();
void set_threads(int count);

/// Restores the previous thread count at the end of a scope.
class ThreadScope {
 public:
  explicit ThreadScope(int count);  ///< 0 leaves the count alone
  ~ThreadScope();
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int previous_;
};

/// How [0, total) is cut: `count` chunks of equal size up to one.
struct Chunks {
  Index total = 0;
  Index count = 1;
  bool worth_threads = true;  ///< false: so little work that one thread is faster
  Index begin(Index chunk) const { return chunk * total / count; }
  Index end(Index chunk) const { return (chunk + 1) * total / count; }
};

/// At most `max_chunks` chunks for work that reads `bytes_total` bytes.
Chunks make_chunks(Index total, Index bytes_total, Index max_chunks);

/// f(chunk, begin, end) for every chunk. The first exception is rethrown after the loop; Stopped (stop.hpp) is one.
using ChunkFunction = FunctionRef<void(Index chunk, Index begin, Index end)>;
void for_chunks(const Chunks& chunks, ChunkFunction f);

/// f(chunk, begin, end, partial) adds into a zeroed partial vector of `dim` numbers; out += sum.
using ReduceFunction = FunctionRef<void(Index chunk, Index begin, Index end, double* partial)>;
void reduce_chunks(const Chunks& chunks, Index dim, ReduceFunction f, double* out);

/// Scratch memory of the calling thread: grows when needed, never shrinks. Each slot is one buffer.
enum class Scratch { kernel, values, weights, block, count };
double* scratch(Scratch slot, Index size);

}  // namespace pliant::parallel
