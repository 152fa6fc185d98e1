#include "machine/memory.hpp"

#include <fmt/format.h>

#include <array>
#include <atomic>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

#include <sys/mman.h>
#include <unistd.h>

namespace pliant::machine {
namespace {

constexpr std::chrono::milliseconds kInterval{5};

std::atomic<Index> largest_anonymous{0};

// The number of kB behind a name such as "RssAnon:"; 0 if the system does not tell.
Index kilobytes(const std::string& line, std::string_view name) {
  Index value = 0;
  const std::size_t digits = line.find_first_of("0123456789", name.size());
  if (digits != std::string::npos) std::from_chars(line.data() + digits, line.data() + line.size(), value);
  return value;
}

PeakMemory read_status() {
  PeakMemory now;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("VmHWM:")) now.resident = 1024 * kilobytes(line, "VmHWM:");
    if (line.starts_with("RssAnon:")) now.anonymous = 1024 * kilobytes(line, "RssAnon:");
  }
  return now;
}

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

PeakMemory peak_memory() {
  PeakMemory peak = read_status();
  Index known = largest_anonymous;
  while (peak.anonymous > known && !largest_anonymous.compare_exchange_weak(known, peak.anonymous)) {
  }
  peak.anonymous = largest_anonymous;
  return peak;
}

// Signals stay with the thread that expects them: the new one inherits the mask it is born with.
MemoryWatch::MemoryWatch() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    while (!end_) {
      peak_memory();
      ended_.wait_for(lock, kInterval);
    }
  });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
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
