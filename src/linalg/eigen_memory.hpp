// Eigen's arrays where memory runs out.
//
// DenseStorage::resize gives the old block back, asks for the new one, and only then stores its address: where there is no
// memory, the exception leaves an object that points to what is freed, and its destructor frees it again. Eigen passes
// its own pointer to the function that frees, so the overload below, which takes it by reference and is the better match
// (Eigen counts with ptrdiff_t), can forget it in time. It must be declared before Eigen is read: the build reads this
// header first of all (eigen_instances.hpp). Where Eigen came first, nothing changes.
#pragma once

#include <cstddef>

namespace Eigen::internal {

template <typename T, bool Align>
inline void conditional_aligned_delete_auto(T*& data, std::ptrdiff_t size);

}  // namespace Eigen::internal

#include <Eigen/Core>

namespace Eigen::internal {

template <typename T, bool Align>
inline void conditional_aligned_delete_auto(T*& data, std::ptrdiff_t size) {
  if (data == nullptr) return;
  T* const block = data;
  data = nullptr;
  conditional_aligned_delete_auto<T, Align>(static_cast<T*>(block), static_cast<std::size_t>(size));
}

}  // namespace Eigen::internal
