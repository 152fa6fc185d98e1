// Rows on CUDA devices, a holder (row_holder.hpp): reads, lazy bounds, the search for the worst rows and sums happen there.
#pragma once

#include "rows/device_batch.hpp"
#include "rows/row_holder.hpp"

namespace pliant {

class DeviceRows final : public StepwiseRows {
 public:
  /// Copies of the inequalities of `problem` on a card. Throws InputError for families it does not take.
  DeviceRows(const Problem& problem, ConstraintSystem& account, int card, double slack);
  /// Rows that lie on devices.
  DeviceRows(std::vector<DeviceBatchPtr> batches, ConstraintSystem& account, double slack);

  const RowLayout& layout() const override { return layout_; }
  bool linear() const override;
  /// Points know other coordinates, linear rows do not.
  void set_coordinates(const Matrix& R) override;
  std::vector<BatchPtr> fetch(const std::vector<Index>& rows) override;
  /// Copies; where they are many, their outer products are added up on the device.
  std::unique_ptr<RowBlock> gather(std::vector<Index> rows) override;
  void measure(const std::vector<Index>& rows, const Vector& x, Vector& values, Vector& norms,
               Vector& smoothness) override;
  Index doubtful(const Vector& x) override;
  RowExtremes read(bool everything) override;
  NearRows nearest(double threshold) override;
  NearRows above(const Vector& x, double threshold) override;
  std::vector<RowSums> chunk_sums(const Vector& x, double active_threshold, const RowValues& known) override;
  Index inactive_within(const Vector& x, double radius) override;
  void values(const Vector& x, VectorRef out) override;

 private:
  /// f(batch, number of its first row) for each of them.
  template <class F>
  void for_each(const F& f) {
    for (std::size_t b = 0; b < batches_.size(); ++b) f(*batches_[b], layout_.segments()[b].begin);
  }
  /// Distances from x to the points of reading, a hair longer than computed, plus `radius`.
  Vector reach(const Vector& x, double radius = 0.0) const;
  std::int32_t points() const { return static_cast<std::int32_t>(points_.size()); }
  void take(DeviceBatch& batch, Index begin, Index count, NearRows& out);

  std::vector<DeviceBatchPtr> batches_;
  RowLayout layout_;
  std::vector<Vector> points_;   // where rows were read
  Vector x_;                     // of the latest check
  std::vector<Index> doubtful_;  // rows of each batch in doubt there
};

}  // namespace pliant
