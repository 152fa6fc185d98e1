#include "rows/row_knowledge.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double kRoundingOfDistances = 1e-12;  // a norm of n numbers is off by n units in the last place at most

}  // namespace

void RowKnowledge::append(Index count) {
  const Index before = size();
  values.conservativeResize(before + count);
  norms.conservativeResize(before + count);
  if (smoothness.size() > 0) smoothness.conservativeResize(before + count);
  point_of.resize(static_cast<std::size_t>(before + count));
  forget(before, count);
}

void RowKnowledge::forget(Index begin, Index count) {
  values.segment(begin, count).setZero();
  norms.segment(begin, count).setZero();
  if (smoothness.size() > 0) smoothness.segment(begin, count).setZero();
  std::fill_n(point_of.begin() + begin, count, -1);
}

void RowKnowledge::shift(Index begin, const Vector& change) { values.segment(begin, change.size()) += change; }

double row_distance(double value, double norm, double smoothness) {
  const double L = std::isfinite(smoothness) ? smoothness : 0.0;
  const double size = std::sqrt(norm * norm + 2.0 * L * std::abs(value));
  return size > 0.0 ? value / size : value;
}

double RowKnowledge::distance(Index i) const {
  return row_distance(values[i], norms[i], smoothness.size() > 0 ? smoothness[i] : 0.0);
}

Vector RowKnowledge::distances(const Vector& x) const {
  Vector out(static_cast<Index>(points.size()));
  for (Index p = 0; p < out.size(); ++p) {
    out[p] = (x - points[static_cast<std::size_t>(p)]).norm() * (1.0 + kRoundingOfDistances);
  }
  return out;
}

double RowKnowledge::bound(Index i, const Vector& distances, double more) const {
  const std::int32_t point = point_behind(i);
  if (point < 0) return kInfinity;
  const double distance = distances[point] + more;
  if (distance == 0.0) return values[i];  // 0 times a curvature that is not known is not 0
  const double curved = smoothness.size() > 0 ? 0.5 * smoothness[i] * distance * distance : 0.0;
  return values[i] + norms[i] * distance + curved;
}

}  // namespace pliant
