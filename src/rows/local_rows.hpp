// Rows in this process's memory, the first holder (row_holder.hpp).
//
// It serves arrays in memory and arrays mapped from a file alike, because the kernel makes both the same thing; what
// differs is the price of reading a page again. So gathered rows are copied where that costs little memory: a mapped file
// larger than the memory then gives up the pages of its working rows once, not at every Newton step, and rows spread over
// much memory lie side by side. Rows of user functions, and blocks that are a large part of the data, stay in place.
#pragma once

#include "parallel/long_vectors.hpp"
#include "rows/gather_rows.hpp"
#include "rows/row_holder.hpp"
#include "rows/row_knowledge.hpp"

namespace pliant {

class LocalRows final : public StepwiseRows {
 public:
  /// The inequalities of `problem`, whose system is `system`; `known` is the state of an earlier holder of the same
  /// rows, or new.
  LocalRows(const Problem& problem, ConstraintSystem& system, RowKnowledge& known, double slack);

  const RowLayout& layout() const override { return layout_; }
  void set_coordinates(const Matrix& R) override;
  std::vector<BatchPtr> fetch(const std::vector<Index>& rows) override;
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

  bool linear() const override { return straight_; }
  Index bounded(const Vector& x) override;

  // What the latest read found, for those who cannot ask a second question (shard.cpp).

  /// The `most` farthest rows but those of `apart` (ascending), and the worst value of all but these.
  Candidates farthest(Index most, const std::vector<Index>& apart) const;
  /// How many rows have a value of `threshold` or more, and which.
  Index count_above(double threshold) const;
  NearRows read_above(double threshold) const;

  /// Rows proven inactive within `radius` of x, one by one.
  std::vector<Index> list_inactive_within(const Vector& x, double radius) const;

 private:
  ConstraintSystem& present() { return moved_ != nullptr ? *moved_ : original_; }
  /// Local numbers of `rows` in each batch, ascending.
  std::vector<RowPiece> pieces(const std::vector<Index>& rows) const;
  void read_everything();
  void read_doubtful();
  Index read_segment(Index s, Index first, bool values_only);
  void keep_what_was_read(bool values_only);
  /// Rows just read, ascending.
  Index rows_read() const { return read_all_ ? known_.size() : doubtful_.size(); }
  Index row_read(Index k) const { return read_all_ ? k : doubtful_[k]; }
  /// Adds to each chunk of sums how many of its rows are known by bounds alone at x.
  void count_bounded(const Vector& x, std::vector<RowSums>& chunks) const;

  const Problem& problem_;
  ConstraintSystem& original_;
  RowLayout layout_;
  std::unique_ptr<Problem> moved_problem_;  // the rows in other coordinates; null: none
  std::unique_ptr<ConstraintSystem> moved_;
  RowKnowledge& known_;
  bool straight_;                   // all rows are linear: gradients stay what they are
  Vector x_;                        // of the latest check
  parallel::LongIndices doubtful_;  // there
  bool read_all_ = false;
  Vector values_, norms_, smoothness_;  // of the rows read
};

}  // namespace pliant
