// All constraints of a problem as one long vector: the batches one after the other, then the two
// sides of each equality. Keeps the account of what was read, cones included; these are no rows of it.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/problem.hpp"

#include <algorithm>
#include <vector>

namespace pliant {

class ConstraintSystem {
 public:
  /// Reads are charged to `account` as well, the system of the same constraints in other coordinates.
  explicit ConstraintSystem(const Problem& problem, ConstraintSystem* account = nullptr);

  /// Inequalities, and all of them including the sides of equalities.
  Index inequalities() const { return inequalities_; }
  Index size() const { return size_; }

  /// 1 + |constant term| of every row, sides of equalities included: what its tolerance is relative to. Computed at the
  /// first call.
  const Vector& scales() const;
  double smallest_scale() const;
  /// f(i, scale of row i) for rows [begin, end) of a segment, without a vector of all of them.
  template <class F>
  void for_scales(Index segment, Index begin, Index end, const F& f) const {
    constexpr Index kBlock = 256;  // in the first cache
    double block[kBlock];
    for (Index first = begin; first < end; first += kBlock) {
      const Index count = std::min(kBlock, end - first);
      batch(segment).constant_magnitudes(Rows::range(first, count), Eigen::Map<Vector>(block, count));
      for (Index k = 0; k < count; ++k) f(first + k, 1.0 + block[k]);
    }
  }

  void values(ConstVectorRef x, VectorRef a);
  void values_and_gradient_norms(ConstVectorRef x, VectorRef a, VectorRef norms);
  /// As ConstraintBatch::values_and_bounds; of all rows, or of the inequalities alone if the vectors are that long.
  void values_and_bounds(ConstVectorRef x, VectorRef a, VectorRef norms, VectorRef smoothness);
  /// Equalities only: a = values of their sides, gradient += sum of their multipliers times gradients.
  void add_equalities(ConstVectorRef x, ConstVectorRef multipliers, VectorRef a, VectorRef gradient);
  /// Growth of every row along d (types.hpp).
  void growth(ConstVectorRef x, ConstVectorRef d, VectorRef slope, VectorRef curvature);
  /// a = values, w = map(a), gradient += sum w_i grad a_i(x), in one read.
  void sweep(ConstVectorRef x, const WeightMap& map, VectorRef a, VectorRef w, VectorRef gradient);

  /// The batches behind the system, and the index of their first row in it.
  Index segments() const { return static_cast<Index>(segments_.size()); }
  const ConstraintBatch& batch(Index segment) const { return *segments_[static_cast<std::size_t>(segment)].batch; }
  Index segment_begin(Index segment) const { return segments_[static_cast<std::size_t>(segment)].begin; }
  /// The prices of a soft batch; empty: its rows are hard.
  const Doubles& caps(Index segment) const;
  /// What soft rows with these values cost.
  double soft_value(ConstVectorRef a) const;
  /// Values of the hard inequalities alone, or of any other vector of this length.
  Vector hard_rows(ConstVectorRef a) const;
  /// The scales of these.
  Vector hard_scales() const;
  /// Multipliers that are no more than the prices of soft rows.
  void clip_to_caps(VectorRef multipliers) const;
  bool has_soft_rows() const { return problem_.has_soft_rows(); }
  /// 0 for soft rows: nothing they do can make a point infeasible.
  void clear_soft(VectorRef multipliers) const;
  bool within_caps(ConstVectorRef multipliers) const;
  /// Whether some rows only come in groups (ConstraintBatch::group).
  bool grouped() const { return grouped_; }
  /// Inequalities, those of a group counted once.
  Index groups() const;
  /// Adds what is missing of groups to rows, ascending and distinct before and after.
  void complete_groups(std::vector<Index>& rows) const;
  /// Inequalities that stand alone or come first in their group: the largest of it at any point.
  bool leads(Index row) const;
  /// The largest row of every group, for violations; rows that stand alone stay.
  Vector group_maxima(ConstVectorRef a) const;
  /// Rows that are held elsewhere and are no part of the problem (row_holder.hpp) count with so many bytes.
  void count_held(Index bytes) { total_bytes_ += bytes; }
  /// Books a read of some rows of a batch.
  void charge(Index segment, Rows rows);
  /// Books what was read through another system over the same data.
  void charge(const ConstraintSystem& other);
  void charge(double passes, Index evaluations);
  /// Books constraints evaluated one by one.
  void charge_components(Index evaluations, double bytes);

  /// Full reads of the constraint data so far, and constraints evaluated.
  double passes() const;
  Index evaluations() const { return evaluations_; }

  /// Splits a long vector of multipliers into those of the batches and of the equalities, and back.
  Multipliers split(ConstVectorRef multipliers) const;
  Multipliers split(Vector&& multipliers) const;
  Vector join(const Multipliers& multipliers) const;
  /// The long vector from signed duals of all rows, batch after batch (a two-sided row has one dual, and two sides).
  Vector multipliers_from_duals(ConstVectorRef duals) const;

 private:
  struct Segment {
    const ConstraintBatch* batch;
    Index begin;
    Index bytes;
  };
  void charge(const Segment& segment);
  const Segment& segment_of(Index row) const;

  const Problem& problem_;
  ConstraintSystem* account_;
  std::vector<Segment> segments_;
  bool grouped_ = false;
  Index inequalities_ = 0;
  Index size_ = 0;
  Index total_bytes_ = 0;
  Index evaluations_ = 0;
  double bytes_read_ = 0.0;
  mutable Vector scales_;
  mutable double smallest_scale_ = 0.0;  // 0: not known yet
};

}  // namespace pliant
