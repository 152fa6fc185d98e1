// A line on standard error that says what takes so long, when nothing else was said for a while.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace pliant::cli {

/// Works while it lives; of several that live at once only the first. On a terminal the line is rewritten in place and
/// vanishes; elsewhere, where it was asked for, a line is written now and then.
class Waiting {
 public:
  enum class When { on_terminals, always, never };
  explicit Waiting(When when);
  ~Waiting();
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// Something was printed, or is about to be: the line goes, and the silence begins anew.
  static void interrupt();

 private:
  void watch();
  void show();
  void clear();

  using Clock = std::chrono::steady_clock;
  bool works_ = false, terminal_ = false;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool ends_ = false, shown_ = false;
  Clock::time_point heard_ = Clock::now();
  const char* said_ = nullptr;  // elsewhere: the latest line was about this ...
  double again_ = 0.0;          // ... and the next one is due after so many seconds of it
  std::thread thread_;
};

}  // namespace pliant::cli
