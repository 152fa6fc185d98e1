// What memory this process used.
#pragma once

#include "pliant/types.hpp"

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace pliant::machine {

struct PeakMemory {
  /// Memory that belongs to the process alone (RssAnon). Pages of mapped files are not part of it: the kernel takes
  /// them back when it needs them. The system keeps no peak of it, so this is the largest of the samples taken.
  Index anonymous = 0;
  /// Everything resident at once (VmHWM), pages of mapped files and of libraries included.
  Index resident = 0;
};

/// The peaks so far, the present moment included.
PeakMemory peak_memory();

/// Physical memory of the machine, in bytes.
Index machine_memory();

/// Asks for large pages behind memory that was not touched yet: millions of small ones take longer to get and to give
/// back than to fill. Advice; does nothing below a few megabytes.
void prefer_large_pages(void* begin, Index bytes);

/// "3.2 MB"
std::string human_bytes(Index bytes);

/// Samples the anonymous memory every few milliseconds while it lives. Memory cannot grow by much between two
/// samples, since the kernel has to clear every new page.
class MemoryWatch {
 public:
  MemoryWatch();
  ~MemoryWatch();
  MemoryWatch(const MemoryWatch&) = delete;
  MemoryWatch& operator=(const MemoryWatch&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  std::thread thread_;
};

}  // namespace pliant::machine
