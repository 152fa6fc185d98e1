#include "rows/device_batch.hpp"

#include "constraints/linear.hpp"
#include "constraints/rank_one.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

pliant_cuda_shape shape_of(const DeviceMatrix& G, pliant_cuda_family family) {
  const auto bytes = static_cast<std::int32_t>(G.single ? sizeof(float) : sizeof(double));
  return {static_cast<std::int32_t>(G.device), family, bytes, G.rows, G.columns};
}

}  // namespace

DeviceBatch::DeviceBatch(const pliant_cuda_shape& shape) : api_(device_library()), shape_(shape) {
  expect_done(api_, api_.create(&shape_, &rows_));
}

DeviceBatch::DeviceBatch(const DeviceMatrix& G, const double* lower, const double* upper, bool sides_on_device)
    : DeviceBatch(shape_of(G, PLIANT_CUDA_LINEAR)) {
  expect_done(api_, api_.adopt(rows_, G.numbers));
  set_constants(lower, upper, sides_on_device);
}

DeviceBatch::DeviceBatch(const LinearRows& rows, int device)
    : DeviceBatch(shape_of({nullptr, rows.matrix().rows(), rows.matrix().cols(), false, device}, PLIANT_CUDA_LINEAR)) {
  expect_done(api_, api_.upload(rows_, 0, shape_.rows, rows.matrix().values().data()));
  set_constants(rows.two_sided() ? rows.lower().data() : nullptr, rows.upper().data(), false);
}

DeviceBatch::DeviceBatch(const DeviceMatrix& points, bool lifted, const double* b, bool b_on_device)
    : DeviceBatch(shape_of(points, PLIANT_CUDA_FORMS)) {
  lifted_ = lifted;
  expect_done(api_, api_.adopt(rows_, points.numbers));
  set_constants(nullptr, b, b_on_device);
  set_coordinates(Matrix());
}

DeviceBatch::DeviceBatch(const RankOneBatch& points, int device)
    : DeviceBatch(shape_of({nullptr, points.size(), points.width(), false, device}, PLIANT_CUDA_FORMS)) {
  lifted_ = points.lifted();
  expect_done(api_, api_.upload(rows_, 0, shape_.rows, points.points().data()));
  set_constants(nullptr, points.b().data(), false);
  set_coordinates(Matrix());
}

void DeviceBatch::set_coordinates(const Matrix& R) {
  if (!points()) {
    if (R.size() > 0) throw InputError("linear rows on a device know no other coordinates");
    return;
  }
  R_ = R;
  const Matrix metric = R.size() > 0 ? Matrix(R.transpose() * R) : Matrix(Matrix::Identity(order(), order()));
  expect_done(api_, api_.set_norm_form(rows_, form_of(metric).data()));
}

const double* DeviceBatch::argument(const Vector& x) {
  if (!points()) return x.data();
  const Matrix Y = smat(x);
  form_ = form_of(R_.size() > 0 ? Matrix(R_.transpose() * Y * R_) : Y);
  return form_.data();
}

// (p,1)'X(p,1) = p'Ap + 2c'p + s with X = [A c; c' s].
std::vector<double> DeviceBatch::form_of(const Matrix& X) const {
  std::vector<double> out;
  for (Index j = 0; j < shape_.width; ++j) {
    for (Index k = 0; k <= j; ++k) out.push_back(j == k ? X(j, j) : X(j, k) + X(k, j));
  }
  for (Index j = 0; j < shape_.width; ++j) out.push_back(lifted_ ? X(j, order() - 1) + X(order() - 1, j) : 0.0);
  out.push_back(lifted_ ? X(order() - 1, order() - 1) : 0.0);
  return out;
}

BatchPtr DeviceBatch::fetch_points(const std::vector<Index>& list) {
  const auto count = static_cast<Index>(list.size());
  std::vector<double> numbers(static_cast<std::size_t>(count * shape_.width)), lower(list.size()), b(list.size());
  expect_done(api_, api_.gather(rows_, list.data(), count, numbers.data(), lower.data(), b.data()));
  return std::make_shared<RankOneBatch>(count, order(), lifted_, Doubles(std::move(numbers)), Doubles(std::move(b)));
}

DeviceBatch::~DeviceBatch() {
  if (rows_ != nullptr) api_.destroy(rows_);
}

void DeviceBatch::set_constants(const double* lower, const double* upper, bool on_device) {
  expect_done(api_, api_.set_constants(rows_, lower, upper, on_device ? 1 : 0, &constants_));
  if (lower == nullptr && constants_.constraints == shape_.rows) return;
  if (points()) throw InputError("points on a device: b has infinite entries");
  sides_.resize(static_cast<std::size_t>(constants_.constraints));
  expect_done(api_, api_.list_sides(rows_, sides_.data()));
}

BatchPtr DeviceBatch::fetch(const std::vector<Index>& list) {
  if (points()) return fetch_points(list);
  std::vector<Index> stored;  // each once
  for (const Index i : list) {
    const Index r = two_sided() ? sides_[static_cast<std::size_t>(i)] / 2 : i;
    if (stored.empty() || stored.back() != r) stored.push_back(r);
  }
  const auto count = static_cast<Index>(stored.size());
  std::vector<double> numbers(static_cast<std::size_t>(count * shape_.width)), lower(stored.size()),
      upper(stored.size());
  expect_done(api_, api_.gather(rows_, stored.data(), count, numbers.data(), lower.data(), upper.data()));
  DataMatrix G = DataMatrix::dense(count, shape_.width, std::move(numbers));
  if (!two_sided()) return finite_linear_le(std::move(G), Doubles(std::move(upper)));
  // Sides that are not listed become infinite.
  std::vector<double> lo(stored.size(), -kInfinity), hi(stored.size(), kInfinity);
  std::size_t at = 0;
  for (const Index i : list) {
    const Index side = sides_[static_cast<std::size_t>(i)];
    while (stored[at] != side / 2) ++at;
    if (side % 2 == 0) {
      hi[at] = upper[at];
    } else {
      lo[at] = lower[at];
    }
  }
  return linear_range(Doubles(std::move(lo)), std::move(G), Doubles(std::move(hi)));
}

DeviceBatchPtr linear_le_on_device(const DeviceMatrix& G, const double* h) {
  return std::make_shared<DeviceBatch>(G, nullptr, h, true);
}

DeviceBatchPtr linear_range_on_device(const double* lo, const DeviceMatrix& G, const double* hi) {
  return std::make_shared<DeviceBatch>(G, lo, hi, true);
}

DeviceBatchPtr rank_one_lifted_le_on_device(const DeviceMatrix& points, const double* b) {
  return std::make_shared<DeviceBatch>(points, true, b, true);
}

}  // namespace pliant
