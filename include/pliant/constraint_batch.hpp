// The contract every family of constraints fulfils.
//
// A batch is one object holding size() convex constraints a_i(x) <= 0 with contiguous data; a
// million constraints are one batch, and a GPU or a rank of a cluster could hold one instead of
// memory. No call is made per constraint except through the component functions, which exist for
// stochastic methods.
//
// Every operation works on `rows`, all constraints or a subset, and reads the data of exactly those
// rows once: bytes(rows) is what it costs. Results never depend on the number of threads.
//
//   mandatory   values, sweep, slopes, sweep_slopes, add_weighted_gradient, add_weighted_hessian,
//               add_weighted_derivatives, prepare_line/line_values, values_and_gradient_norms,
//               values_and_bounds, component_value, add_component_gradient
//   optional    constants (without them: no a-priori bounds and no screening), with_constants/constant_terms
//               (without them: a change of constants means a new batch)
//               growth, recession_cone (without them: no proof that a problem is unbounded)
//
// CPU families derive from RowBlockBatch (src/constraints/row_block_batch.hpp), which supplies all
// of this from a few serial kernels over a block of rows.
#pragma once

#include "pliant/array.hpp"
#include "pliant/function_ref.hpp"
#include "pliant/rows.hpp"
#include "pliant/types.hpp"

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

/// Constants of each constraint (math: L_a, C0, C1 with |grad a_i|^2 <= C0 + C1 |a_i|).
struct RowConstants {
  Vector smoothness;       ///< L_a,i: a_i is L_a,i-smooth
  Vector growth_constant;  ///< C0,i; infinite where no global (C0, C1) exists
  Vector growth_slope;     ///< C1,i
  /// False if some constraint has no global growth condition (a quadratic with q outside range(P)).
  bool growth_global = true;
};

/// a_i(x + t d) for a set of rows, prepared by one read of the data and evaluated without it.
struct LineModel {
  Index count = 0;          ///< number of rows
  int degree = -1;          ///< 1 or 2: polynomial with the coefficients below; -1: see `inner`
  Vector c0, c1, c2;        ///< a(x + t d) = c0 + c1 t + c2 t^2
  Vector inner, inner_d;    ///< affine inner values z + t dz of composite families, row after row
  Vector x, d;              ///< kept by families that must evaluate again (callbacks)
  std::vector<Index> rows;  ///< likewise
};

class ConstraintBatch;

/// The directions along which no constraint of a batch ever grows.
struct RecessionCone {
  std::shared_ptr<ConstraintBatch> rows;  ///< linear rows, <= 0 exactly on them; null: not known
  bool flat = false;                      ///< the Hessians (constant ones) must vanish on d, too
};

/// Maps values a_k (or slopes) of consecutive rows to weights w_k. `first` is the position of the first of them
/// within the row set of the call. Called once per block, from several threads at once.
using WeightMap = FunctionRef<void(Index first, Index count, const double* a, double* w)>;

class ConstraintBatch {
 public:
  virtual ~ConstraintBatch() = default;

  /// Family name as used in files and reports, e.g. "linear".
  virtual std::string_view family() const = 0;
  /// Number of constraints m and of variables n.
  virtual Index size() const = 0;
  virtual Index dimension() const = 0;
  /// Rows i g, ..., i g + g - 1 are the eigenvalues of one cone and only taken together; g = 1: rows stand alone.
  virtual Index group() const { return 1; }
  /// Whether every a_i is affine: gradients do not depend on x and Hessians vanish.
  virtual bool linear() const { return false; }
  /// Bytes of constraint data read when `rows` are evaluated.
  virtual Index bytes(Rows rows) const = 0;
  /// The large arrays behind bytes(), for measuring how long one plain read takes.
  virtual std::vector<Doubles> arrays() const { return {}; }
  /// max |constant term|, the scale feasibility tolerances refer to.
  virtual double constant_scale() const = 0;

