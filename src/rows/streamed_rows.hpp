// Linear rows that are made block by block whenever somebody reads them, and are never all in memory.
//
// One read is one walk through the blocks, as far as rows are wanted. The rows that a check finds farthest violated will be
// asked for next, so the walk keeps copies of so many of them (keep_farthest) that no second one is needed.
#pragma once

#include "pliant/constraint_batch.hpp"
#include "pliant/shards.hpp"

#include <vector>

namespace pliant {

/// For one reader at a time.
class StreamedRows final : public ConstraintBatch {
 public:
  /// Walks through the blocks once; throws InputError where one is not what it should be.
  explicit StreamedRows(BlockSource source);

  std::string_view family() const override { return "linear"; }
  Index size() const override { return begins_.back(); }
  Index dimension() const override { return columns_; }
  BatchStructure structure() const override;
  Index bytes(Rows rows) const override;
  double constant_scale() const override { return constant_scale_; }
  void validate() const override {}  // while they were first read

  void read_values(ConstVectorRef x, Rows rows, VectorRef a, const WeightedGradient* sum) const override;
  void read_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                   const WeightedGradient* sum) const override;
  void read_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums) const override;
  void read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const override;
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const override;

  /// The rows as a batch in memory.
  BatchPtr copy(Rows rows) const;
  /// Reads to come keep copies of so many of the farthest rows.
  void keep_farthest(Index count) const { most_kept_ = count; }

 private:
  struct Kept {
    double distance;
    Index row;
    BatchPtr data;  ///< one row
  };
  /// f(block, its rows among `rows`, position of the first of them), in the order of the blocks.
  template <class F>
  void for_blocks(Rows rows, const F& f) const;
  void keep(const ConstraintBatch& block, Index begin, Rows local, ConstVectorRef a, ConstVectorRef norms) const;
  const Kept* find_kept(Index row) const;

  BlockSource source_;
  Index columns_ = 0;
  std::vector<Index> begins_{0};  // of the blocks, and the end
  Index bytes_ = 0;
  double constant_scale_ = 0.0;
  mutable Index most_kept_ = 0;
  mutable std::vector<Kept> kept_;
  mutable double least_kept_ = -kInfinity;  // distance of the last of the farthest
};

}  // namespace pliant
