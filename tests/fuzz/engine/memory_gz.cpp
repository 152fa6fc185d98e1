// Reading through the system and zlib would take longer than the readers do. zlib itself has its own fuzzers.
#include "memory_gz.hpp"

#include <zlib.h>

#include <algorithm>
#include <cstring>

namespace {

const std::uint8_t* input = nullptr;
std::size_t input_size = 0;
// Readers may open the input again (MPS tries two layouts), one at a time.
std::size_t taken = 0;
gzFile_s opened{};

}  // namespace

void pliant::fuzz::set_input(const std::uint8_t* data, std::size_t size) {
  input = data;
  input_size = size;
}

extern "C" {

gzFile gzopen(const char*, const char*) {
  taken = 0;
  return &opened;
}
int gzbuffer(gzFile, unsigned) { return 0; }
int gzread(gzFile, voidp buffer, unsigned wanted) {
  const std::size_t count = std::min<std::size_t>(wanted, input_size - taken);
  if (count > 0) std::memcpy(buffer, input + taken, count);
  taken += count;
  return static_cast<int>(count);
}
const char* gzerror(gzFile, int* error) {
  *error = Z_OK;
  return "";
}
int gzclose(gzFile) { return Z_OK; }
// Nothing is written here; the functions that would are linked with the readers.
int gzwrite(gzFile, voidpc, unsigned) { return 0; }

}  // extern "C"
