// Marks a scope in which Eigen may not allocate; checked in the dev build, free otherwise.
#pragma once

#include <Eigen/Core>

namespace pliant {

class NoAllocationScope {
 public:
#ifdef EIGEN_RUNTIME_NO_MALLOC
  NoAllocationScope() : previous_(Eigen::internal::is_malloc_allowed()) {
    Eigen::internal::set_is_malloc_allowed(false);
  }
  ~NoAllocationScope() { Eigen::internal::set_is_malloc_allowed(previous_); }
#else
  NoAllocationScope() = default;
  ~NoAllocationScope() {}
#endif
  NoAllocationScope(const NoAllocationScope&) = delete;
  NoAllocationScope& operator=(const NoAllocationScope&) = delete;

#ifdef EIGEN_RUNTIME_NO_MALLOC
 private:
  bool previous_;
#endif
};

/// Lifts the ban for a scope: progress callbacks, certificates at stage ends.
class AllocationAllowedScope {
 public:
#ifdef EIGEN_RUNTIME_NO_MALLOC
  AllocationAllowedScope() : previous_(Eigen::internal::is_malloc_allowed()) {
    Eigen::internal::set_is_malloc_allowed(true);
  }
  ~AllocationAllowedScope() { Eigen::internal::set_is_malloc_allowed(previous_); }
#else
  AllocationAllowedScope() = default;
  ~AllocationAllowedScope() {}
#endif
  AllocationAllowedScope(const AllocationAllowedScope&) = delete;
  AllocationAllowedScope& operator=(const AllocationAllowedScope&) = delete;

#ifdef EIGEN_RUNTIME_NO_MALLOC
 private:
  bool previous_;
#endif
};

}  // namespace pliant
