// Loops that end early: somebody interrupts, or the time is up.
//
// A solve looks at its limits between steps. One step over much data can take minutes, so loops look, too: for_chunks at
// every chunk, others by calling poll(). What they throw is no error, and is caught where the solve was begun.
#pragma once

#include <atomic>
#include <chrono>
#include <limits>

namespace pliant::parallel {

/// Thrown by poll(). Not a std::exception: nobody who handles failures is meant.
struct Stopped {};

struct StopSign {
  using Clock = std::chrono::steady_clock;
  const std::atomic<bool>* interrupt = nullptr;           ///< may be null
  Clock::time_point deadline = Clock::time_point::max();  ///< max: none

  bool raised() const {
    if (interrupt != nullptr && interrupt->load(std::memory_order_relaxed)) return true;
    return deadline != Clock::time_point::max() && Clock::now() >= deadline;
  }
};

/// While it lives, loops that this thread runs look at `sign` (null: at none), instead of what they looked at before.
class StopScope {
 public:
  explicit StopScope(const StopSign* sign);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  const StopSign* previous_;
};

/// What loops of this thread look at; may be null.
const StopSign* stop_sign();

/// Throws Stopped where the sign is raised. Costs a look at the clock: for pieces of work of a microsecond or more.
void poll();

/// Until the deadline; infinite where there is none.
double seconds_left();

}  // namespace pliant::parallel
