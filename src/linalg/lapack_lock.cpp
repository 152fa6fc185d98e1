#include "linalg/lapack_lock.hpp"

#include <pthread.h>

#include <new>

namespace pliant {
namespace {

std::mutex& library_mutex() {
  static std::mutex mutex;
  // A child must not wait for a thread that only its parent has.
  [[maybe_unused]] static const int handler = pthread_atfork(nullptr, nullptr, [] { new (&mutex) std::mutex; });
  return mutex;
}

}  // namespace

LapackLock::LapackLock() : lock_(library_mutex()) {}

}  // namespace pliant
