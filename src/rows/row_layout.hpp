// How rows are numbered: batch after batch, with what belongs together. A few numbers that every side of a solve knows,
// wherever the rows themselves are.
#pragma once

#include "pliant/problem.hpp"
#include "random/random.hpp"

#include <vector>

namespace pliant {

class RowLayout;

/// A stratified sample by index (RowLayout::sample), said in three numbers: whoever knows the layout draws the same rows.
struct RowSample {
  Index count = 0;  ///< 0: none
  std::uint64_t seed = 0, label = 0;

  bool operator==(const RowSample&) const = default;
  std::vector<Index> of(const RowLayout& layout) const;
};

class RowLayout {
 public:
  /// The rows of one batch.
  struct Segment {
    Index begin = 0;
    Index size = 0;
    Index group = 1;      ///< rows begin + i group, ... are taken together (ConstraintBatch::group)
    Index cone_rows = 0;  ///< numbers of a dual point of such a group; 0: rows have plain multipliers
    Index end() const { return begin + size; }
  };

  RowLayout() = default;
  /// The inequalities of a problem.
  explicit RowLayout(const Problem& problem);
  /// Batches of so many rows that stand alone.
  explicit RowLayout(const std::vector<Index>& sizes);
  /// Batches of these sizes, one after the other; where they begin is not read.
  explicit RowLayout(const std::vector<Segment>& batches);

  const std::vector<Segment>& segments() const { return segments_; }
  Index rows() const { return segments_.empty() ? 0 : segments_.back().end(); }
  /// Rows, those of a group counted once.
  Index groups() const { return groups_; }
  /// Whether some rows only come in groups.
  bool grouped() const { return groups_ < rows(); }
  /// Rows that stand alone or come first in their group: the largest of it at any point.
  bool leads(Index row) const;
  /// Adds what is missing of groups to rows, ascending and distinct before and after.
  void complete_groups(std::vector<Index>& rows) const;
  /// The largest row of every group, NaN if one of them is; rows that stand alone stay.
  Vector group_maxima(ConstVectorRef a) const;

  /// About `count` rows, whole groups of them, one group out of each of equal strata: ascending, without a pass over
  /// the rows, the same for the same stream.
  std::vector<Index> sample(Index count, const random::Stream& stream) const;

  /// The batch of a row.
  const Segment& segment_of(Index row) const;

  /// Dual points of the cones among `rows` (whole groups, ascending), one after the other, as those of all cones, 0 for
  /// the others: one vector per batch of cones.
  std::vector<Vector> spread_dual_points(const std::vector<Index>& rows, ConstVectorRef z) const;
  /// The other way round.
  Vector gather_dual_points(const std::vector<Index>& rows, const std::vector<Vector>& all) const;

 private:
  void append(Index size, Index group, Index cone_rows);
  /// f(number of the batch among those of cones, first entry among its dual points, first entry among those of `rows`,
  /// entries) for every cone among rows; returns the entries of all.
  template <class F>
  Index for_each_cone(const std::vector<Index>& rows, const F& f) const;

  std::vector<Segment> segments_;
  Index groups_ = 0;
};

}  // namespace pliant
