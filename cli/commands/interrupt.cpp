#include "commands/interrupt.hpp"

#include "io/temporary_files.hpp"
#include "pliant/io.hpp"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace pliant::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch nothing else");

void end_by(int signal) {
  io::remove_listed_temporaries();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void on_signal(int signal) {
  interrupted.store(true);
  std::signal(signal, end_by);
}

// What is ignored stays ignored: nohup and shells, which begin commands in the background so, want it that way.
void unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction now {};
  if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN) return;
  std::signal(signal, handler);
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
  io::remove_listed_temporaries();
  ::_exit(1);
}

}  // namespace

void handle_signals() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) unless_ignored(signal, end_by);
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
}

void catch_truncated_files() {
  struct sigaction action {};
  action.sa_sigaction = on_bus_error;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGBUS, &action, nullptr);
}

const std::atomic<bool>& catch_signals() {
  for (const int signal : {SIGINT, SIGTERM}) unless_ignored(signal, on_signal);
  return interrupted;
}

}  // namespace pliant::cli
