// libpliant_cuda.so: the table of pliant_cuda.h on cards.
#include "cuda/cuda_backend.cuh"
#include "cuda/table.hpp"

namespace {

using Table = pliant::cuda::Table<pliant::cuda::CudaBackend>;

void expect(cudaError_t code) {
  if (code != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(code));
}

int count_devices(int32_t* count) {
  return Table::guarded([&] {
    int found = 0;
    expect(cudaGetDeviceCount(&found));
    *count = found;
  });
}

int describe_device(int32_t device, char* name, int32_t capacity, int64_t* free_bytes, int64_t* total_bytes) {
  return Table::guarded([&] {
    cudaDeviceProp properties{};
    expect(cudaGetDeviceProperties(&properties, device));
    std::strncpy(name, properties.name, static_cast<size_t>(capacity) - 1);
    name[capacity - 1] = '\0';
    expect(cudaSetDevice(device));
    size_t free = 0, total = 0;
    expect(cudaMemGetInfo(&free, &total));
    *free_bytes = static_cast<int64_t>(free);
    *total_bytes = static_cast<int64_t>(total);
  });
}

}  // namespace

extern "C" const pliant_cuda_api* pliant_cuda_table(void) {
  static const pliant_cuda_api api = Table::make(count_devices, describe_device);
  return &api;
}
