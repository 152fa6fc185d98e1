#include "io/temporary_files.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstring>

namespace pliant::io {
namespace {

// Fixed memory: a handler may neither allocate nor wait.
constexpr std::size_t kLongestName = 4096;
struct Slot {
  std::atomic<bool> taken{false}, written{false};
  std::array<char, kLongestName> name{};
};
std::array<Slot, 16> slots;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

}  // namespace

ListedTemporary::ListedTemporary(const std::filesystem::path& file) noexcept {
  const std::size_t length = file.native().size();
  if (length >= kLongestName) return;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    Slot& slot = slots[i];
    if (slot.taken.exchange(true)) continue;
    std::memcpy(slot.name.data(), file.c_str(), length + 1);
    slot.written.store(true);
    slot_ = static_cast<int>(i);
    return;
  }
}

ListedTemporary::~ListedTemporary() {
  if (slot_ < 0) return;
  Slot& slot = slots[static_cast<std::size_t>(slot_)];
  slot.written.store(false);
  slot.taken.store(false);
}

void remove_listed_temporaries() noexcept {
  for (const Slot& slot : slots) {
    if (slot.written.load()) ::unlink(slot.name.data());
  }
}

}  // namespace pliant::io
