// The band of rows near a kink on a level of soft rows (soft_bands.hpp), and solves on it that end where every row outside it
// is on the side it is frozen to.
#pragma once

#include "engines/path/frozen_rows.hpp"
#include "engines/path/soft_bands.hpp"
#include "engines/path/soft_samples.hpp"

#include <cmath>
#include <string_view>

namespace pliant {

class BandRounds {
 public:
  /// `budget`: null, or the one that prices belong to.
  BandRounds(Context& run, SoftMass& mass, Vector x, const BandParameters& parameters, PriceBudget* budget);

 protected:
  ~BandRounds() = default;
  BandRounds(const BandRounds&) = delete;
  BandRounds& operator=(const BandRounds&) = delete;

  double target() const;
  bool stopped() { return run_.verdict().reached() || run_.check_limits(); }
  /// Phases of the journal.
  static std::string_view checks(bool all) { return all ? "full checks" : "sample checks"; }

  void begin_band();
  void join_band(const std::vector<Index>& added);
  /// Solves with smoothed kinks, narrower ones each time, on a band that becomes narrower with them. False: none of them
  /// got anywhere.
  bool approach();
  /// Solves on the band until no row outside it is on another side. False: no band does it.
  bool solve_rounds(double eps);
  /// Rows that came from elsewhere join the others of the level, which is read again where x is.
  void take(const std::unique_ptr<SoftTable>& rows);

  Context& run_;
  const Problem& problem_;
  SoftMass& mass_;
  const BandParameters& parameters_;
  PriceBudget* budget_;  // null: none
  BandWidth width_;
  BandProblem band_problem_;
  FrozenRows rows_;
  Vector x_;
  std::vector<Index> band_, solved_band_;
  BandProblem::BandRows known_;  // of the band, where x is
  double solved_width_ = 0.0;    // x is the solution on this level with kinks so wide; 0: it is not, or exactly

 private:
  /// Rows that lie at one kink together stay open however narrow it becomes.
  struct Ties {
    double open = 0.0;
    Index widths = 0, stalls = 0;
  };

  /// Of what kinks leave open, as far as a target tells.
  double allowed_gap() const { return target() * (1.0 + std::abs(band_problem_.objective())); }
  /// Of the rows of the level some are no more than a linear function.
  bool some_elsewhere() const { return rows_.level().part || (rows_.level().all() && mass_.elsewhere()); }
  Index band_size() const;
  bool widen_band();
  std::vector<Index> near_kinks(double reach) const;
  void shrink_band(const std::vector<Index>& near);
  BandProblem::BandRows known_of(const std::vector<Index>& rows) const;
  /// The band has just been solved on.
  void keep_values() { known_.values = band_problem_.band_values(); }
  double first_width() const;
  bool solve_smoothed(double delta);
  double reach_of(double widths, double delta) const;
  bool near_enough(double delta, Ties& ties) const;
  bool cheap(const FrozenRows::Wrong& wrong) const;
  bool as_hard(const std::vector<Index>& near) const;
  /// Whether the band has all rows.
  bool whole() const;
  bool ran_away(const Vector& before) const;
  bool holds(const Vector& before, double theta, bool solved);
  bool note_and_stop();
  void solve_band(double eps);
  bool misses_too_many(const Vector& before);
  FrozenRows::Wrong check(const Vector& before);

  Index narrowest_ = 0;  // rows of a band that was made wider on this level, fewer did not hold the solution; 0: none
};

}  // namespace pliant
