// The problem on a band of soft rows: everything else is frozen to a linear function.
#pragma once

#include "engines/path/elastic_newton.hpp"
#include "engines/path/smoothed_newton.hpp"
#include "rows/soft_table.hpp"

namespace pliant {

/// A level of soft rows, a sample or all, with what is frozen of them. Of all rows, some may be held elsewhere and be no more
/// than a linear function.
struct SoftLevel {
  std::unique_ptr<SoftTable> copies;  ///< of rows; null: they are in place
  const SoftTable* table = nullptr;   ///< of this level: the copies, or what holds all
  bool part = false;                  ///< a sample of rows near a kink; all others are no more than a linear function
  bool whole = false;                 ///< no sample,
  Index stands_for = 0;               ///< but, with those elsewhere, so many rows
  double scale = 1.0;                 ///< of prices: so many rows each of them stands for
  SoftStates states;                  ///< what rows are frozen to
  Vector gradient;                    ///< sum of scale * slope * g over all of them, those elsewhere included,
  double constant = 0.0;              ///< and what these linear functions are at x = 0
  Vector linear;                      ///< in the place of the gradient of the objective at 0; empty: that itself

  bool all() const { return whole; }
  Index count() const { return table->size(); }
  SoftRow row(Index k) const { return table->row(k); }
  SoftState state(Index k) const { return static_cast<SoftState>(states[k]); }
  void set_state(Index k, SoftState state) { states[k] = static_cast<std::uint8_t>(state); }
};

class BandProblem {
 public:
  /// With a budget, the prices of soft rows are those of a unit of its multiplier, and its linear part is that of the budget
  /// beside them. Null: they are prices.
  BandProblem(const Problem& problem, ConstraintSystem& system, PriceBudget* budget = nullptr);

  /// The gradient of the smooth objective at 0.
  const Vector& linear() const { return q_; }
  /// Neither bounds, l1 terms, equalities nor hard rows.
  bool soft_only() const { return hard_rows_ == 0 && model_.coordinates.size() == 0 && model_.E.rows() == 0; }
  /// x moved the shortest way to where the equalities hold.
  Vector on_equalities(const Vector& x) const;
  /// g'x and |g| of the rows of the band where x is. Empty: not known, then they are found when a solve copies the rows.
  struct BandRows {
    Vector values, norms;
    void forget() {
      values.resize(0);
      norms.resize(0);
    }
  };
  /// Solves with the rows of the band (positions in the level, ascending) free to move, the others frozen. False: it got
  /// stuck short of eps, or was told to stop. `delta`: x is the solution with kinks smoothed over this distance in x; 0:
  /// nothing is known of it.
  bool solve(const SoftLevel& level, const std::vector<Index>& band, BandRows& known, double eps, double delta,
             Vector& x, FunctionRef<bool()> stop);
  /// The solution with kinks smoothed over a distance delta in x, roughly.
  bool solve_smoothed(const SoftLevel& level, const std::vector<Index>& band, BandRows& known, double delta, Vector& x,
                      FunctionRef<bool()> stop);

  // After a solve.
  double objective() const { return objective_; }
  double hard_violation() const { return hard_violation_; }
  /// What the band leaves open between its prices and its multipliers.
  double open_gap() const { return open_gap_; }
  /// After a smoothed solve: how many widths rows are away from their kinks, in the mean, weighted with how far multipliers
  /// are from an end.
  double depth() const { return depth_; }
  /// g'x of the rows of the band, and the slopes their multipliers stand for, scale included.
  const Vector& band_values() const { return band_values_; }
  const Vector& band_slopes() const { return band_slopes_; }
  /// Multipliers of hard rows and equalities of the problem, into those of its system.
  void spread_hard(VectorRef multipliers) const;
  /// What the prices of rows are multiplied by.
  double theta() const { return budget_ != nullptr ? budget_->theta : 1.0; }
  /// Begins again at a multiplier of the budget; nothing without one.
  void set_theta(double theta) {
    if (budget_ != nullptr) budget_->theta = theta;
  }
  double xi() const { return hard_.empty() ? 0.0 : newton_.xi(); }
  double delta() const { return newton_.delta(); }

 private:
  /// One elastic row for each kink of a row of the band.
  struct Kink {
    std::size_t place;  // in the band
    double sign;        // of the row
    double base;        // slope of the row below the kink, scale included
  };
  void gather(const SoftLevel& level, const std::vector<Index>& band);
  BatchPtr gathered(const SoftLevel& level, const std::vector<Index>& band, const Vector& x, BandRows& known) const;
  void add_kink(Index row, std::size_t place, double sign, double constant, double cap, double base);
  void take_results(const SoftLevel& level, const std::vector<Index>& band, const Vector& x);
  /// Widths of the smoothed kinks, in the units of their rows.
  Vector widths(const BandRows& known, double delta) const;
  /// What to add to multipliers of the kinks so that the frozen part of the level does without the band; the constant of
  /// that part goes into the model.
  Vector without_band(const SoftLevel& level, const std::vector<Index>& band);
  /// The linear part that frozen rows belong to.
  Vector& frozen_gradient() { return budget_ != nullptr ? level_budget_.gradient : model_.q; }
  /// Smoothed solves at multipliers of the budget until it is kept, or as good as.
  bool meet_budget(const SmoothedBand& band, Vector& x, FunctionRef<bool()> stop);
  /// How much of the budget is exceeded at x, from the values of the kinks of the band.
  double excess(const SmoothedBand& band, const Vector& x) const;
  PriceBudget* budget_of_level() { return budget_ != nullptr ? &level_budget_ : nullptr; }

  const Problem& problem_;
  ConstraintSystem& system_;
  PriceBudget* budget_;
  PriceBudget level_budget_;  // with what is frozen of a level
  PathModel model_;           // its q and constant hold what is frozen, without a budget
  ElasticNewton newton_;
  SmoothedNewton smoothed_;
  RowSelection hard_selection_;
  const Vector q_;
  const double constant_;
  std::vector<Index> hard_;  // batches
  Index hard_rows_ = 0;
  std::vector<Kink> kinks_;
  std::vector<Index> gathered_;
  std::vector<double> signs_, constants_, caps_;
  double objective_ = 0.0, hard_violation_ = 0.0, open_gap_ = 0.0, depth_ = 0.0;
  Vector band_values_, band_slopes_;
};

}  // namespace pliant
