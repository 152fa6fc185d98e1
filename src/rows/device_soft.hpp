// Soft rows on a CUDA device (soft_mass.hpp): reads, keys and the sum of the linear functions that rows are frozen to stay
// there, those near a kink come here.
#pragma once

#include "rows/device_batch.hpp"
#include "rows/soft_mass.hpp"
#include "rows/soft_prices.hpp"

#include <vector>

namespace pliant {

class DeviceSoft final : public SoftMass {
 public:
  /// Rows of one finite target each; no weights: 1 each. Reads are charged to `account`. Throws InputError for rows that are
  /// none, or too wide.
  DeviceSoft(DeviceBatchPtr rows, const LossPrices& prices, const DeviceVector& weights, ConstraintSystem& account);

  Index size() const override { return rows_->stored_rows(); }
  double largest_price() const override { return largest_price_; }
  void set_units(const Vector& units) override { units_ = units; }
  const Vector& units() const override { return units_; }
  Index most_sample() const override;
  std::unique_ptr<SoftTable> copy(const std::vector<Index>& rows) override;
  RowsHere read(const Vector& x, const NearWish& wish) override;
  std::unique_ptr<SoftTable> nearest(Index count) override;
  WrongRows check(const Vector& x, Index most) override;
  const FrozenSum& far() const override { return far_; }
  const std::vector<Index>& numbers() const override { return numbers_; }
  bool elsewhere() const override { return static_cast<Index>(numbers_.size()) < size(); }
  bool held_elsewhere() const override { return true; }

 private:
  /// Rows that were found on the device, ascending.
  struct Found {
    std::vector<Index> rows;
    std::vector<double> keys, sides;
  };
  Found find(double up_to);
  /// A length that about so many keys, rather more, are no longer than.
  double reach_of(double count);
  /// Listed rows, ascending, as copies.
  std::unique_ptr<SoftTable> fetch(const std::vector<Index>& rows);
  /// Rows that stay here: their part of the far sum is taken back.
  std::unique_ptr<SoftTable> keep(const Found& found);
  Index columns() const { return rows_->dimension(); }
  /// As the device takes them: 1 where there are none.
  Vector units_there() const;

  DeviceBatchPtr rows_;
  ConstraintSystem& account_;
  LossPrices prices_;
  bool weighted_;
  double largest_price_ = 0.0;
  Vector units_;
  FrozenSum far_;
  std::vector<Index> numbers_;  // rows that came
  Vector x_;                    // of the latest read or check
  double moved_ = 0.0;          // length of the path of x since the read
  bool settled_ = false;        // all far rows are on their sides there,
  double certain_to_ = 0.0;     // and while it is less than this
};

}  // namespace pliant
