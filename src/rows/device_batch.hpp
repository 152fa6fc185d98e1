// One batch of rows on a device, seen from here (include/pliant/device.hpp): an object of libpliant_cuda.so.
//
// Linear rows take x as it is. Points p of q = (p, 1) or q = p take the matrix X behind x = svec(X), as a form of p; in other
// coordinates X = R'YR, and norms are |Rq|^2.
#pragma once

#include "pliant/constraint_batch.hpp"
#include "pliant/device.hpp"
#include "pliant/svec.hpp"
#include "rows/device_library.hpp"

#include <span>
#include <string>
#include <vector>

namespace pliant {

class LogSumExpBatch;

class DeviceBatch : public std::enable_shared_from_this<DeviceBatch> {
 public:
  /// Numbers that lie on the device; sides there or here, the lower ones may be none.
  DeviceBatch(const DeviceMatrix& G, const DeviceVector& lower, const DeviceVector& upper);
  /// Points on the device, lifted or not, with b there or here.
  DeviceBatch(const DeviceMatrix& points, bool lifted, const DeviceVector& b);
  /// Copies of dense linear rows, or of points, in this memory.
  DeviceBatch(const LinearRows& rows, int device);
  DeviceBatch(const RankOneBatch& points, int device);
  /// Quadratic rows 1/2 |F_i x|^2 + q_i'x <= upper_i, rank rows of F_i each, or log-sum-exp rows of so many terms with b
  /// beside them, on the device.
  DeviceBatch(const DeviceMatrix& terms, Index count, pliant_cuda_family family, const void* beside,
              const DeviceVector& upper);
  /// Copies of such rows.
  DeviceBatch(const QuadraticRows& rows, int device);
  DeviceBatch(const LogSumExpBatch& rows, int device);
  /// Why rows cannot be copied to a device, in words; empty if they can.
  static std::string obstacle(const ConstraintBatch& rows);
  static std::shared_ptr<DeviceBatch> copy_of(const ConstraintBatch& rows, int device);
  ~DeviceBatch();
  DeviceBatch(const DeviceBatch&) = delete;
  DeviceBatch& operator=(const DeviceBatch&) = delete;

  /// Constraints: finite sides.
  Index size() const { return constants_.constraints; }
  Index stored_rows() const { return shape_.rows; }
  DeviceSide side(Index i) const {
    if (!two_sided()) return {i, 1.0};
    const Index side = sides_[static_cast<std::size_t>(i)];
    return {side / 2, side % 2 == 0 ? 1.0 : -1.0};
  }
  Index dimension() const { return points() ? svec_size(order()) : shape_.width; }
  bool points() const { return shape_.family == PLIANT_CUDA_FORMS; }
  /// Linear in the variables.
  bool straight() const { return shape_.family == PLIANT_CUDA_LINEAR || points(); }
  double constant_scale() const { return constants_.largest; }
  /// Bytes that a read of so many rows takes.
  double bytes(Index rows) const { return static_cast<double>(rows * row_bytes()); }
  /// Of everything: rows with two sides count once.
  Index bytes() const { return shape_.rows * row_bytes(); }

  /// Listed constraints, ascending, as rows in this memory.
  BatchPtr fetch(const std::vector<Index>& list);

  /// Points: from here on x means Y with X = R'YR, or X itself if R is empty; what was read is forgotten.
  void set_coordinates(const Matrix& R);
  /// What the device takes for x; valid until the next call.
  const double* argument(const Vector& x);

  /// Names listed constraints, ascending, for sums of outer products of their gradients in the present coordinates; returns
  /// a number that others who do so will not get.
  Index name_gram_rows(const std::vector<Index>& list);
  Index latest_gram() const { return gram_; }
  /// Begins the sum over constraints named last, by their places in the list; end_gram adds it to the lower triangle of H.
  void begin_gram(std::span<const Index> places, ConstVectorRef weights);
  void end_gram(MatrixRef H);

  /// f(functions, object) with an error thrown as InputError.
  template <class F>
  void call(const F& f) {
    expect_done(api_, f(api_, rows_));
  }

 private:
  explicit DeviceBatch(const pliant_cuda_shape& shape);
  void set_constants(const DeviceVector& lower, const DeviceVector& upper);
  /// Stored rows behind listed constraints, each once.
  std::vector<Index> rows_behind(const std::vector<Index>& list) const;
  bool two_sided() const { return !sides_.empty(); }
  Index beside_width() const { return shape_.family == PLIANT_CUDA_QUADRATIC ? shape_.width : shape_.terms; }
  Index row_bytes() const;
  BatchPtr fetch_curved(const std::vector<Index>& list);
  Index order() const { return shape_.width + (lifted_ ? 1 : 0); }
  Doubles gather_numbers(const std::vector<Index>& stored, std::vector<double>& lower, std::vector<double>& upper,
                         double* beside = nullptr);
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
  Index gram_ = 0;                  // how often rows were named
  std::vector<Index> gram_places_;  // of each constraint named: its stored row among those on the device
  std::vector<pliant_cuda_weighted> gram_weights_;
  std::vector<double> gram_tiles_;
};

}  // namespace pliant
