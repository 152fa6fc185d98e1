// Numbers in a backend's memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pliant::cuda {

/// Numbers on the device that grow and never shrink.
template <class Backend, class T>
class Buffer {
 public:
  explicit Buffer(Backend& backend) : backend_(backend) {}
  ~Buffer() { backend_.release(data_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  T* data() const { return data_; }
  bool holds(int64_t size) const { return data_ != nullptr && size <= capacity_; }
  T* resize(int64_t size) {
    if (size <= capacity_) return data_;
    backend_.release(data_);
    data_ = nullptr;
    capacity_ = 0;
    data_ = static_cast<T*>(backend_.allocate(static_cast<size_t>(size) * sizeof(T)));
    capacity_ = size;
    return data_;
  }
  T* fill(const T* from, int64_t count) {
    resize(count);
    backend_.to_device(data_, from, static_cast<size_t>(count) * sizeof(T));
    return data_;
  }

 private:
  Backend& backend_;
  T* data_ = nullptr;
  int64_t capacity_ = 0;
};

}  // namespace pliant::cuda
