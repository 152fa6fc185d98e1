#include "machine/activity.hpp"

#include <atomic>

namespace pliant::machine {
namespace {

using Clock = std::chrono::steady_clock;

std::atomic<const char*> current{nullptr};
std::atomic<Clock::rep> began{0};

const char* begin(const char* what) {
  began.store(Clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  return current.exchange(what, std::memory_order_release);
}

}  // namespace

Activity::Activity(const char* what) : around_(begin(what)) {}
Activity::~Activity() { begin(around_); }

std::optional<Activity::Now> Activity::now() {
  const char* const what = current.load(std::memory_order_acquire);
  if (what == nullptr) return std::nullopt;
  const Clock::duration since =
      Clock::now().time_since_epoch() - Clock::duration(began.load(std::memory_order_relaxed));
  return Now{what, std::chrono::duration<double>(since).count()};
}

}  // namespace pliant::machine
