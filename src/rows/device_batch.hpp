// One batch of rows on a device, seen from here (include/pliant/device.hpp): an object of libpliant_cuda.so.
//
// Linear rows take x as it is. Points p of q = (p, 1) or q = p take the matrix X behind x = svec(X), as a form of p; in other
// coordinates X = R'YR, and norms are |Rq|^2.
#pragma once

#include "pliant/constraint_batch.hpp"
#include "pliant/device.hpp"
#include "pliant/svec.hpp"
#include "rows/device_library.hpp"

#include <string>
#include <vector>

namespace pliant {

class DeviceBatch {
 public:
  /// Numbers that lie on the device; sides there or here.
  DeviceBatch(const DeviceMatrix& G, const double* lower, const double* upper, bool sides_on_device);
  /// Points on the device, lifted or not, with b there or here.
  DeviceBatch(const DeviceMatrix& points, bool lifted, const double* b, bool b_on_device);
  /// Copies of dense linear rows, or of points, in this memory.
  DeviceBatch(const LinearRows& rows, int device);
  DeviceBatch(const RankOneBatch& points, int device);
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  /// Constraints: finite sides.
  Index size() const { return constants_.constraints; }
  Index dimension() const { return points() ? svec_size(order()) : shape_.width; }
  bool points() const { return shape_.family == PLIANT_CUDA_FORMS; }
  double constant_scale() const { return constants_.largest; }
  /// Bytes that a read of so many rows takes.
  double bytes(Index rows) const { return static_cast<double>(rows * shape_.width * shape_.number_bytes); }
  /// Of everything: rows with two sides count once.
  Index bytes() const { return shape_.rows * shape_.width * shape_.number_bytes; }

  /// Listed constraints, ascending, as rows in this memory.
  BatchPtr fetch(const std::vector<Index>& list);

  /// Points: from here on x means Y with X = R'YR, or X itself if R is empty; what was read is forgotten.
  void set_coordinates(const Matrix& R);
  /// What the device takes for x; valid until the next call.
  const double* argument(const Vector& x);

  /// f(functions, object) with an error thrown as InputError.
  template <class F>
  void call(const F& f) {
    expect_done(api_, f(api_, rows_));
  }

 private:
  explicit DeviceBatch(const pliant_cuda_shape& shape);
  void set_constants(const double* lower, const double* upper, bool on_device);
  bool two_sided() const { return !sides_.empty(); }
  Index order() const { return shape_.width + (lifted_ ? 1 : 0); }
  BatchPtr fetch_points(const std::vector<Index>& list);
  /// q'Xq as numbers of a form of p (src/cuda/form_kernel.hpp).
  std::vector<double> form_of(const Matrix& X) const;

  const pliant_cuda_api& api_;
  pliant_cuda_shape shape_;
  bool lifted_ = false;
  pliant_cuda_rows* rows_ = nullptr;
  pliant_cuda_constants constants_{};
  std::vector<Index> sides_;  // of each constraint 2 r, + 1 for the lower side of stored row r; empty: one side each
  Matrix R_;
  std::vector<double> form_;
};

}  // namespace pliant
