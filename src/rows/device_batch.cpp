#include "rows/device_batch.hpp"

#include "constraints/linear.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

pliant_cuda_shape shape_of(const DeviceMatrix& G) {
  const auto bytes = static_cast<std::int32_t>(G.single ? sizeof(float) : sizeof(double));
  return {static_cast<std::int32_t>(G.device), bytes, G.rows, G.columns};
}

}  // namespace

DeviceBatch::DeviceBatch(const pliant_cuda_shape& shape) : api_(device_library()), shape_(shape) {
  expect_done(api_, api_.create(&shape_, &rows_));
}

DeviceBatch::DeviceBatch(const DeviceMatrix& G, const double* lower, const double* upper, bool sides_on_device)
    : DeviceBatch(shape_of(G)) {
  expect_done(api_, api_.adopt(rows_, G.numbers));
  set_constants(lower, upper, sides_on_device);
}

DeviceBatch::DeviceBatch(const LinearRows& rows, int device)
    : DeviceBatch(shape_of({nullptr, rows.matrix().rows(), rows.matrix().cols(), false, device})) {
  expect_done(api_, api_.upload(rows_, 0, shape_.rows, rows.matrix().values().data()));
  set_constants(rows.two_sided() ? rows.lower().data() : nullptr, rows.upper().data(), false);
}

DeviceBatch::~DeviceBatch() {
  if (rows_ != nullptr) api_.destroy(rows_);
}

void DeviceBatch::set_constants(const double* lower, const double* upper, bool on_device) {
  expect_done(api_, api_.set_constants(rows_, lower, upper, on_device ? 1 : 0, &constants_));
  if (lower == nullptr && constants_.constraints == shape_.rows) return;
  sides_.resize(static_cast<std::size_t>(constants_.constraints));
  expect_done(api_, api_.list_sides(rows_, sides_.data()));
}

BatchPtr DeviceBatch::fetch(const std::vector<Index>& list) {
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

}  // namespace pliant
