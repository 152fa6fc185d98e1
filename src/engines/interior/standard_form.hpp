// Sparse linear and quadratic programs in the form the interior engine works on:
//
//   minimise   1/2 x'Px + q'x + constant + sum l1_j |x_j|
//   subject to lo <= Ax <= hi,  lower <= x <= upper          (lo_i = hi_i: an equality)
//
// Rows of A are the stored rows of the problem's batches one after the other, then its equalities, then the row of a
// simplex term. A row has one signed dual y_i: positive on its upper side, negative on its lower one.
#pragma once

#include "linalg/sparse_ldl.hpp"
#include "pliant/problem.hpp"

#include <string>

namespace pliant {

using RowMatrix = Eigen::SparseMatrix<double, Eigen::RowMajor, int>;

/// 1/2 x'Px + q'x + constant
struct QuadraticCost {
  SparseMatrix P;  ///< both triangles
  Vector q;
  double constant = 0.0;

  Index variables() const { return q.size(); }
};

struct StandardForm : QuadraticCost {
  Vector l1;  ///< weights of |x_j|; empty if there are none
  SparseMatrix A;
  Vector lo, hi;
  Vector lower, upper;

  Index rows() const { return lo.size(); }
  double objective(const Vector& x) const;
};

/// Norms of groups, which the form has not: refused, or left to who takes them besides.
enum class GroupNorms { refused, left_out };
/// Why a problem has no such form, in words; empty if it has.
std::string standard_form_obstacle(const Problem& problem, GroupNorms groups = GroupNorms::refused);
/// Without norms of groups.
StandardForm standard_form(const Problem& problem);

}  // namespace pliant
