// Where functions of the user are looked at, and what is seen there.
//
// A segment is a point, its middle, and a half d to either side. Along it the functions are evaluated at the ends, in the
// middle and at four points very near to it:
//
//     x = middle - d    middle - 2hd   middle - hd   middle   middle + hd   middle + 2hd    y = middle + d
//
// The near points tell how noisy the values are and what the slope is; the ends tell whether they are convex.
#pragma once

#include "pliant/objective_term.hpp"
#include "pliant/problem.hpp"

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace pliant {

/// Some functions, rows of a batch or one term of the objective.
struct SampledFunctions {
  std::string label;                                       ///< for messages
  std::vector<Index> rows;                                 ///< empty: one objective term
  std::function<void(const Vector& x, Vector& a)> values;  ///< of all
  std::function<void(const Vector& x, const Vector& d, Vector& slope, Vector& norm)> slopes;  ///< grad'd and |grad|
  const Approximation* approximates = nullptr;
  Index count() const { return std::max<Index>(1, static_cast<Index>(rows.size())); }
};

SampledFunctions sample_of(const ConstraintBatch& batch);
SampledFunctions sample_of(const ObjectiveTerm& term, std::size_t position);

struct Segment {
  static constexpr double kNear = 0x1p-20;  ///< h: far above rounding of a position, far below all scales of interest
  static constexpr std::array kSteps{-1.0, -2.0 * kNear, -kNear, 0.0, kNear, 2.0 * kNear, 1.0};
  static constexpr Index kMiddle = 3;
  static constexpr Index kLast = static_cast<Index>(kSteps.size()) - 1;

  Vector middle, d;
  Matrix values;       ///< one column per step, one row per function
  Matrix exact;        ///< likewise of what they approximate, at the first, middle and last; empty: not given
  Vector slope, norm;  ///< grad'd and |grad| in the middle

  Vector point(Index step) const { return middle + kSteps[static_cast<std::size_t>(step)] * d; }
};

/// The region around the start of a problem, inside the domain of its prox term.
class SampleRegion {
 public:
  explicit SampleRegion(const Problem& problem);
  /// Segments of several lengths, in random directions and along one variable after the other; always the same ones.
  std::vector<Segment> segments() const;

 private:
  /// variable < 0: all of them.
  Segment segment(std::size_t length, Index variable) const;

  const ProxTerm& prox_;
  Vector centre_, reach_;
};

/// Evaluates the functions along a segment; false if they are not defined there (a NaN, or they throw).
bool evaluate(const SampledFunctions& functions, Segment& segment);

}  // namespace pliant
