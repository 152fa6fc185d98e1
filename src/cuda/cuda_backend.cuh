// Memory and launches on a card.
#pragma once

#include "cuda/block.hpp"

#include <cuda_runtime.h>

#include <cstring>
#include <stdexcept>
#include <string>

namespace pliant::cuda {

template <class Kernel>
__global__ void __launch_bounds__(kThreads) run_kernel(const __grid_constant__ Kernel kernel) {
  kernel(DeviceBlock());
}

/// One stream of one card. Every function makes the card current: objects of several cards may live in one process.
class CudaBackend {
 public:
  explicit CudaBackend(int32_t device) : device_(device) {
    int count = 0;
    expect(cudaGetDeviceCount(&count), "no CUDA device can be used");
    if (device < 0 || device >= count) {
      throw std::runtime_error("cuda:" + std::to_string(device) + ": no such device, there are " +
                               std::to_string(count));
    }
    use();
    expect(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
    expect(cudaMallocHost(&pinned_, 2 * kPinned), "pinning memory");
    for (cudaEvent_t* event : {&copied_[0], &copied_[1], &arrived_[0], &arrived_[1], &begin_, &end_})
      expect(cudaEventCreate(event), "making an event");
    int processors = 0;
    expect(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device_), "counting multiprocessors");
    processors_ = processors;
  }
  ~CudaBackend() {
    cudaSetDevice(device_);
    for (cudaEvent_t event : {copied_[0], copied_[1], arrived_[0], arrived_[1], begin_, end_}) {
      if (event != nullptr) cudaEventDestroy(event);
    }
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
    if (pinned_ != nullptr) cudaFreeHost(pinned_);
  }
  CudaBackend(const CudaBackend&) = delete;
  CudaBackend& operator=(const CudaBackend&) = delete;

  void* allocate(size_t bytes) {
    use();
    void* out = nullptr;
    const cudaError_t code = cudaMalloc(&out, bytes);
    if (code == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      size_t free = 0, total = 0;
      cudaMemGetInfo(&free, &total);
      throw std::runtime_error("cuda:" + std::to_string(device_) + ": out of memory: " + std::to_string(bytes) +
                               " bytes wanted, " + std::to_string(free) + " of " + std::to_string(total) + " free");
    }
    expect(code, "allocating");
    return out;
  }
  void release(void* data) {
    if (data == nullptr) return;
    cudaSetDevice(device_);
    cudaFree(data);
  }
  void to_device(void* to, const void* from, size_t bytes) {
    if (bytes == 0) return;
    use();
    if (bytes > kPinned) return stream_to_device(to, from, bytes);
    // The first half of the pinned memory is free again once its latest copy is through.
    expect(cudaEventSynchronize(copied_[0]), "waiting for a copy");
    std::memcpy(pinned_, from, bytes);
    expect(cudaMemcpyAsync(to, pinned_, bytes, cudaMemcpyHostToDevice, stream_), "copying to the device");
    expect(cudaEventRecord(copied_[0], stream_), "copying to the device");
  }
  /// In pieces through pinned memory, one filled while the other travels.
  void stream_to_device(void* to, const void* from, size_t bytes) {
    use();
    size_t done = 0;
    for (int half = 0; done < bytes; half = 1 - half) {
      const size_t piece = bytes - done < kPinned ? bytes - done : kPinned;
      auto* const place = static_cast<unsigned char*>(pinned_) + static_cast<size_t>(half) * kPinned;
      expect(cudaEventSynchronize(copied_[half]), "waiting for a copy");
      std::memcpy(place, static_cast<const unsigned char*>(from) + done, piece);
      expect(cudaMemcpyAsync(static_cast<unsigned char*>(to) + done, place, piece, cudaMemcpyHostToDevice, stream_),
             "copying to the device");
      expect(cudaEventRecord(copied_[half], stream_), "copying to the device");
      done += piece;
    }
  }
  /// In pieces through the second half of the pinned memory, one taken out while the next one travels.
  void to_host(void* to, const void* from, size_t bytes) {
    if (bytes == 0) return;
    use();
    const size_t pieces = (bytes + kTaken - 1) / kTaken;
    const auto place = [&](size_t k) { return static_cast<unsigned char*>(pinned_) + kPinned + k % 2 * kTaken; };
    const auto size = [&](size_t k) { return k + 1 < pieces ? kTaken : bytes - k * kTaken; };
    const auto send = [&](size_t k) {
      const auto* const source = static_cast<const unsigned char*>(from) + k * kTaken;
      expect(cudaMemcpyAsync(place(k), source, size(k), cudaMemcpyDeviceToHost, stream_), "copying from the device");
      expect(cudaEventRecord(arrived_[k % 2], stream_), "copying from the device");
    };
    send(0);
    for (size_t k = 0; k < pieces; ++k) {
      if (k + 1 < pieces) send(k + 1);
      expect(cudaEventSynchronize(arrived_[k % 2]), "waiting for the device");
      std::memcpy(static_cast<unsigned char*>(to) + k * kTaken, place(k), size(k));
    }
  }
  void fill_bytes(void* to, int byte, size_t bytes) {
    use();
    expect(cudaMemsetAsync(to, byte, bytes, stream_), "filling memory");
  }
  void await(void* stream) {
    use();
    expect(cudaEventRecord(begin_, static_cast<cudaStream_t>(stream)), "waiting for a stream");
    expect(cudaStreamWaitEvent(stream_, begin_), "waiting for a stream");
  }
  void expect_reachable(const void* data) {
    use();
    cudaPointerAttributes attributes{};
    expect(cudaPointerGetAttributes(&attributes, data), "looking at a pointer");
    if (attributes.devicePointer == nullptr ||
        (attributes.type == cudaMemoryTypeDevice && attributes.device != device_)) {
      throw std::runtime_error("cuda:" + std::to_string(device_) + ": the numbers do not lie on this device");
    }
  }

