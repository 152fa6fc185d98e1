#include "rows/row_knowledge.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double kRoundingOfDistances = 1e-12;  // a norm of n numbers is off by n units in the last place at most
// Sums may be off by so many roundings of what a read would have to add up: three digits of sixteen.
constexpr double kLostBySums = 1024.0;

}  // namespace

void RowKnowledge::append(Index count) {
  const Index before = size();
  values.conservativeResize(before + count);
  norms.conservativeResize(before + count);
  if (smoothness.size() > 0) smoothness.conservativeResize(before + count);
  point_of.conservativeResize(before + count);
  forget(before, count);
}

void RowKnowledge::forget(Index begin, Index count) {
  values.segment(begin, count).setZero();
  norms.segment(begin, count).setZero();
  if (smoothness.size() > 0) smoothness.segment(begin, count).setZero();
  point_of.segment(begin, count).setConstant(-1);
}

// A constant that was far larger has taken digits of the value with it, which do not come back when it goes. What a read adds
// up is |a_i| + |grad a_i| |x| + L_i/2 |x|^2 at most, with the constant as it is now.
void RowKnowledge::shift(Index begin, const Vector& change) {
  std::vector<double> sizes;
  for (const Vector& x : points) sizes.push_back(x.norm());
  for (Index k = 0; k < change.size(); ++k) {
    const Index i = begin + k;
    if (point_of[i] < 0) continue;
    const double before = values[i], size = sizes[static_cast<std::size_t>(point_of[i])];
    const double curved = smoothness.size() > 0 ? 0.5 * smoothness[i] * size * size : 0.0;
    values[i] += change[k];
    const double read = std::abs(values[i]) + norms[i] * size + curved;
    if (!(std::abs(before) + std::abs(change[k]) <= kLostBySums * read)) forget(i, 1);
  }
}

double row_distance(double value, double norm, double smoothness) {
  const double L = std::isfinite(smoothness) ? smoothness : 0.0;
  const double size = std::sqrt(norm * norm + 2.0 * L * std::abs(value));
  return size > 0.0 ? value / size : value;
}

double RowKnowledge::distance(Index i) const {
  return row_distance(values[i], norms[i], smoothness.size() > 0 ? smoothness[i] : 0.0);
}

Vector RowKnowledge::distances(const Vector& x) const { return distances_from(points, x); }

Vector distances_from(const std::vector<Vector>& points, const Vector& x) {
  Vector out(static_cast<Index>(points.size()));
  for (Index p = 0; p < out.size(); ++p) {
    out[p] = (x - points[static_cast<std::size_t>(p)]).norm() * (1.0 + kRoundingOfDistances);
  }
  return out;
}

RowBounds::RowBounds(const RowKnowledge& known, const Vector& x, double radius)
    : known_(known), reach_(known.distances(x).array() + radius), curved_(known.smoothness.size() > 0) {}

}  // namespace pliant
