#include "memory_file.hpp"

#include <hdf5.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

namespace pliant::fuzz {
namespace {

// What the reader looks at before HDF5 does: a file of this process in TMPDIR, which should lie in memory, with the size
// of the input and nothing in it. Solutions that are no HDF5 are read as their ending says.
struct File {
  static constexpr int kEnding = 4;
  File() : name((std::filesystem::temp_directory_path() / "pliant-fuzz-XXXXXX.csv").string()) {
    descriptor = mkstemps(name.data(), kEnding);
    path = name;
  }
  ~File() { unlink(name.c_str()); }

  std::string name;
  int descriptor;
  std::filesystem::path path;
};

const std::uint8_t* bytes = nullptr;
std::size_t bytes_count = 0, size_of_file = 0;

}  // namespace

const std::filesystem::path& memory_file(const std::uint8_t* data, std::size_t size) {
  static const File file;
  bytes = data;
  bytes_count = size;
  if (size != size_of_file && ftruncate(file.descriptor, static_cast<off_t>(size)) != 0) std::abort();
  size_of_file = size;
  return file.path;
}

}  // namespace pliant::fuzz

// The linker sends the readers' calls here.
extern "C" {
hid_t __real_H5Fopen(const char* name, unsigned flags, hid_t access);

// The signature may begin at byte 0 or at a power of two from 512 on.
htri_t __wrap_H5Fis_hdf5(const char*) {
  using pliant::fuzz::bytes, pliant::fuzz::bytes_count;
  constexpr unsigned char kSignature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
  constexpr std::size_t kFirst = 512;
  for (std::size_t at = 0; at + sizeof kSignature <= bytes_count; at = std::max(kFirst, 2 * at)) {
    if (std::memcmp(bytes + at, kSignature, sizeof kSignature) == 0) return 1;
  }
  return 0;
}

hid_t __wrap_H5Fopen(const char*, unsigned flags, hid_t access) {
  constexpr std::size_t kGrowth = 1 << 16;            // of files that are written: none is
  constexpr const char* kNoFile = "/no file at all";  // the driver wants a name that nothing has
  const hid_t in_memory = H5Pcopy(access);
  hid_t file = -1;
  if (H5Pset_fapl_core(in_memory, kGrowth, 0) >= 0 &&
      H5Pset_file_image(in_memory, const_cast<std::uint8_t*>(pliant::fuzz::bytes), pliant::fuzz::bytes_count) >= 0) {
    file = __real_H5Fopen(kNoFile, flags, in_memory);
  }
  H5Pclose(in_memory);
  return file;
}
}
