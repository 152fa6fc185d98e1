#include "commands/waiting.hpp"

#include "machine/activity.hpp"

#include <fmt/format.h>

#include <unistd.h>

#include <atomic>
#include <cstdio>

namespace pliant::cli {
namespace {

constexpr std::chrono::milliseconds kLook{200};
constexpr std::chrono::seconds kSilence{2};
constexpr double kLater = 2.0;  // off terminals each line waits for twice the time of the one before

std::atomic<Waiting*> working{nullptr};

}  // namespace

Waiting::Waiting(When when) : terminal_(isatty(STDERR_FILENO) != 0) {
  if (when == When::never || (when == When::on_terminals && !terminal_)) return;
  Waiting* none = nullptr;
  works_ = working.compare_exchange_strong(none, this);
  if (works_) thread_ = std::thread([this] { watch(); });
}

Waiting::~Waiting() {
  if (!works_) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
  clear();
  working.store(nullptr);
}

void Waiting::interrupt() {
  Waiting* const line = working.load();
  if (line == nullptr) return;
  const std::lock_guard lock(line->mutex_);
  line->clear();
  line->heard_ = Clock::now();
}

void Waiting::watch() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, kLook, [this] { return ends_; })) {
    if (Clock::now() - heard_ >= kSilence) show();
  }
}

void Waiting::show() {
  const auto now = machine::Activity::now();
  if (!now) return clear();
  if (terminal_) {
    std::fputs(fmt::format("\r\033[K{} ... {:.0f} s", now->what, now->seconds).c_str(), stderr);
    shown_ = true;
  } else if (now->what != said_ || now->seconds >= again_) {
    std::fputs(fmt::format("pliant: {} ... {:.0f} s\n", now->what, now->seconds).c_str(), stderr);
    said_ = now->what;
    again_ = kLater * now->seconds;
  }
  std::fflush(stderr);
}

void Waiting::clear() {
  if (!shown_) return;
  std::fputs("\r\033[K", stderr);
  std::fflush(stderr);
  shown_ = false;
}

}  // namespace pliant::cli
