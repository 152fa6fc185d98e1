#include "io/hdf5_write_driver.hpp"

#include <fcntl.h>
#include <unistd.h>
#if __has_include(<H5FDdevelop.h>)
#include <H5FDdevelop.h>
#endif

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <new>

namespace pliant::io {
namespace {

// The library sees only the first member.
struct WrittenFile {
  H5FD_t base;
  int descriptor;
  haddr_t allocated;  // "end of allocation", managed by the library
  haddr_t end;        // end of the bytes written so far
  WriteFailure* failure;
};

WrittenFile& written(H5FD_t* file) { return *reinterpret_cast<WrittenFile*>(file); }
const WrittenFile& written(const H5FD_t* file) { return *reinterpret_cast<const WrittenFile*>(file); }

void remember(WrittenFile& file, int error) {
  if (file.failure->error == 0) file.failure->error = error;
}

H5FD_t* open_file(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* failure = static_cast<WriteFailure* const*>(H5Pget_driver_info(access));
  if (failure == nullptr) return nullptr;
  const int descriptor = ::open(name, O_RDWR | O_CLOEXEC | ((flags & H5F_ACC_TRUNC) != 0 ? O_TRUNC : 0));
  if (descriptor < 0) return nullptr;
  auto* file = new (std::nothrow) WrittenFile{{}, descriptor, 0, 0, *failure};
  if (file != nullptr) return &file->base;
  ::close(descriptor);
  (*failure)->error = ENOMEM;
  return nullptr;
}

herr_t close_file(H5FD_t* base) {
  WrittenFile& file = written(base);
  if (::close(file.descriptor) != 0) remember(file, errno);
  delete &file;
  return 0;
}

// The library may gather small pieces before it writes, as with its own driver for plain files.
herr_t query(const H5FD_t*, unsigned long* features) {
  *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
              H5FD_FEAT_AGGREGATE_SMALLDATA;
  return 0;
}

haddr_t get_allocated(const H5FD_t* file, H5FD_mem_t) { return written(file).allocated; }

herr_t set_allocated(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  written(file).allocated = address;
  return 0;
}

haddr_t get_end(const H5FD_t* file, H5FD_mem_t) { return written(file).end; }

// Bytes never written read as zeros.
herr_t read_bytes(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  WrittenFile& file = written(base);
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = ::pread(file.descriptor, bytes, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) remember(file, errno);
    if (got <= 0) break;
    bytes += got;
    size -= static_cast<std::size_t>(got);
    address += static_cast<haddr_t>(got);
  }
  std::memset(bytes, 0, size);
  return 0;
}

herr_t write_bytes(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, const void* buffer) {
  WrittenFile& file = written(base);
  const auto* bytes = static_cast<const char*>(buffer);
  file.end = std::max(file.end, address + size);
  while (size > 0 && file.failure->error == 0) {
    const ssize_t put = ::pwrite(file.descriptor, bytes, size, static_cast<off_t>(address));
    if (put < 0) {
      if (errno != EINTR) remember(file, errno);
      continue;
    }
    bytes += put;
    size -= static_cast<std::size_t>(put);
    address += static_cast<haddr_t>(put);
  }
  return 0;
}

herr_t truncate_file(H5FD_t* base, hid_t, hbool_t) {
  WrittenFile& file = written(base);
  if (file.end == file.allocated) return 0;
  if (file.failure->error == 0 && ::ftruncate(file.descriptor, static_cast<off_t>(file.allocated)) != 0) {
    remember(file, errno);
  }
  file.end = file.allocated;
  return 0;
}

H5FD_class_t make_driver() {
  H5FD_class_t driver{};
#ifdef H5FD_CLASS_VERSION
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(600);  // a number of the range left to applications
#endif
  driver.name = "pliant_write";
  driver.maxaddr = static_cast<haddr_t>(std::numeric_limits<off_t>::max());
  driver.fc_degree = H5F_CLOSE_STRONG;
  driver.fapl_size = sizeof(WriteFailure*);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = get_allocated;
  driver.set_eoa = set_allocated;
  driver.get_eof = get_end;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = truncate_file;
  const H5FD_mem_t separate[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(separate), std::end(separate), std::begin(driver.fl_map));
  return driver;
}

}  // namespace

void use_write_driver(const Hdf5Handle& access, WriteFailure& failure, const Hdf5Place& place) {
  static const H5FD_class_t driver = make_driver();
  const Hdf5Handle id = place.checked(Hdf5Handle(H5FDregister(&driver), H5FDunregister), "cannot be created");
  WriteFailure* const address = &failure;
  place.checked(H5Pset_driver(access.id(), id.id(), &address), "cannot be created");
}

}  // namespace pliant::io
