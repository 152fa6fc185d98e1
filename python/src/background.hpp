// Long work beside the interpreter.
//
// The work runs on a thread of its own without the GIL. The calling thread waits, looks for signals twenty times a
// second (only Python's main thread may run their handlers) and runs what the work wants of Python, so that callbacks
// see the thread they were given on. A thread of its own also means that no idle team of OpenMP threads is left behind,
// which a forked child would wait for in vain.
#pragma once

#include "core.hpp"

#include "pliant/function_ref.hpp"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>

namespace pliant::python {

class Background {
 public:
  /// `stop` is set when the work should end early: by Ctrl-C, or when Python code called from it has raised.
  explicit Background(std::atomic<bool>* stop = nullptr) : stop_(stop) {}

  /// Runs `work`; the caller holds the GIL. One work at a time per process: others wait, since each takes all
  /// cores. Then raises what was raised in calls, or by the work. With `stop`, the first
  /// Ctrl-C only sets it; without, Ctrl-C raises KeyboardInterrupt when the work is done.
  void run(FunctionRef<void()> work);

  /// For the work: runs f on the calling thread with the GIL and waits for it. Nothing is run once something has
  /// raised.
  void call(FunctionRef<void()> f);

 private:
  void serve(FunctionRef<void()> f);
  void check_signals();
  void keep_error();

  std::atomic<bool>* stop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  FunctionRef<void()>* request_ = nullptr;
  bool done_ = false;
  bool interrupted_ = false;
  std::exception_ptr raised_;
};

/// From here on a mapped file that is cut short while it is read is an InputError of the call that read it, and of every call
/// while something that was read from it lives, instead of the end of the process.
void survive_lost_pages();

/// Marks a thread of the library that runs a constraint function in Python: it must not start other work.
class InConstraintFunction {
 public:
  InConstraintFunction();
  ~InConstraintFunction();
  InConstraintFunction(const InConstraintFunction&) = delete;
  InConstraintFunction& operator=(const InConstraintFunction&) = delete;

 private:
  bool before_;
};

}  // namespace pliant::python
