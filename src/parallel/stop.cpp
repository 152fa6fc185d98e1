#include "parallel/stop.hpp"

namespace pliant::parallel {
namespace {

thread_local const StopSign* looked_at = nullptr;

}  // namespace

StopScope::StopScope(const StopSign* sign) : previous_(looked_at) { looked_at = sign; }

StopScope::~StopScope() { looked_at = previous_; }

const StopSign* stop_sign() { return looked_at; }

void poll() {
  if (looked_at != nullptr && looked_at->raised()) throw Stopped{};
}

double seconds_left() {
  if (looked_at == nullptr || looked_at->deadline == StopSign::Clock::time_point::max()) {
    return std::numeric_limits<double>::infinity();
  }
  return std::chrono::duration<double>(looked_at->deadline - StopSign::Clock::now()).count();
}

}  // namespace pliant::parallel
