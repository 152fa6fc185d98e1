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

// What is mapped, for signal handlers: no locks, nothing but atomics that need none. An entry is changed by whoever made its
// version odd, and what is read of it counts where the version was even and the same before and after. The name is read for
// an address inside the entry alone: who touches it keeps it mapped, and the name in its place. Files beyond the table are
// mapped as well; an error in them names none.
struct MappedRange {
  std::atomic<unsigned> version{0};
  std::atomic<const char*> begin{nullptr};
  std::atomic<std::size_t> length{0};
  std::atomic<bool> lost{false};  // some pages are covered: such an entry is not used again
  std::array<char, 512> file{};
};
static_assert(std::atomic<unsigned>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free &&
              std::atomic<std::size_t>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
constexpr std::size_t kMostRanges = 256;
std::array<MappedRange, kMostRanges> ranges;

// Changes an entry whose `begin` is the expected one; false: it is another, or somebody else is changing it.
template <class Change>
bool change(MappedRange& range, const char* expected, const Change& apply) {
  unsigned version = range.version.load();
  if (version % 2 != 0 || range.begin.load() != expected) return false;
  if (!range.version.compare_exchange_strong(version, version + 1)) return false;
  apply();
  range.version.store(version + 2);
  return true;
}

void publish(const char* begin, std::size_t length, const std::string& file) {
  for (MappedRange& range : ranges) {
    if (range.lost.load()) continue;  // its name may be being read
    const bool taken = change(range, nullptr, [&] {
      const std::size_t size = std::min(file.size(), range.file.size() - 1);
      std::copy_n(file.begin(), size, range.file.begin());
      range.file[size] = '\0';
      range.length.store(length);
      range.begin.store(begin);
    });
    if (taken) return;
  }
}

void withdraw(const char* begin) {
  for (MappedRange& range : ranges) {
    if (change(range, begin, [&] { range.begin.store(nullptr); })) return;
  }
}

struct RangeFound {
  MappedRange* entry;  // null: none
  const char* begin;
  std::size_t length;
};

RangeFound find_range(const char* at) {
  for (MappedRange& range : ranges) {
    const unsigned version = range.version.load();
    const char* const begin = range.begin.load();
    const std::size_t length = range.length.load();
    // An entry that changes is none of those that anybody may touch.
    if (version % 2 != 0 || range.version.load() != version) continue;
    if (begin != nullptr && at >= begin && at < begin + length) return {&range, begin, length};
  }
  return {nullptr, nullptr, 0};
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
  const auto [entry, begin, length] = find_range(at);
  if (entry == nullptr) return false;
  const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::size_t offset = static_cast<std::size_t>(at - begin) / page * page;
  entry->lost.store(true);  // first: whoever reads the zeros must be able to know
  return ::mmap(const_cast<char*>(begin) + offset, length - offset, PROT_READ,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0) != MAP_FAILED;
}

std::string file_with_lost_pages() {
  for (const MappedRange& range : ranges) {
    if (range.begin.load() != nullptr && range.lost.load()) return range.file.data();
  }
  return {};
}

}  // namespace io

Index mapped_bytes() { return io::live_bytes; }

const char* mapped_file_at(const void* address) {
  const io::RangeFound found = io::find_range(static_cast<const char*>(address));
  return found.entry == nullptr ? nullptr : found.entry->file.data();
}

}  // namespace pliant
