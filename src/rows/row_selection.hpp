// A subset of the constraints of a problem, spread over its batches: the working set of a solve.
//
// Positions run over the selected rows in ascending order of their index in the ConstraintSystem. Every
// operation is charged to the system with the bytes of the selected rows.
#pragma once

#include "cones/spectral.hpp"
#include "rows/constraint_system.hpp"
#include "rows/row_grams.hpp"

#include <memory>
#include <span>
#include <vector>

namespace pliant {

class RowSelection {
 public:
  RowSelection() = default;
  explicit RowSelection(ConstraintSystem& system) : system_(&system) {}

  /// Selects rows by their index in the system, ascending and distinct.
  void select(std::vector<Index> rows);
  /// Some rows of another selection, by their positions there, ascending and distinct. Allocates only where `all` has
  /// grown since the last time.
  void select(const RowSelection& all, const std::vector<Index>& positions);

  /// Outer products of the rows, linear ones, come from there; selections of this one inherit it.
  void set_grams(std::shared_ptr<RowGrams> grams) { grams_ = std::move(grams); }

  Index size() const { return static_cast<Index>(rows_.size()); }
  const std::vector<Index>& rows() const { return rows_; }

  void values(ConstVectorRef x, VectorRef a) const;
  void values_and_gradient_norms(ConstVectorRef x, VectorRef a, VectorRef norms) const;
  void values_and_bounds(ConstVectorRef x, VectorRef a, VectorRef norms, VectorRef smoothness) const;
  /// a = values, w = map(a), gradient += sum w_k grad a_k(x), in one read; positions are those of the selection.
  void sweep(ConstVectorRef x, const WeightMap& map, VectorRef a, VectorRef w, VectorRef gradient) const;
  /// slope_k = grad a_k(x)'d, w = map(slope), gradient += sum w_k grad a_k(x), likewise.
  void sweep_slopes(ConstVectorRef x, ConstVectorRef d, const WeightMap& map, VectorRef slope, VectorRef w,
                    VectorRef gradient) const;
  /// slope = gradient of each row at x times d.
  void slopes(ConstVectorRef x, ConstVectorRef d, VectorRef slope) const;
  void add_weighted_gradient(ConstVectorRef x, ConstVectorRef w, VectorRef gradient) const;
  /// Of the rows that are no eigenvalues of cones alone; the others are not read.
  void add_gradient_beside_cones(ConstVectorRef x, ConstVectorRef w, VectorRef gradient) const;
  /// gradients.col(j) += sum w(k,j) grad a_k, H += sum curvature_k Hess a_k + outer_k grad a_k grad a_k', in one read.
  void add_weighted_derivatives(ConstVectorRef x, ConstMatrixRef w, ConstVectorRef curvature, ConstVectorRef outer,
                                MatrixRef gradients, MatrixRef H) const;
  /// The same with the values themselves, in one read of cones and two of other rows: `weigh(first, count)` fills w,
  /// curvature and outer of rows whose values stand in `a` by then, from several threads at once. Remembers the slacks of
  /// the cones at x.
  void sweep_derivatives(ConstVectorRef x, VectorRef a, FunctionRef<void(Index first, Index count)> weigh,
                         ConstMatrixRef w, ConstVectorRef curvature, ConstVectorRef outer, MatrixRef gradients,
                         MatrixRef H);
  /// The point of the latest sweep is where the next line begins.
  void stay();
  /// Stays where `all` does, of whose rows these are some.
  void stay_with(const RowSelection& all);
  /// Prepares t -> a(x + t d) where the selection stays at x and x + step d was swept last: no read of cones.
  void prepare_line_between(ConstVectorRef x, ConstVectorRef d, double step);
  /// The point at t of the line prepared last is where the next one begins.
  void stay_along(double t);
  /// Prepares t -> a(x + t d) (one read); line_values then costs no data.
  void prepare_line(ConstVectorRef x, ConstVectorRef d);
  void line_values(double t, VectorRef a, VectorRef slope) const;

  /// Positions in the group of the row at `position`, the first of its group (ConstraintBatch::group).
  Index group(Index position) const;
  /// Rows, those of a group counted once.
  Index groups() const;
  /// Whether any row is an eigenvalue of a cone. Dual points below are those of such cones, one after the other.
  bool has_cones() const { return !cones_.empty(); }
  /// Whether at least half of the rows are.
  bool mostly_cones() const;
  /// Sets the weights of the rows of cones to 0.
  void clear_cones(VectorRef w) const;
  /// As in SpectralBatch, weights by position.
  Vector dual_points(ConstVectorRef x, ConstVectorRef lambda) const;
  /// Along the line prepared last; costs no data.
  Vector dual_points_along(ConstVectorRef lambda, ConstVectorRef outer, ConstVectorRef shift) const;
  /// gradient += G'z; returns the sum of z'(Gx - h).
  double add_dual_points(ConstVectorRef x, ConstVectorRef z, VectorRef gradient) const;

 private:
  struct Part {
    Index segment;             // of the system
    Index begin;               // first position in this selection
    std::vector<Index> local;  // rows within the batch
    LineModel line;
    Vector slacks, swept;  // of cones: where the selection stays, where it was swept last
  };
  /// The part of a batch of cones, and its first entry among dual points.
  struct ConePart {
    const SpectralBatch* batch;
    std::size_t part;
    Index begin, size;
  };
  std::span<const Part> parts() const { return {parts_.data(), part_count_}; }
  void split_rows();
  Index dual_size() const { return cones_.empty() ? 0 : cones_.back().begin + cones_.back().size; }

  ConstraintSystem* system_ = nullptr;
  std::vector<Index> rows_;
  std::vector<Part> parts_;  // the first part_count_ of them are in use; the others keep their memory
  std::size_t part_count_ = 0;
  std::vector<ConePart> cones_;
  std::shared_ptr<RowGrams> grams_;  // null: formed here
};

}  // namespace pliant
