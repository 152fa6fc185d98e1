#include "parallel/parallel.hpp"

#include "parallel/per_thread.hpp"
#include "parallel/stop.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <deque>
#include <exception>
#include <memory>

namespace pliant::parallel {
namespace {

// Of the thread that asks: solves that run at the same time do not see each other's. 0: not set yet.
thread_local int thread_count = 0;

// Cache-line aligned memory that grows when needed and never shrinks.
class GrowingBuffer {
 public:
  double* get(Index size) {
    if (size > capacity_) {
      const Index grown = std::max<Index>(size, 2 * capacity_);
      data_.reset(static_cast<double*>(
          ::operator new[](static_cast<std::size_t>(grown) * sizeof(double), std::align_val_t{64})));
      capacity_ = grown;  // only now: there may have been no memory
    }
    return data_.get();
  }

 private:
  struct Free {
    void operator()(double* p) const { ::operator delete[](p, std::align_val_t{64}); }
  };
  std::unique_ptr<double[], Free> data_;
  Index capacity_ = 0;
};

// A chunk is not worth its overhead below the first, a team of threads not below the second. Waking
// threads costs microseconds on an idle machine and milliseconds on a busy one.
constexpr Index kChunkBytes = 32 * 1024;
constexpr Index kThreadedBytes = 1024 * 1024;
// Sums of large vectors are put together in slices.
constexpr Index kMostSlices = 64;

// Memory for partial sums, one buffer per nesting level: a function called from a chunk (a caller's
// constraint function) may itself run a reduction.
class PartialSums {
 public:
  explicit PartialSums(Index size) : levels_(per_thread<Levels>()) {
    if (levels_.depth == levels_.buffers.size()) levels_.buffers.emplace_back();
    data_ = levels_.buffers[levels_.depth].get(size);
    ++levels_.depth;  // only now: the line above may throw
  }
  ~PartialSums() { --levels_.depth; }
  PartialSums(const PartialSums&) = delete;
  PartialSums& operator=(const PartialSums&) = delete;
  double* data() { return data_; }

 private:
  struct Levels {
    std::deque<GrowingBuffer> buffers;  // a deque keeps its elements in place
    std::size_t depth = 0;
  };
  Levels& levels_;
  double* data_;
};

struct ScratchBuffers {
  std::array<GrowingBuffer, static_cast<std::size_t>(Scratch::count)> slots;
};

// out += the sum of partial vectors 0..count-1, by a binary tree over fixed pairs: entries [begin, end) of it.
void combine_tree(double* parts, Index count, Index dim, Index begin, Index end, double* out) {
  for (Index width = 1; width < count; width *= 2) {
    for (Index left = 0; left + width < count; left += 2 * width) {
      double* a = parts + left * dim;
      const double* b = parts + (left + width) * dim;
      for (Index j = begin; j < end; ++j) a[j] += b[j];
    }
  }
  for (Index j = begin; j < end; ++j) out[j] += parts[j];
}

}  // namespace

int threads() {
  if (thread_count == 0) thread_count = omp_get_max_threads();
  return thread_count;
}

void set_threads(int count) { thread_count = std::max(1, count); }

ThreadScope::ThreadScope(int count) : previous_(threads()) {
  if (count > 0) set_threads(count);
}

ThreadScope::~ThreadScope() { set_threads(previous_); }

Chunks make_chunks(Index total, Index bytes_total, Index max_chunks) {
  const Index wanted = std::max<Index>(1, bytes_total / kChunkBytes);
  return Chunks{total, std::max<Index>(1, std::min({wanted, max_chunks, total})), bytes_total >= kThreadedBytes};
}

void for_chunks(const Chunks& chunks, ChunkFunction f) {
  if (chunks.total == 0) return;
  if (chunks.count == 1) {
    f(0, 0, chunks.total);
    return;
  }
  std::exception_ptr error;
  const StopSign* const sign = stop_sign();  // that of the thread that asks
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads()) if (chunks.worth_threads && threads() > 1)
  for (Index c = 0; c < chunks.count; ++c) {
    try {
      if (sign != nullptr && sign->raised()) throw Stopped{};
      f(c, chunks.begin(c), chunks.end(c));
    } catch (...) {  // carried across the parallel region and rethrown below
#pragma omp critical(pliant_parallel_error)
      if (!error) error = std::current_exception();
    }
  }
  if (error) std::rethrow_exception(error);
}

void reduce_chunks(const Chunks& chunks, Index dim, ReduceFunction f, double* out) {
  if (chunks.total == 0) return;
  PartialSums memory(chunks.count * dim);
  double* parts = memory.data();
  for_chunks(chunks, [&](Index c, Index begin, Index end) {
    double* part = parts + c * dim;
    std::fill_n(part, dim, 0.0);
    f(c, begin, end, part);
  });
  const Index bytes = chunks.count * dim * static_cast<Index>(sizeof(double));
  for_chunks(make_chunks(dim, bytes, kMostSlices),
             [&](Index, Index begin, Index end) { combine_tree(parts, chunks.count, dim, begin, end, out); });
}

double* scratch(Scratch slot, Index size) {
  return per_thread<ScratchBuffers>().slots[static_cast<std::size_t>(slot)].get(size);
}

}  // namespace pliant::parallel
