#include "linalg/point_forms.hpp"

#include "linalg/lanes.hpp"

#include <algorithm>

namespace pliant {
namespace {

// Four vectors of points are under way, which hides the latency of their additions.
constexpr Index kVectors = 4;
constexpr Index kGroup = kLanes * kVectors;

// Four numbers of four points each, turned by shuffles: one by one they would cost as much as the form.
void turn_four(const double* const* points, Index j, double* out) {
  const HalfLanes a = half_lanes_at(points[0] + j), b = half_lanes_at(points[1] + j);
  const HalfLanes c = half_lanes_at(points[2] + j), d = half_lanes_at(points[3] + j);
  const HalfLanes ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6),
                  ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  const HalfLanes cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6),
                  cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
  half_lanes_at(out) = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
  half_lanes_at(out + kGroup) = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
  half_lanes_at(out + 2 * kGroup) = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
  half_lanes_at(out + 3 * kGroup) = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

// Entry j of all points of a group at out + j kGroup.
void turn(const double* const* points, Index width, double* out) {
  for (Index r = 0; r < kGroup; r += 4) {
    Index j = 0;
    for (; j + 4 <= width; j += 4) turn_four(points + r, j, out + j * kGroup + r);
    for (; j < width; ++j) {
      for (Index k = r; k < r + 4; ++k) out[j * kGroup + k] = points[k][j];
    }
  }
}

}  // namespace

Index PointForm::memory_size(Index width) { return width * (width + 3) / 2 + width * kGroup; }

PointForm::PointForm(ConstMatrixRef D, bool lifted, double* memory)
    : width_(lifted ? D.rows() - 1 : D.rows()),
      constant_(lifted ? D(width_, width_) : 0.0),
      coefficients_(memory),
      group_(memory + width_ * (width_ + 3) / 2) {
  double* next = coefficients_;
  for (Index j = 0; j < width_; ++j) {
    *next++ = lifted ? 2.0 * D(width_, j) : 0.0;
    for (Index i = 0; i < j; ++i) *next++ = 2.0 * D(j, i);
    *next++ = D(j, j);
  }
}

// sum_j p_j (2c_j + sum_{i<j} 2A_ji p_i + A_jj p_j): half of the products of (AP)'P.
void PointForm::values_of_group(Index count, double* out) const {
  Lanes sum[kVectors]{};
  const double* next = coefficients_;
  for (Index j = 0; j < width_; ++j) {
    Lanes inner[kVectors];
    for (Index v = 0; v < kVectors; ++v) inner[v] = Lanes{} + *next;
    ++next;
    const double* entries = group_;
    for (Index i = 0; i <= j; ++i, entries += kGroup, ++next) {
      for (Index v = 0; v < kVectors; ++v) inner[v] += *next * lanes_at(entries + v * kLanes);
    }
    for (Index v = 0; v < kVectors; ++v) sum[v] += inner[v] * lanes_at(entries - kGroup + v * kLanes);
  }
  double values[kGroup];
  for (Index v = 0; v < kVectors; ++v) lanes_at(values + v * kLanes) = sum[v] + constant_;
  std::copy_n(values, count, out);
}

void PointForm::values(const double* points, Rows rows, double* out) const {
  const double* group[kGroup];
  for (Index k = 0; k < rows.size(); k += kGroup) {
    const Index count = std::min(kGroup, rows.size() - k);
    for (Index r = 0; r < kGroup; ++r) group[r] = points + rows[k + std::min(r, count - 1)] * width_;
    turn(group, width_, group_);
    values_of_group(count, out + k);
  }
}

}  // namespace pliant
