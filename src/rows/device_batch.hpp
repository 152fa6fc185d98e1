// One batch of rows on a device, seen from here (include/pliant/device.hpp): an object of libpliant_cuda.so.
#pragma once

#include "pliant/constraint_batch.hpp"
#include "pliant/device.hpp"
#include "rows/device_library.hpp"

#include <string>
#include <vector>

namespace pliant {

class DeviceBatch {
 public:
  /// Numbers that lie on the device; sides there or here.
  DeviceBatch(const DeviceMatrix& G, const double* lower, const double* upper, bool sides_on_device);
  /// A copy of dense linear rows in this memory.
  DeviceBatch(const LinearRows& rows, int device);
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  /// Constraints: finite sides.
  Index size() const { return constants_.constraints; }
  Index dimension() const { return shape_.width; }
  double constant_scale() const { return constants_.largest; }
  /// Bytes that a read of so many rows takes.
  double bytes(Index rows) const { return static_cast<double>(rows * shape_.width * shape_.number_bytes); }
  /// Of everything: rows with two sides count once.
  Index bytes() const { return shape_.rows * shape_.width * shape_.number_bytes; }

  /// Listed constraints, ascending, as rows in this memory.
  BatchPtr fetch(const std::vector<Index>& list);

  /// f(functions, object) with an error thrown as InputError.
  template <class F>
  void call(const F& f) {
    expect_done(api_, f(api_, rows_));
  }

 private:
  explicit DeviceBatch(const pliant_cuda_shape& shape);
  void set_constants(const double* lower, const double* upper, bool on_device);
  bool two_sided() const { return !sides_.empty(); }

  const pliant_cuda_api& api_;
  pliant_cuda_shape shape_;
  pliant_cuda_rows* rows_ = nullptr;
  pliant_cuda_constants constants_{};
  std::vector<Index> sides_;  // of each constraint 2 r, + 1 for the lower side of stored row r; empty: one side each
};

}  // namespace pliant
