// BLAS, LAPACK and MUMPS one call at a time.
//
// The serial OpenBLAS hands out its buffers without a lock, and MUMPS keeps state in Fortran modules: two solves in two
// threads must not be inside them at once. Within a solve only one thread calls them, so the lock is free as a rule.
#pragma once

#include <mutex>

namespace pliant {

class LapackLock {
 public:
  LapackLock();

 private:
  std::lock_guard<std::mutex> lock_;
};

}  // namespace pliant
