#include "commands/interrupt.hpp"

#include <csignal>

namespace pliant::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

void on_signal(int signal) {
  interrupted.store(true);
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& catch_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return interrupted;
}

}  // namespace pliant::cli
