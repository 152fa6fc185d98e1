// The Newton system of the homogeneous engine,
//
//   [ P   G' ] [dx]   [r_x]
//   [ G  -H  ] [dz] = [r_z],
//
// H the scaling of a product of cones. A second-order cone of many rows would make H dense there; instead
//
//   H = eta^2 (D + u u' - v v'),   D diagonal,
//
// with one unknown more for u and one for v, so that the matrix stays sparse and quasi-definite. The factorised matrix
// carries a small regularisation; solutions are refined against the one without.
#pragma once

#include "engines/conic/cone_product.hpp"
#include "engines/conic/conic_form.hpp"
#include "linalg/kkt_solver.hpp"
#include "linalg/refined_ldl.hpp"

#include <memory>
#include <vector>

namespace pliant {

class ConicKkt final : public KktSolver {
 public:
  ConicKkt(const ConicForm& form, const ConeProduct& cones, LdlKind kind);

  /// Factorises with the present scaling of the cones, `regularisation` on the diagonal; with pivoting where that fails
  /// without. False if both fail.
  bool factorize(double regularisation);
  /// The same with H = 1 in all rows: the least-squares problem of a start.
  bool factorize_unit(double regularisation);
  bool solve(const Vector& r_x, const Vector& r_z, Vector& dx, Vector& dz) override;

  /// What was left of the last right-hand side, relative to it.
  double error() const { return error_; }
  const SparseLdlCost& cost() const { return ldl_->cost(); }
  const char* factorisation() const { return ldl_->name(); }

 private:
  enum class Shape { diagonal, dense, expanded };
  static Shape shape(const Cone& cone);
  void build_pattern(const ConicForm& form);
  std::size_t place(Index row, Index column) const;
  void set_expanded(const ConeProduct::Block& b, const std::vector<std::size_t>& places);
  bool factorize_matrix(double regularisation);

  const ConeProduct& cones_;
  Index n_, expansions_ = 0, m_;
  SparseMatrix K_;                                // lower triangle
  SparseMatrix regularised_;                      // the same pattern
  std::vector<std::vector<std::size_t>> places_;  // of every cone's values among those of K_
  std::unique_ptr<RefinedLdl> ldl_;
  double error_ = 0.0;
  Vector rhs_, z_;
};

}  // namespace pliant
