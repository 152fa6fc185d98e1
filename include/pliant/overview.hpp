// A short account of all constraints at the point a solve returns, for people to look at.
#pragma once

#include "pliant/types.hpp"

#include <vector>

namespace pliant {

/// How far the hard inequalities and cones are from their boundaries at x, counted in logarithmic classes of the slack
/// -a_i(x). Class k holds 10^(kLowest + k/kPerDecade) <= |a_i| < 10^(kLowest + (k+1)/kPerDecade); what lies beyond the
/// last one is counted in it.
struct SlackHistogram {
  static constexpr int kLowest = -16;
  static constexpr int kHighest = 16;
  static constexpr int kPerDecade = 4;
  static constexpr int kClasses = (kHighest - kLowest) * kPerDecade;

  std::vector<Index> satisfied;  ///< a_i <= -10^kLowest; kClasses entries, or none where nothing is known
  std::vector<Index> violated;   ///< a_i >= 10^kLowest
  Index boundary = 0;            ///< closer than that
  Index unknown = 0;             ///< a_i is not a number
  /// So many were not read at x: methods that prove rows inactive know a lower bound of their slack, which counts.
  Index bounded = 0;

  Index total() const;
  void add(double a);
};

/// Where soft rows stand: below their kink, with a multiplier of 0; at it; beyond it, with their price for a multiplier.
struct SoftOverview {
  Index at_zero = 0, at_kink = 0, at_price = 0;
  double cost = 0.0;  ///< what they add to the objective

  Index total() const { return at_zero + at_kink + at_price; }
};

/// One of the largest multipliers.
struct LeadingMultiplier {
  enum class Kind { constraint, cone, equality };
  Kind kind = Kind::constraint;
  Index part = 0;           ///< batch, or conic constraint
  Index row = 0;            ///< entry of its duals (a two-sided row has one), cone, or row of E
  double multiplier = 0.0;  ///< with the sign of the dual; of a cone the norm of its part of z
  double value = 0.0;       ///< a(x), <= 0 for hard rows, or the residual of an equality
};

struct ConstraintOverview {
  static constexpr Index kLeading = 20;
  SlackHistogram slacks;
  SoftOverview soft;
  std::vector<LeadingMultiplier> leading;  ///< at most kLeading, the largest |multiplier| first; none of them 0
};

}  // namespace pliant
