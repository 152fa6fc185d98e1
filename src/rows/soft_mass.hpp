// The contract of whoever holds the mass of soft rows of a problem: this memory, or other machines.
//
// The bands (engines/path/soft_bands.hpp) need five things of it:
//
//   how many   size(): known here, so that samples by index cost nothing
//   copy       named rows as a table of their own: samples; or some of those near a kink, where reads are cheap
//   read       at x: every row is frozen to the side of its kinks it is on, and those near a kink come here
//   sums       far(): the linear function that the rows which stayed there are frozen to
//   check      at another x: rows that are on another side there come here, too
//
// Whoever holds rows elsewhere keeps, of each, the state it is frozen to and how far x may go before that is in doubt;
// everything else happens here, on the rows that came. Each of copy (of what was announced), read, nearest and check is one
// round. Rows in this memory are all "here": read brings all of them, in place, and nothing is far.
#pragma once

#include "rows/soft_table.hpp"

#include <limits>

namespace pliant {

/// Rows near a kink that are wanted: `count` of them, or, for a reach >= 0, as many as are within it of a kink, in z, and
/// `count` at least.
struct NearWish {
  Index count = 0;
  double reach = -1.0;
};

/// gradient'x + constant, the sum of the linear functions that rows are frozen to, and sums of the absolute values behind it.
struct FrozenSum {
  Vector gradient;  ///< empty: there are none
  double constant = 0.0;
  Vector gradient_size;
  double constant_size = 0.0;
  Index length = 0;  ///< the longest chain of additions
};

/// The rows of a mass that are here.
struct RowsHere {
  const SoftTable* in_place = nullptr;  ///< all of them, or
  std::unique_ptr<SoftTable> copies;    ///< those that came
};

/// Rows on another side than the one they are frozen to.
struct WrongRows {
  Index count = 0;
  std::unique_ptr<SoftTable> copies;  ///< null: none, or more than were wanted
};

/// Some of the rows near a kink, each for `scale` of them, beside all others: at the x where they were found, scale times what
/// the copies are frozen to and `rest` is the exact sum over all rows.
struct NearSample {
  std::unique_ptr<SoftTable> copies;  ///< null: no sample is needed
  double scale = 1.0;
  FrozenSum rest;
};

class SoftMass {
 public:
  SoftMass() = default;
  virtual ~SoftMass() = default;
  SoftMass(const SoftMass&) = delete;
  SoftMass& operator=(const SoftMass&) = delete;

  virtual Index size() const = 0;
  virtual double largest_price() const = 0;
  /// SoftTable::set_units of all of them.
  virtual void set_units(const Vector& units) = 0;
  virtual const Vector& units() const = 0;

  /// Samples that will be asked for, all at once; none is larger than most_sample.
  virtual void announce(const std::vector<std::vector<Index>>& /*samples*/) {}
  virtual Index most_sample() const { return std::numeric_limits<Index>::max(); }
  virtual std::unique_ptr<SoftTable> copy(const std::vector<Index>& rows) = 0;

  /// Where a read costs less than the rows that a wish brings here: a sample of these, if they are many; all rows are frozen
  /// where x is. A read of the same x that follows costs nothing.
  virtual NearSample sample_near(const Vector& /*x*/, const NearWish& /*wish*/) { return {}; }
  /// Begins again: freezes all rows where x is.
  virtual RowsHere read(const Vector& x, const NearWish& wish) = 0;
  /// About `count` more of those nearest to a kink; null: there are none that matter.
  virtual std::unique_ptr<SoftTable> nearest(Index count) = 0;
  /// x has moved. Wrong rows come here if they are no more than `most`; otherwise they stay as they are.
  virtual WrongRows check(const Vector& x, Index most) = 0;
  /// Of the rows that are not here.
  virtual const FrozenSum& far() const = 0;
  /// Numbers of the rows that came, in the order of their coming; empty where all are here in place.
  virtual const std::vector<Index>& numbers() const = 0;
  /// Whether some rows are elsewhere now; whether they are not in this memory at all.
  virtual bool elsewhere() const = 0;
  virtual bool held_elsewhere() const = 0;
};

/// Rows in this memory.
class LocalSoft final : public SoftMass {
 public:
  LocalSoft(const Problem& problem, ConstraintSystem& system) : table_(problem, system) {}

  const SoftTable& table() const { return table_; }
  Index size() const override { return table_.size(); }
  double largest_price() const override { return table_.largest_price(); }
  void set_units(const Vector& units) override { table_.set_units(units); }
  const Vector& units() const override { return table_.units(); }
  std::unique_ptr<SoftTable> copy(const std::vector<Index>& rows) override { return table_.copy(rows); }
  RowsHere read(const Vector&, const NearWish&) override { return {&table_, nullptr}; }
  std::unique_ptr<SoftTable> nearest(Index) override { return nullptr; }
  WrongRows check(const Vector&, Index) override { return {}; }
  const FrozenSum& far() const override { return far_; }
  const std::vector<Index>& numbers() const override { return numbers_; }
  bool elsewhere() const override { return false; }
  bool held_elsewhere() const override { return false; }

 private:
  SoftTable table_;
  FrozenSum far_;
  std::vector<Index> numbers_;
};

}  // namespace pliant
