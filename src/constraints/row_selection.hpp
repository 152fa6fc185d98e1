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
  /// slope = gradient of each row at x times d (exact for linear rows).
  void slopes(ConstVectorRef x, ConstVectorRef d, VectorRef slope) const;
  void add_weighted_gradient(ConstVectorRef x, ConstVectorRef w, VectorRef gradient) const;
  /// gradient += sum w_k grad a_k, H += sum curvature_k Hess a_k + outer_k grad a_k grad a_k', in one read.
  void add_weighted_derivatives(ConstVectorRef x, ConstVectorRef w, ConstVectorRef curvature, ConstVectorRef outer,
                                VectorRef gradient, MatrixRef H) const;

 private:
  struct Part {
    Index segment;             // of the system
    Index begin;               // first position in this selection
    std::vector<Index> local;  // rows within the batch
  };

  ConstraintSystem& system_;
  std::vector<Index> rows_;
  std::vector<Part> parts_;
  mutable LineModel line_;
  mutable Vector unused_;
};

}  // namespace pliant
