// One block of threads, on a device or imitated by a loop on the host: the same kernels run on both.
//
// A kernel is an object with operator()(Block&). Its phases are functions of the number of a thread, with a barrier after
// each; what threads tell each other goes through shared memory, or through `Lanes`, some neighbours that add numbers in a
// fixed tree. Both ways compute the same bytes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#ifdef __CUDACC__
#include <cuda_pipeline.h>

#define PLIANT_HD __host__ __device__ __forceinline__
#define PLIANT_UNROLL _Pragma("unroll")
#define PLIANT_PRAGMA(text) _Pragma(#text)
#define PLIANT_UNROLL_BY(times) PLIANT_PRAGMA(unroll times)
#else
#define PLIANT_HD inline
#define PLIANT_UNROLL
#define PLIANT_UNROLL_BY(times)
#endif

namespace pliant::cuda {

constexpr int kThreads = 256;  // of a block

// As numbers of their own: code for a device may read these, but not call functions of the standard library.
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr double kLargestNumber = std::numeric_limits<double>::max();
constexpr int64_t kNoRow = std::numeric_limits<int64_t>::max();

#ifdef __CUDACC__

template <int kLanes>
class DeviceLanes {
 public:
  /// finish(k, totals, prepare(k)) for k < kRows, totals[s] = sum over the lanes of part(lane)[s][k]. Each row is prepared
  /// and finished by one lane: half of the rows change hands in every step, so that the last step adds one number of each
  /// sum.
  template <int kRows, int kSums, class Prepare, class Part, class Finish>
  __device__ __forceinline__ void sum_rows(const Prepare& prepare, const Part& part, const Finish& finish) const {
    static_assert(kRows <= kLanes);
    constexpr int kShare = kLanes / kRows;
    const auto prepared = prepare(lane() / kShare);
    double parts[kSums][kRows];
    part(lane(), parts);
    double totals[kSums];
    PLIANT_UNROLL
    for (int s = 0; s < kSums; ++s) {
      int reach = kLanes / 2;
      PLIANT_UNROLL
      for (int half = kRows / 2; half > 0; half /= 2, reach /= 2) {
        const bool upper = (lane() & reach) != 0;
        PLIANT_UNROLL
        for (int k = 0; k < half; ++k) {
          const double kept = upper ? parts[s][k + half] : parts[s][k];
          const double given = upper ? parts[s][k] : parts[s][k + half];
          parts[s][k] = kept + __shfl_xor_sync(kWarp, given, reach);
        }
      }
      PLIANT_UNROLL
      for (; reach > 0; reach /= 2) parts[s][0] += __shfl_xor_sync(kWarp, parts[s][0], reach);
      totals[s] = parts[s][0];
    }
    if (lane() % kShare == 0) finish(lane() / kShare, totals, prepared);
  }
  template <class F>
  __device__ __forceinline__ void each(const F& f) const {
    f(lane());
  }
  /// The same; what any of these lanes has left in shared memory is there.
  template <class F>
  __device__ __forceinline__ void each_after(const F& f) const {
    __syncwarp();
    f(lane());
  }

 private:
  static constexpr unsigned kWarp = 0xffffffffU;
  __device__ __forceinline__ int lane() const { return static_cast<int>(threadIdx.x) % kLanes; }
};

extern __shared__ __align__(16) unsigned char block_memory[];

class DeviceBlock {
 public:
  /// What a thread keeps to itself from one phase to the next.
  template <class State>
  class PerThread {
   public:
    __device__ __forceinline__ State& operator[](int) { return state_; }

   private:
    State state_;
  };

  __device__ __forceinline__ int64_t index() const { return blockIdx.x; }
  __device__ __forceinline__ int64_t count() const { return gridDim.x; }
  __device__ __forceinline__ unsigned char* shared() const { return block_memory; }
  template <class F>
  __device__ __forceinline__ void for_threads(const F& f) const {
    f(static_cast<int>(threadIdx.x));
    __syncthreads();
  }
  /// f(group, lanes) for groups of kLanes threads; groups must run the same number of sums.
  template <int kLanes, class F>
  __device__ __forceinline__ void for_groups(const F& f) const {
    f(static_cast<int>(threadIdx.x) / kLanes, DeviceLanes<kLanes>());
    __syncthreads();
  }
  /// Begins to copy numbers into shared memory, both ends at multiples of kCopy bytes; end_copy() closes what was begun, and
  /// await_copies<kLater>() waits for all but the kLater closed last.
  template <int kCopy = 16>
  __device__ __forceinline__ void begin_copy(unsigned char* to, const unsigned char* from, int bytes) const {
    const int whole = bytes / kCopy * kCopy;
    for (int at = static_cast<int>(threadIdx.x) * kCopy; at < whole; at += kThreads * kCopy) {
      __pipeline_memcpy_async(to + at, from + at, kCopy);
    }
    const int rest = whole + static_cast<int>(threadIdx.x);
    if (rest < bytes) to[rest] = from[rest];
  }
  __device__ __forceinline__ void end_copy() const { __pipeline_commit(); }
  template <int kLater>
  __device__ __forceinline__ void await_copies() const {
    __pipeline_wait_prior(kLater);
    __syncthreads();
  }
};

#endif

template <int kLanes>
class HostLanes {
 public:
  template <int kRows, int kSums, class Prepare, class Part, class Finish>
  void sum_rows(const Prepare& prepare, const Part& part, const Finish& finish) const {
    double parts[kLanes][kSums][kRows];
    for (int lane = 0; lane < kLanes; ++lane) part(lane, parts[lane]);
    for (int k = 0; k < kRows; ++k) {
      double totals[kSums];
      for (int s = 0; s < kSums; ++s) {
        for (int reach = kLanes / 2; reach > 0; reach /= 2) {
          for (int lane = 0; lane < reach; ++lane) parts[lane][s][k] += parts[lane + reach][s][k];
        }
        totals[s] = parts[0][s][k];
      }
      finish(k, totals, prepare(k));
    }
  }
  template <class F>
  void each(const F& f) const {
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  }
  template <class F>
  void each_after(const F& f) const {
    each(f);
  }
};

class HostBlock {
 public:
  template <class State>
  class PerThread {
   public:
    State& operator[](int t) { return states_[static_cast<size_t>(t)]; }

   private:
    std::vector<State> states_ = std::vector<State>(kThreads);
  };

  HostBlock(int64_t index, int64_t count, unsigned char* shared) : index_(index), count_(count), shared_(shared) {}
  int64_t index() const { return index_; }
  int64_t count() const { return count_; }
  unsigned char* shared() const { return shared_; }
  template <class F>
  void for_threads(const F& f) const {
    for (int t = 0; t < kThreads; ++t) f(t);
  }
  template <int kLanes, class F>
  void for_groups(const F& f) const {
    for (int g = 0; g < kThreads / kLanes; ++g) f(g, HostLanes<kLanes>());
  }
  template <int kCopy = 16>
  void begin_copy(unsigned char* to, const unsigned char* from, int bytes) const {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
  void end_copy() const {}
  template <int kLater>
  void await_copies() const {}

 private:
  int64_t index_, count_;
  unsigned char* shared_;
};

}  // namespace pliant::cuda
