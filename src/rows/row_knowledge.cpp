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
  point_of.conservativeResize(before + count);
  forget(before, count);
}

void RowKnowledge::forget(Index begin, Index count) {
  values.segment(begin, count).setZero();
  norms.segment(begin, count).setZero();
  if (smoothness.size() > 0) smoothness.segment(begin, count).setZero();
  point_of.segment(begin, count).setConstant(-1);
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
