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

  /// Reads the rows of a level at x and freezes all of them, and counts those within `reach` of a kink, in z. `far`: what
  /// is frozen elsewhere; null: nothing.
  void read(SoftLevel level, const Vector& x, const FrozenSum* far = nullptr, double reach = -1.0);
  /// The level, which is to be read again.
  SoftLevel release() { return std::move(level_); }
  const SoftLevel& level() const { return level_; }
  SoftRow row(Index k) const { return level_.row(k); }

  /// How far from the nearest kink, in x, row k was when the level was read, until x moves.
  double distance_read(Index k) const { return static_cast<double>(keys_[k]); }

  /// The `count` rows nearest to a kink, ascending.
  std::vector<Index> nearest(Index count) const;
  /// The places in a band of rows within `reach` of a kink, in x; the nearest `least` of them in any case.
  std::vector<Index> near_of(const std::vector<Index>& band, const BandProblem::BandRows& known, double reach,
                             Index least = 0) const;
  /// How many were found within the reach of the last read.
  Index within_reach() const { return within_reach_; }

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
  /// Freezes rows that leave a band.
  void freeze(const Vector& x, const std::vector<Index>& leaving, const BandProblem::BandRows& known);
  /// Root mean square of g'd over about `some` of the rows of a band.
  double root_mean_square(const Vector& d, const std::vector<Index>& band, Index some) const;

 private:
  using Floats = Eigen::VectorXf;
  /// What is known of a row that was seen there.
  struct Seen {
    SoftState state;
    double in_z;  // distance from the nearest kink, in z,
    float in_x;   // and in x, not more than it is
  };
  static Seen look(const SoftRow& row, double z, double norm);
  std::vector<Index> within(double reach) const;  // of keys
  double reach_of(Index count) const;             // of about so many rows, rather more
  std::vector<Index> in_doubt(double moved, const std::vector<Index>& band) const;
  void list_soon(double moved) const;  // rows that may be in doubt at the end of a path so long, and on a longer one
  double distance(Index k, double z, double norm) const;  // of row k from the nearest kink, in x
  void set_key(Index k, double from_here);
  Wrong freeze_again(const Vector& x, const std::vector<Index>& places);

  // A few bytes for each of very many rows: single precision is enough for what only has to be on the safe side. Values are
  // those of another x as soon as x moves: only rows of a band have any, and not here.
  SoftLevel level_;
  Floats keys_;         // length of the path of x at which a row may leave its side, rounded down
  double moved_ = 0.0;  // that length so far
  Index within_reach_ = 0;
  // Rows whose keys are no more than a horizon, ascending, and some others: no other row is in doubt before that.
  mutable std::vector<Index> soon_;
  mutable double horizon_ = -1.0;
};

}  // namespace pliant