  /// a_k = a_{rows[k]}(x)
  virtual void values(ConstVectorRef x, Rows rows, VectorRef a) const = 0;
  /// One read of the data: a = values, w = map(a), gradient += sum_k w_k grad a_{rows[k]}(x).
  virtual void sweep(ConstVectorRef x, Rows rows, const WeightMap& map, VectorRef a, VectorRef w,
                     VectorRef gradient) const = 0;
  /// gradient += sum_k w_k grad a_{rows[k]}(x)
  virtual void add_weighted_gradient(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef gradient) const = 0;
  /// Lower triangle of H += sum_k curvature_k Hess a_k(x) + outer_k grad a_k(x) grad a_k(x)^T.
  virtual void add_weighted_hessian(ConstVectorRef x, Rows rows, ConstVectorRef curvature, ConstVectorRef outer,
                                    MatrixRef H) const = 0;
  /// Whether curvature weights may differ from 0: false for user functions without a Hessian.
  virtual bool has_hessian() const { return true; }
  /// Both of the above in one read, for one or several columns of weights: gradients.col(j) +=
  /// sum_k w(k, j) grad a_k(x), and H as in add_weighted_hessian.
  virtual void add_weighted_derivatives(ConstVectorRef x, Rows rows, ConstMatrixRef w, ConstVectorRef curvature,
                                        ConstVectorRef outer, MatrixRef gradients, MatrixRef H) const = 0;
  /// slope_k = grad a_{rows[k]}(x)'d
  virtual void slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope) const = 0;
  /// One read of the data: slope_k = grad a_k(x)'d, w = map(slope), gradient += sum_k w_k grad a_k(x).
  /// A product with J'DJ is one call.
  virtual void sweep_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, const WeightMap& map, VectorRef slope,
                            VectorRef w, VectorRef gradient) const = 0;
  /// a_k and |grad a_k(x)|_2 in one read.
  virtual void values_and_gradient_norms(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms) const = 0;
  /// The same with a cheap upper bound of each smoothness constant, infinite where none is known, so that
  /// a_k(y) <= a_k + norm_k |y - x| + smoothness_k/2 |y - x|^2 for every y; still one read.
  virtual void values_and_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms,
                                 VectorRef smoothness) const = 0;

  /// Prepares t -> a(x + t d) (one read); line_values then costs no data.
  virtual void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const = 0;
  /// a = a(x + t d), slope = d/dt a(x + t d).
  virtual void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const = 0;

  /// Growth of every row along d (types.hpp), exact for polynomials, the limit slope otherwise; one read.
  virtual void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const;
  virtual RecessionCone recession_cone() const { return {}; }

  /// One constraint, for stochastic methods.
  virtual double component_value(Index i, ConstVectorRef x) const = 0;
  virtual void add_component_gradient(Index i, ConstVectorRef x, double w, VectorRef gradient) const = 0;

  /// The same constraints with other constant terms (h of linear rows, r of quadratic ones), sharing the rest of
  /// the data, which is not read; throws InputError where they are invalid or the family has none to change.
  virtual std::shared_ptr<ConstraintBatch> with_constants(Doubles constants) const;
  /// What the constant terms add to a_i(x): -h_i, r_i. Empty if the family has none to change.
  virtual Vector constant_terms() const { return {}; }

  /// Throws InputError naming the constraint if the data are invalid or not convex.
  virtual void validate() const = 0;

  /// L_a, C0, C1 of every row, computed at the first call and kept; null if the family has none.
  const RowConstants* constants() const;

  /// out_k >= max over |y - x| <= radius of a_k(y), given a and |grad a| at x. Needs constants().
  void ball_upper_bound(Rows rows, ConstVectorRef a, ConstVectorRef norms, double radius, VectorRef out) const;

  /// User duals have one entry per row of the original data: a two-sided row stands for two
  /// constraints and has one signed dual. By default both counts agree.
  virtual Index dual_size() const { return size(); }
  virtual void multipliers_to_duals(ConstVectorRef multipliers, VectorRef duals) const { duals = multipliers; }
  virtual void duals_to_multipliers(ConstVectorRef duals, VectorRef multipliers) const {
    multipliers = duals.cwiseMax(0.0);
  }

  std::string name;  ///< optional, used in messages and reports

 protected:
  /// Computes the constants; nullopt if the family has none.
  virtual std::optional<RowConstants> compute_constants() const = 0;

 private:
  mutable std::once_flag constants_once_;
  mutable std::optional<RowConstants> constants_;
};

using BatchPtr = std::shared_ptr<ConstraintBatch>;

}  // namespace pliant
