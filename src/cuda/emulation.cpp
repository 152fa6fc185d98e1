// libpliant_cuda_emulation.so: the table of pliant_cuda.h without a card, for tests.
#pragma GCC diagnostic ignored "-Wsign-conversion"  // GCC 12 on bounds of arrays that are parameters of templates
#include "cuda/host_backend.hpp"
#include "cuda/table.hpp"

namespace {

using Table = pliant::cuda::Table<pliant::cuda::HostBackend>;

int count_devices(int32_t* count) {
  *count = 1;
  return 0;
}

int describe_device(int32_t, char* name, int32_t capacity, int64_t* free_bytes, int64_t* total_bytes) {
  std::strncpy(name, "imitated", static_cast<size_t>(capacity) - 1);
  name[capacity - 1] = '\0';
  *free_bytes = *total_bytes = 0;
  return 0;
}

}  // namespace

extern "C" const pliant_cuda_api* pliant_cuda_table(void) {
  static const pliant_cuda_api api = Table::make(count_devices, describe_device);
  return &api;
}
