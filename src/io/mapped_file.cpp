#include "io/mapped_file.hpp"

#include "io/lost_pages.hpp"
#include "parallel/long_vectors.hpp"
#include "pliant/io.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <string>

namespace pliant {
namespace io {
namespace {

std::atomic<Index> live_bytes{0};

// Touching pages behind the end of a file kills the process, so the end is looked at first.
void confirm_end(int descriptor, std::uint64_t offset, std::uint64_t bytes, const Hdf5Place& place) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) place.fail(std::strerror(errno));
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (offset <= size && bytes <= size - offset) return;
  place.fail(fmt::format("its {} bytes begin at byte {}, but the file has only {} (truncated?)", bytes, offset, size));
}

// What is mapped, for a signal handler: entries are filled before they are published, and never move. Files beyond the
// table are mapped as well; an error in them names none.
struct MappedRange {
  std::atomic<const char*> begin{nullptr};
  std::size_t length = 0;
  std::array<char, 512> file{};
  std::atomic<bool> lost{false};  // some pages are covered
};
constexpr std::size_t kMostRanges = 256;
std::array<MappedRange, kMostRanges> ranges;
std::mutex ranges_mutex;

void publish(const char* begin, std::size_t length, const std::string& file) {
  const std::lock_guard lock(ranges_mutex);
  for (MappedRange& range : ranges) {
    if (range.begin.load() != nullptr) continue;
    range.length = length;
    const std::size_t size = std::min(file.size(), range.file.size() - 1);
    std::copy_n(file.begin(), size, range.file.begin());
    range.file[size] = '\0';
    range.lost.store(false);
    range.begin.store(begin, std::memory_order_release);
    return;
  }
}

void withdraw(const char* begin) {
  const std::lock_guard lock(ranges_mutex);
  for (MappedRange& range : ranges) {
    if (range.begin.load() == begin) range.begin.store(nullptr);
  }
}

}  // namespace

// The default advice stays. Passes run through the file in several places at once (one per thread), and samples and
// working rows are scattered: reading around each touched page serves both. MADV_SEQUENTIAL keeps one position per
// file and drops pages behind it; MADV_WILLNEED would read more than memory holds.
std::shared_ptr<const void> map_file(int descriptor, std::uint64_t offset, std::uint64_t bytes,
                                     const Hdf5Place& place) {
  confirm_end(descriptor, offset, bytes, place);
  const std::uint64_t skipped = offset % static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const std::uint64_t length = bytes + skipped;
  void* const begin = ::mmap(nullptr, length, PROT_READ, MAP_SHARED, descriptor, static_cast<off_t>(offset - skipped));
  if (begin == MAP_FAILED) place.fail(fmt::format("cannot be mapped ({})", std::strerror(errno)));
  live_bytes += static_cast<Index>(bytes);
  publish(static_cast<const char*>(begin), length, place.file);
  const std::shared_ptr<const void> owner(begin, [length, bytes](void* address) {
    withdraw(static_cast<const char*>(address));
    ::munmap(address, length);
    live_bytes -= static_cast<Index>(bytes);
  });
  return {owner, static_cast<const char*>(begin) + skipped};
}

void fetch_pages(const void* begin, std::uint64_t bytes) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const std::uintptr_t first = reinterpret_cast<std::uintptr_t>(begin) / page;
  const std::uintptr_t last = (reinterpret_cast<std::uintptr_t>(begin) + bytes + page - 1) / page;
  const auto count = static_cast<Index>(last - first);
  parallel::for_range_of(count, static_cast<Index>(bytes), [&](Index from, Index to) {
    void* const address = reinterpret_cast<void*>((first + static_cast<std::uintptr_t>(from)) * page);
    const auto length = static_cast<std::size_t>(to - from) * page;
#ifdef MADV_POPULATE_READ
    if (::madvise(address, length, MADV_POPULATE_READ) == 0) return;
#endif
    ::madvise(address, length, MADV_WILLNEED);
  });
}

bool cover_lost_pages(const void* address) noexcept {
  const auto* const at = static_cast<const char*>(address);
  for (MappedRange& range : ranges) {
    const char* const begin = range.begin.load(std::memory_order_acquire);
    if (begin == nullptr || at < begin || at >= begin + range.length) continue;
    const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
    const std::size_t offset = static_cast<std::size_t>(at - begin) / page * page;
    range.lost.store(true);  // first: whoever reads the zeros must be able to know
    return ::mmap(const_cast<char*>(begin) + offset, range.length - offset, PROT_READ,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
  }
  return false;
}

std::string file_with_lost_pages() {
  const std::lock_guard lock(ranges_mutex);
  for (const MappedRange& range : ranges) {
    if (range.begin.load() != nullptr && range.lost.load()) return range.file.data();
  }
  return {};
}

}  // namespace io

Index mapped_bytes() { return io::live_bytes; }

const char* mapped_file_at(const void* address) {
  const auto* const at = static_cast<const char*>(address);
  for (const io::MappedRange& range : io::ranges) {
    const char* const begin = range.begin.load(std::memory_order_acquire);
    if (begin != nullptr && at >= begin && at < begin + range.length) return range.file.data();
  }
  return nullptr;
}

}  // namespace pliant
