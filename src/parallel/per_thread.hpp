// Objects that every thread has one of.
//
// A thread_local object with a constructor that allocates ends the process where there is no memory for it, and so does the
// registration of its destructor (glibc). These throw std::bad_alloc, as everything else does.
#pragma once

#include <pthread.h>

#include <memory>
#include <new>

namespace pliant::parallel {

/// The object of type T of the calling thread: made when it is first asked for, gone with the thread.
template <class T>
T& per_thread() {
  static thread_local T* mine = nullptr;
  if (mine != nullptr) return *mine;
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    // There are a thousand keys: where they are used up, memory of threads cannot be had either.
    if (pthread_key_create(&made, [](void* object) { delete static_cast<T*>(object); }) != 0) throw std::bad_alloc();
    return made;
  }();
  auto object = std::make_unique<T>();
  if (pthread_setspecific(key, object.get()) != 0) throw std::bad_alloc();
  mine = object.release();
  return *mine;
}

}  // namespace pliant::parallel
