// A subset of the constraints of a problem, spread over its batches: the working set of a solve.
//
// Positions run over the selected rows in ascending order of their index in the ConstraintSystem. Every
// operation is charged to the system with the bytes of the selected rows.
#pragma once

#include "constraints/constraint_system.hpp"

#include <vector>

namespace pliant {

class RowSelection {
 public:
  explicit RowSelection(ConstraintSystem& system) : system_(system) {}

  /// Selects rows by their index in the system, ascending and distinct.
  void select(std::vector<Index> rows);

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
  /// gradients.col(j) += sum w(k,j) grad a_k, H += sum curvature_k Hess a_k + outer_k grad a_k grad a_k', in one read.
  void add_weighted_derivatives(ConstVectorRef x, ConstMatrixRef w, ConstVectorRef curvature, ConstVectorRef outer,
                                MatrixRef gradients, MatrixRef H) const;
  /// Prepares t -> a(x + t d) (one read); line_values then costs no data.
  void prepare_line(ConstVectorRef x, ConstVectorRef d);
  void line_values(double t, VectorRef a, VectorRef slope) const;

 private:
  struct Part {
    Index segment;             // of the system
    Index begin;               // first position in this selection
    std::vector<Index> local;  // rows within the batch
    LineModel line;
  };

  ConstraintSystem& system_;
  std::vector<Index> rows_;
  std::vector<Part> parts_;
};

}  // namespace pliant
