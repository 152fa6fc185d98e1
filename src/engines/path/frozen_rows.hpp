// The rows of a level of soft rows, frozen to the side of their kinks they were last seen on.
//
// A row that was read at distance d from its nearest kink is on the same side until x has moved by d: most rows are read
// once, and never again.
#pragma once

#include "engines/path/band_problem.hpp"
#include "rows/soft_mass.hpp"

namespace pliant {

class FrozenRows {
 public:
  /// In the units of the variables that the rows of the level have.
  double distance_between(const Vector& x, const Vector& y) const;

  /// Reads the rows of a level at x and freezes all of them. `far`: what is frozen elsewhere; null: nothing.
  void read(SoftLevel level, const Vector& x, const FrozenSum* far = nullptr);
  /// The level, which is to be read again.
  SoftLevel release() { return std::move(level_); }
  const SoftLevel& level() const { return level_; }
  SoftRow row(Index k) const { return level_.row(k); }

  /// What was read: g'x and |g|; and the distance of row k from the nearest kink there, in x.
  BandProblem::ReadRows known() const { return {values_, norms_}; }
  double distance(Index k) const;
  /// What a solve has found of the rows of a band.
  void set_values(const std::vector<Index>& band, const Vector& z);

  /// The `count` rows nearest to a kink, ascending.
  std::vector<Index> nearest(Index count) const;
  /// The rows of a band within `reach` of a kink, in x; the nearest `least` of them in any case.
  std::vector<Index> near_of(const std::vector<Index>& band, double reach, Index least = 0) const;
  /// How many are within `reach` of a kink, in z.
  Index count_within(double reach) const;

  /// How many are not on the side that most are on.
  Index rarest_side() const;

  struct Wrong {
    std::vector<Index> rows;  ///< frozen to a slope that was not theirs at x
    double cost = 0.0;        ///< what the objective missed
  };
  /// About how many rows outside the band are on another side at x, a step away, from a look at `some` in doubt.
  double estimate_wrong(const Vector& x, double step, const std::vector<Index>& band, Index some) const;
  /// x has moved by a step: reads what is in doubt outside the band and freezes it to where it is.
  Wrong check(const Vector& x, double step, const std::vector<Index>& band);
  /// Freezes rows that leave a band, whose values are known.
  void freeze(const Vector& x, const std::vector<Index>& leaving);
  /// Root mean square of g'd over about `some` of the rows of a band.
  double root_mean_square(const Vector& d, const std::vector<Index>& band, Index some) const;

 private:
  std::vector<Index> within(double reach) const;  // of keys
  double reach_of(Index count) const;             // of about so many rows, rather more
  std::vector<Index> in_doubt(double moved, const std::vector<Index>& band) const;
  Wrong freeze_again(const Vector& x, const std::vector<Index>& places);

  SoftLevel level_;
  Vector values_, norms_;  // z and |g|
  Vector keys_;            // length of the path of x at which a row may leave its side
  double moved_ = 0.0;     // that length so far
};

}  // namespace pliant
