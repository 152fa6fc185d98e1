// Memory and launches without a card: kernels run block after block, so that their indices and sums can be tested anywhere.
#pragma once

#include "cuda/block.hpp"

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace pliant::cuda {

class HostBackend {
 public:
  explicit HostBackend(int32_t device) {
    if (device != 0) throw std::runtime_error("cuda:" + std::to_string(device) + ": the imitated device is number 0");
  }

  void* allocate(size_t bytes) {
    void* const out = std::malloc(bytes);
    if (out == nullptr) throw std::runtime_error("the imitated device is out of memory");
    std::memset(out, 0xa5, bytes);  // so that nothing rests on zeros nobody wrote
    return out;
  }
  void release(void* data) { std::free(data); }
  void to_device(void* to, const void* from, size_t bytes) {
    if (bytes > 0) std::memcpy(to, from, bytes);
  }
  void stream_to_device(void* to, const void* from, size_t bytes) { to_device(to, from, bytes); }
  void to_host(void* to, const void* from, size_t bytes) { to_device(to, from, bytes); }
  void fill_bytes(void* to, int byte, size_t bytes) { std::memset(to, byte, bytes); }
  void expect_reachable(const void*) {}
  void await(void*) {}

  /// Few, so that every block has several turns.
  template <class Kernel>
  int64_t blocks_at_once(const Kernel&, size_t) {
    return 3;
  }
  template <class Kernel>
  void launch(const Kernel& kernel, int64_t blocks, size_t shared_bytes) {
    std::vector<double> shared(shared_bytes / sizeof(double) + 1);
    for (int64_t b = 0; b < blocks; ++b) {
      kernel(HostBlock(b, blocks, reinterpret_cast<unsigned char*>(shared.data())));
    }
  }

  void begin_timing() { ++reads_; }
  void end_timing() {}
  void timing(double& seconds, int64_t& reads) const {
    seconds = 0.0;
    reads = reads_;
  }

 private:
  int64_t reads_ = 0;
};

}  // namespace pliant::cuda
