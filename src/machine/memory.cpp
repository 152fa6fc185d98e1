#include "machine/memory.hpp"

#include "machine/data_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <string>
#include <string_view>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace pliant::machine {
namespace {

constexpr std::chrono::milliseconds kInterval{5};

std::atomic<Index> largest_anonymous{0};

// The bytes behind a name such as "RssAnon:", which the system gives in kB; 0 if it does not tell.
Index bytes_behind(std::string_view status, std::string_view name) {
  Index value = 0;
  const std::size_t at = status.find(name);
  const std::size_t digits = at == std::string_view::npos ? at : status.find_first_of("0123456789", at + name.size());
  if (digits != std::string_view::npos) std::from_chars(status.data() + digits, status.data() + status.size(), value);
  return 1024 * value;
}

// Without an allocation: it is asked most often where memory runs out, and by a thread that could tell nobody.
class Status {
 public:
  Status() {
    const int file = ::open("/proc/self/status", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    length_ = std::max<ssize_t>(0, ::read(file, text_.data(), text_.size()));
    ::close(file);
  }
  Index bytes(std::string_view name) const {
    return bytes_behind({text_.data(), static_cast<std::size_t>(length_)}, name);
  }

 private:
  std::array<char, 8192> text_{};  // the file has about 1500 bytes
  ssize_t length_ = 0;
};

}  // namespace

Index machine_memory() {
  return static_cast<Index>(::sysconf(_SC_PHYS_PAGES)) * static_cast<Index>(::sysconf(_SC_PAGESIZE));
}

void prefer_large_pages(void* begin, Index bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kLargePage = 2 << 20;
  constexpr Index kWorthIt = 2 * static_cast<Index>(kLargePage);
  if (bytes < kWorthIt) return;
  const std::uintptr_t first = (reinterpret_cast<std::uintptr_t>(begin) + kLargePage - 1) / kLargePage * kLargePage;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(begin) + static_cast<std::uintptr_t>(bytes);
  if (first < end) ::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
#endif
}

DataMemory data_memory() {
  const Status now;
  return {now.bytes("\nVmData:"), now.bytes("\nRssAnon:")};
}

PeakMemory peak_memory() {
  const Status now;
  PeakMemory peak{now.bytes("\nRssAnon:"), now.bytes("\nVmHWM:")};
  Index known = largest_anonymous;
  while (peak.anonymous > known && !largest_anonymous.compare_exchange_weak(known, peak.anonymous)) {
  }
  peak.anonymous = largest_anonymous;
  return peak;
}

// Signals stay with the thread that expects them: the new one inherits the mask it is born with.
MemoryWatch::MemoryWatch() {
  struct Masked {
    sigset_t before{};
    Masked() {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Masked() { pthread_sigmask(SIG_SETMASK, &before, nullptr); }
  } const masked;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!end_) {
      peak_memory();
      ended_.wait_for(lock, kInterval);
    }
  });
}

MemoryWatch::~MemoryWatch() {
  {
    const std::lock_guard lock(mutex_);
    end_ = true;
  }
  ended_.notify_one();
  thread_.join();
}

std::string human_bytes(Index bytes) {
  constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 1000.0 && unit + 1 < units.size()) {
    value /= 1000.0;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, units[unit]);
}

}  // namespace pliant::machine
