#include "background.hpp"

#include "io/lost_pages.hpp"
#include "pliant/types.hpp"

#include <pthread.h>

#include <chrono>
#include <csignal>
#include <memory>
#include <new>
#include <stdexcept>
#include <thread>

namespace pliant::python {
namespace {

constexpr std::chrono::milliseconds kSignalInterval{50};

std::mutex running;

// A child must not wait for a thread that only its parent has.
const int fork_handler = pthread_atfork(nullptr, nullptr, [] { new (&running) std::mutex; });

thread_local bool serving = false;  // this thread runs a call of some work, which waits for it
thread_local bool in_constraint_function = false;

template <class T>
class Restore {
 public:
  Restore(T& variable, T value) : variable_(variable), before_(variable) { variable_ = value; }
  ~Restore() { variable_ = before_; }
  Restore(const Restore&) = delete;
  Restore& operator=(const Restore&) = delete;

 private:
  T& variable_;
  T before_;
};

}  // namespace

InConstraintFunction::InConstraintFunction() : before_(in_constraint_function) { in_constraint_function = true; }
InConstraintFunction::~InConstraintFunction() { in_constraint_function = before_; }

void Background::run(FunctionRef<void()> work) {
  if (in_constraint_function) throw std::runtime_error("pliant: a constraint function must not use a solver itself");
  const bool nested = serving;
  std::exception_ptr failed;
  std::thread worker([&] {
    try {
      std::unique_lock exclusive(running, std::defer_lock);
      if (!nested) exclusive.lock();
      work();
    } catch (...) {  // carried to the calling thread
      failed = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  });
  for (bool done = false; !done;) {
    FunctionRef<void()>* request = nullptr;
    {
      const nb::gil_scoped_release release;
      std::unique_lock lock(mutex_);
      changed_.wait_for(lock, kSignalInterval, [&] { return done_ || request_ != nullptr; });
      request = request_;
      done = done_;
    }
    check_signals();
    // What is left to do would be done with zeros.
    if (stop_ != nullptr && !io::file_with_lost_pages().empty()) *stop_ = true;
    if (request != nullptr) {
      serve(*request);
      const std::lock_guard lock(mutex_);
      request_ = nullptr;
      changed_.notify_all();
    }
  }
  worker.join();
  if (const std::string file = io::file_with_lost_pages(); !file.empty()) {
    throw InputError(file +
                     ": was cut short, or could not be read, while it was being used; what was read from it is lost");
  }
  if (raised_) std::rethrow_exception(raised_);
  if (failed) std::rethrow_exception(failed);
}

namespace {

struct sigaction before_ours {};

// Reading goes on with zeros, and run() says so in the end.
void on_lost_page(int signal, siginfo_t* info, void* context) {
  if (io::cover_lost_pages(info->si_addr)) return;
  const bool handled = before_ours.sa_handler != SIG_DFL && before_ours.sa_handler != SIG_IGN;
  if (handled && (before_ours.sa_flags & SA_SIGINFO) != 0) return before_ours.sa_sigaction(signal, info, context);
  if (handled) return before_ours.sa_handler(signal);
  std::signal(signal, SIG_DFL);  // the access repeats itself, and ends the process as usual
}

}  // namespace

void survive_lost_pages() {
  struct sigaction ours {};
  ours.sa_sigaction = on_lost_page;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  ::sigaction(SIGBUS, &ours, &before_ours);
}

void Background::call(FunctionRef<void()> f) {
  std::unique_lock lock(mutex_);
  request_ = &f;
  changed_.notify_all();
  changed_.wait(lock, [&] { return request_ == nullptr; });
}

void Background::serve(FunctionRef<void()> f) {
  if (raised_) return;
  const Restore now(serving, true);
  try {
    f();
  } catch (nb::python_error& error) {
    error.restore();
    keep_error();
  } catch (...) {
    raised_ = std::current_exception();
    if (stop_ != nullptr) *stop_ = true;
  }
}

void Background::check_signals() {
  if (PyErr_CheckSignals() != 0) keep_error();
}

// Takes the error that Python has pending. The first Ctrl-C asks for the best iterate, the second insists.
void Background::keep_error() {
  if (stop_ != nullptr) *stop_ = true;
  if (stop_ != nullptr && !interrupted_ && PyErr_ExceptionMatches(PyExc_KeyboardInterrupt) != 0) {
    interrupted_ = true;
    PyErr_Clear();
    return;
  }
  try {
    throw nb::python_error();
  } catch (...) {
    if (!raised_) raised_ = std::current_exception();
  }
}

}  // namespace pliant::python
