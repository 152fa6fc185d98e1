// Soft rows on a CUDA device (soft_mass.hpp): reads, keys and the sum of the linear functions that rows are frozen to stay
// there, those near a kink come here.
#pragma once

#include "rows/device_batch.hpp"
#include "rows/soft_mass.hpp"
#include "rows/soft_prices.hpp"

#include <algorithm>
#include <vector>

namespace pliant {

/// What may come here: a read costs a device less than very many rows on their way. So many bytes of the largest sample, but some
/// rows for each column; and of rows near a kink, before a sample of them sharpens x, with which fewer are near.
struct SoftTransfers {
  Index sample_bytes = Index{8} << 20, sample_rows = 60;
  Index near_bytes = Index{32} << 20, near_rows = 200;
};

class DeviceSoft final : public SoftMass {
 public:
  /// Rows of one finite target each; no weights: 1 each. Reads are charged to `account`. Throws InputError for rows that are
  /// none, or too wide.
  DeviceSoft(DeviceBatchPtr rows, const LossPrices& prices, const DeviceVector& weights, ConstraintSystem& account,
             const SoftTransfers& transfers = {});

  Index size() const override { return rows_->stored_rows(); }
  double largest_price() const override { return largest_price_; }
  void set_units(const Vector& units) override { units_ = units; }
  const Vector& units() const override { return units_; }
  Index most_sample() const override;
  std::unique_ptr<SoftTable> copy(const std::vector<Index>& rows) override;
  NearSample sample_near(const Vector& x, const NearWish& wish) override;
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
  /// Those with keys up to a length, or one in `apart` of them.
  Found find(double up_to, Index apart = 1);
  /// Reads all rows, unless they were just read there.
  void freeze(const Vector& x, double reach);
  Index wanted(const NearWish& wish) const { return wish.reach < 0.0 ? wish.count : std::max(wish.count, within_); }
  /// So many rows are as many bytes, but some for each column.
  Index rows_of(Index bytes, Index for_each_column) const;
  /// What found rows are frozen to, times a scale, is part of the sum no more.
  static void take_back(const Found& found, const SoftTable& rows, double scale, FrozenSum& sum);
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
  SoftTransfers transfers_;
  bool weighted_;
  double largest_price_ = 0.0;
  Vector units_;
  FrozenSum far_;
  std::vector<Index> numbers_;  // rows that came
  Index within_ = 0;            // reach of a kink, when all were read
  double reach_ = 0.0;
  bool fresh_ = false;       // nothing has happened since
  Vector x_;                 // of the latest read or check
  double moved_ = 0.0;       // length of the path of x since the read
  bool settled_ = false;     // all far rows are on their sides there,
  double certain_to_ = 0.0;  // and while it is less than this
};

}  // namespace pliant