  template <class Kernel>
  int64_t blocks_at_once(const Kernel&, size_t shared_bytes) {
    use();
    allow_shared<Kernel>(shared_bytes);
    int blocks = 0;
    expect(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, run_kernel<Kernel>, kThreads, shared_bytes),
           "planning a launch");
    return static_cast<int64_t>(blocks) * processors_;
  }
  template <class Kernel>
  void launch(const Kernel& kernel, int64_t blocks, size_t shared_bytes) {
    use();
    allow_shared<Kernel>(shared_bytes);
    run_kernel<Kernel><<<static_cast<unsigned>(blocks), kThreads, shared_bytes, stream_>>>(kernel);
    expect(cudaGetLastError(), "launching a kernel");
  }

  void begin_timing() {
    use();
    expect(cudaEventRecord(begin_, stream_), "timing");
  }
  void end_timing() {
    use();
    expect(cudaEventRecord(end_, stream_), "timing");
    expect(cudaEventSynchronize(end_), "timing");
    float milliseconds = 0.0F;
    expect(cudaEventElapsedTime(&milliseconds, begin_, end_), "timing");
    seconds_ += 1e-3 * static_cast<double>(milliseconds);
    ++reads_;
  }
  void timing(double& seconds, int64_t& reads) const {
    seconds = seconds_;
    reads = reads_;
  }

 private:
  static constexpr size_t kPinned = size_t{8} << 20;        // long enough to hide the latency of a copy
  static constexpr size_t kTaken = kPinned / 2;             // of each piece on its way back
  static constexpr size_t kPlainShared = size_t{48} << 10;  // what a block gets without asking

  void use() { expect(cudaSetDevice(device_), "choosing the device"); }
  void expect(cudaError_t code, const char* what) const {
    if (code == cudaSuccess) return;
    throw std::runtime_error("cuda:" + std::to_string(device_) + ": " + what + ": " + cudaGetErrorString(code));
  }
  template <class Kernel>
  void allow_shared(size_t bytes) {
    if (bytes <= kPlainShared) return;
    expect(
        cudaFuncSetAttribute(run_kernel<Kernel>, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
        "asking for shared memory");
  }

  int32_t device_;
  int64_t processors_ = 0;
  cudaStream_t stream_ = nullptr;
  void* pinned_ = nullptr;
  cudaEvent_t copied_[2] = {}, arrived_[2] = {}, begin_ = nullptr, end_ = nullptr;
  double seconds_ = 0.0;
  int64_t reads_ = 0;
};

}  // namespace pliant::cuda
