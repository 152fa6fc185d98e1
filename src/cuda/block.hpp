// One block of threads, on a device or imitated by a loop on the host: the same kernels run on both.
//
// A kernel is an object with operator()(Block&). Its phases are functions of the number of a thread, with a barrier after
// each; what threads tell each other goes through shared memory, or through `Lanes`, some neighbours that add numbers in a
// fixed tree. Both ways compute the same bytes.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#ifdef __CUDACC__
#define PLIANT_HD __host__ __device__ __forceinline__
#define PLIANT_UNROLL _Pragma("unroll")
#else
#define PLIANT_HD inline
#define PLIANT_UNROLL
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
  /// totals[k] = sum over the lanes of part(lane)[k], the same bytes on every lane.
  template <int kNumbers, class Part>
  __device__ __forceinline__ void sum(const Part& part, double (&totals)[kNumbers]) const {
    part(lane(), totals);
    PLIANT_UNROLL
    for (int reach = kLanes / 2; reach > 0; reach /= 2) {
      PLIANT_UNROLL
      for (int k = 0; k < kNumbers; ++k) totals[k] += __shfl_xor_sync(0xffffffffU, totals[k], reach);
    }
  }
  template <class F>
  __device__ __forceinline__ void each(const F& f) const {
    f(lane());
  }

 private:
  __device__ __forceinline__ int lane() const { return static_cast<int>(threadIdx.x) % kLanes; }
};

extern __shared__ __align__(16) unsigned char block_memory[];

class DeviceBlock {
 public:
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
};

#endif

template <int kLanes>
class HostLanes {
 public:
  template <int kNumbers, class Part>
  void sum(const Part& part, double (&totals)[kNumbers]) const {
    double parts[kLanes][kNumbers];
    for (int lane = 0; lane < kLanes; ++lane) part(lane, parts[lane]);
    for (int reach = kLanes / 2; reach > 0; reach /= 2) {
      for (int lane = 0; lane < reach; ++lane) {  // the others compute the same sums with their terms exchanged
        for (int k = 0; k < kNumbers; ++k) parts[lane][k] += parts[lane + reach][k];
      }
    }
    for (int k = 0; k < kNumbers; ++k) totals[k] = parts[0][k];
  }
  template <class F>
  void each(const F& f) const {
    for (int lane = 0; lane < kLanes; ++lane) f(lane);
  }
};

class HostBlock {
 public:
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

 private:
  int64_t index_, count_;
  unsigned char* shared_;
};

}  // namespace pliant::cuda
