// Contiguous read-only numbers with shared ownership.
//
// Batches and data matrices hold their numbers through this type, so the same code runs on memory
// we own, on a caller's buffer (a NumPy array kept alive by `owner`) and on a mapped file.
//
// Vectors, spans and Eigen vectors convert to it where a function takes one. They are copied, once; a vector that is
// moved in is taken as it is, and view() borrows the caller's memory.
#pragma once

#include "pliant/types.hpp"

#include <initializer_list>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace pliant {

/// A row or column of Eigen with numbers of type T, or an expression of one.
template <class Derived, class T>
concept EigenVectorOf = std::is_same_v<typename Derived::Scalar, T> && bool(Derived::IsVectorAtCompileTime);

template <class T>
class SharedArray {
 public:
  SharedArray() = default;

  /// Takes ownership of a vector.
  SharedArray(std::vector<T> values) {
    auto held = std::make_shared<const std::vector<T>>(std::move(values));
    data_ = held->data();
    size_ = static_cast<Index>(held->size());
    owner_ = std::move(held);
  }

  /// Copies.
  SharedArray(std::span<const T> values) : SharedArray(std::vector<T>(values.begin(), values.end())) {}
  SharedArray(std::initializer_list<T> values) : SharedArray(std::vector<T>(values)) {}
  template <EigenVectorOf<T> Derived>
  SharedArray(const Eigen::MatrixBase<Derived>& values) {
    std::vector<T> copy(static_cast<std::size_t>(values.size()));
    Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, 1>>(copy.data(), values.size()) = values.derived();
    *this = SharedArray(std::move(copy));
  }

  /// Borrows: the numbers must outlive everything made from them.
  static SharedArray view(std::span<const T> values) {
    return {values.data(), static_cast<Index>(values.size()), nullptr};
  }

  /// A view of `size` numbers that stay valid while `owner` lives (null: the caller guarantees it).
  SharedArray(const T* data, Index size, std::shared_ptr<const void> owner)
      : data_(data), size_(size), owner_(std::move(owner)) {}

  const T* data() const { return data_; }
  Index size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const T& operator[](Index i) const { return data_[i]; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }

 private:
  const T* data_ = nullptr;
  Index size_ = 0;
  std::shared_ptr<const void> owner_;
};

using Doubles = SharedArray<double>;
using Indices = SharedArray<Index>;

/// Copies an Eigen expression into a shared array.
template <class Derived>
Doubles to_array(const Eigen::DenseBase<Derived>& values) {
  std::vector<double> copy(static_cast<std::size_t>(values.size()));
  Eigen::Map<Vector>(copy.data(), values.size()) = values.derived();
  return Doubles(std::move(copy));
}

}  // namespace pliant
