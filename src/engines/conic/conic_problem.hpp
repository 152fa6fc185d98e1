// A problem with conic constraints as a conic form, and the way back for its multipliers.
//
// Sides of rows, bounds and equalities become rows of one zero and one nonnegative cone; w|x_j| becomes w t_j with a
// new variable t_j >= |x_j|, and w|x_g|_2 of a group w t_g with (t_g, x_g) in a second-order cone; the cones of the problem
// follow in their order.
#pragma once

#include "engines/conic/conic_form.hpp"
#include "engines/interior/standard_form.hpp"
#include "pliant/problem.hpp"
#include "pliant/regularizers.hpp"

#include <string>
#include <vector>

namespace pliant {

class ConicProblem {
 public:
  explicit ConicProblem(const Problem& problem);

  const ConicForm& form() const { return form_; }
  /// Signed duals of the rows of the standard form, from multipliers of the conic form's rows.
  Vector row_duals(const Vector& z) const;
  /// Those of the problem's conic constraints.
  std::vector<Vector> cone_multipliers(const Vector& z) const;

 private:
  using Entry = Eigen::Triplet<double, int>;
  /// Appends sign * (row of A or variable) <= sign * side, or its equality.
  void append_rows(const StandardForm& standard, bool equalities);
  void append_bounds(const StandardForm& standard, bool equalities);
  void append_absolute_values(const StandardForm& standard);
  void append_groups(const GroupParameters& groups);
  void append_cones(const Problem& problem);
  void close_cone(ConeKind kind);

  ConicForm form_;
  std::vector<Entry> entries_;
  std::vector<double> h_;
  Eigen::SparseMatrix<double, Eigen::RowMajor, int> A_;
  struct Origin {
    Index row;    ///< of the standard form
    double sign;  ///< of its dual
  };
  std::vector<Origin> origins_;  // of the first rows; row -1: a bound
  Index standard_rows_ = 0;
  std::vector<Index> cone_rows_;  // of every conic constraint: the first row here, then the end of the last
};

bool has_semidefinite_cones(const Problem& problem);

/// Why a problem has no such form, in words; empty if it has.
std::string conic_obstacle(const Problem& problem);

}  // namespace pliant
