#include "commands/interrupt.hpp"

#include "pliant/io.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace pliant::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

void on_signal(int signal) {
  interrupted.store(true);
  std::signal(signal, SIG_DFL);
}

void say(const char* text) {
  // Nobody is left to be told where this fails.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, text, std::strlen(text));
}

// Pages behind the end of a file do not exist: nothing can be returned to, and little may be called here.
void on_bus_error(int signal, siginfo_t* info, void*) {
  const char* const file = mapped_file_at(info->si_addr);
  if (file == nullptr) {
    std::signal(signal, SIG_DFL);
    return;  // the access repeats itself, and ends the process as usual
  }
  say("pliant: ");
  say(file);
  say(": was cut short, or could not be read, while it was being used\n");
  ::_exit(1);
}

}  // namespace

void catch_truncated_files() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

const std::atomic<bool>& catch_signals() {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  return interrupted;
}

}  // namespace pliant::cli
