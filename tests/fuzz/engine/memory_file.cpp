#include "memory_file.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace pliant::fuzz {
namespace {

// HDF5 wants a path it can resolve: a file of this process in TMPDIR, which should lie in memory. Solutions that are no HDF5
// are read as their ending says.
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

}  // namespace

const std::filesystem::path& memory_file(const std::uint8_t* data, std::size_t size) {
  static const File file;
  if (ftruncate(file.descriptor, 0) != 0 || pwrite(file.descriptor, data, size, 0) != static_cast<ssize_t>(size)) {
    std::abort();
  }
  return file.path;
}

}  // namespace pliant::fuzz
