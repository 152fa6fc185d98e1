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
//   a family must   describe itself  family, size, dimension, bytes, constant_scale, validate
//                   read its rows    read_values, read_slopes, read_derivatives, read_bounds, prepare_line
//   a family may    structure        what its rows are, for methods that can make use of it
//                   line_values      where its rows are no polynomials along a line
//                   compute_constants (without them: no a-priori bounds and no screening)
//                   growth, recession_cone (without them: no proof that a problem is unbounded)
//                   with_constants, constant_terms (without them: a change of constants means a new batch)
//                   stored           (without it: cannot be written to a file)
//                   component_value, add_component_gradient (faster than by default)
//                   add_absolute_sums, rounding_length, convexity_defects (without them: bounds are proved_if_convex)
//                   constant_magnitudes (without it: every row is judged on the scale of the largest constant)
//
// Whatever else callers use is made of these. Families that run on the CPU derive from RowBlockBatch
// (row_block_batch.hpp), which supplies the reads from a few serial kernels over a block of rows;
// examples/cpp/own_family.cpp is one of them, written outside the library.
#pragma once

#include "pliant/array.hpp"
#include "pliant/batch_structure.hpp"
#include "pliant/function_ref.hpp"
#include "pliant/rows.hpp"
#include "pliant/stored_form.hpp"
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

/// What a read of values or slopes leaves besides them: w = map(numbers), gradient += sum_k w_k grad a_{rows[k]}(x).
struct WeightedGradient {
  const WeightMap& map;
  VectorRef& w;
  VectorRef& gradient;
};

/// Lower triangle of H += sum_k curvature_k Hess a_k(x) + outer_k grad a_k(x) grad a_k(x)^T.
struct HessianSum {
  const ConstVectorRef& curvature;
  const ConstVectorRef& outer;
  MatrixRef& H;
};

/// gradients.col(j) += sum_k w(k, j) grad a_k(x) for every column of weights (there may be none), and H if wanted.
struct DerivativeSums {
  const ConstMatrixRef& w;
  MatrixRef& gradients;
  const HessianSum* hessian;  ///< null: none wanted
};

class ConstraintBatch {
 public:
  virtual ~ConstraintBatch() = default;

  // ---- what every family says of itself ----

  /// Family name as used in files and reports, e.g. "linear".
  virtual std::string_view family() const = 0;
  /// Number of constraints m and of variables n.
  virtual Index size() const = 0;
  virtual Index dimension() const = 0;
  /// Bytes of constraint data read when `rows` are evaluated.
  virtual Index bytes(Rows rows) const = 0;
  /// max |constant term|, the scale feasibility tolerances refer to.
  virtual double constant_scale() const = 0;
  /// Throws InputError naming the constraint if the data are invalid or not convex.
  virtual void validate() const = 0;
  /// |constant term| of each row, the scale its feasibility tolerance refers to, without a read of the large arrays.
  virtual void constant_magnitudes(Rows rows, VectorRef out) const {
    out.head(rows.size()).setConstant(constant_scale());
  }

  // ---- the reads, one of the data of `rows` each ----

  /// a_k = a_{rows[k]}(x); null: values alone.
  virtual void read_values(ConstVectorRef x, Rows rows, VectorRef a, const WeightedGradient* sum) const = 0;
  /// slope_k = grad a_{rows[k]}(x)'d; null: slopes alone.
  virtual void read_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                           const WeightedGradient* sum) const = 0;
  virtual void read_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums) const = 0;
  /// a_k, |grad a_k(x)|_2 and, unless null, a cheap upper bound of each smoothness constant (values_and_bounds).
  virtual void read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const = 0;
  /// Prepares t -> a(x + t d); line_values then costs no data.
  virtual void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const = 0;

  // ---- what a family may say besides ----

  /// Cheap: asked in inner loops.
  virtual BatchStructure structure() const { return {}; }
  /// a = a(x + t d), slope = d/dt a(x + t d); by default the polynomial of the model.
  virtual void line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const;
  /// Growth of every row along d (types.hpp), exact for polynomials, the limit slope otherwise; one read. By default
  /// known for linear rows alone.
  virtual void growth(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const;
  virtual RecessionCone recession_cone() const { return {}; }

  /// What rounding is relative to (linalg/rounding.hpp): sizes_k = sum of the absolute values of all that a_k(x) is
  /// computed from, gradient_sizes += sum_k w_k times the same of grad a_k(x), w >= 0; rows of weight 0 add nothing.
  /// A computed a_k is off by gamma(rounding_length(rows)) sizes_k at most, a computed sum of w_k grad a_k by the same
  /// multiple of gradient_sizes. The default takes the family for one that computes its numbers to the last digits.
  virtual void add_absolute_sums(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef sizes,
                                 VectorRef gradient_sizes) const;
  /// Roundings behind one entry of a weighted sum of gradients of these rows.
  virtual Index rounding_length(Rows rows) const { return rows.size() + dimension(); }
  /// defect_k >= 0 such that a_k(x) + defect_k/2 |x|^2 is convex for the data as stored; infinite: nobody has proved it.
  virtual void convexity_defects(Rows rows, VectorRef defects) const {
    defects.head(rows.size()).setConstant(kInfinity);
  }
  /// The same constraints with other constant terms (h of linear rows, r of quadratic ones), sharing the rest of
  /// the data, which is not read; throws InputError where they are invalid or the family has none to change.
  virtual std::shared_ptr<ConstraintBatch> with_constants(Doubles constants) const;
  /// What the constant terms add to a_i(x): -h_i, r_i. Empty if the family has none to change.
  virtual Vector constant_terms() const { return {}; }
  virtual StoredForm stored() const { return {}; }
  /// One constraint, for stochastic methods; by default a read of its group.
  virtual double component_value(Index i, ConstVectorRef x) const;
  virtual void add_component_gradient(Index i, ConstVectorRef x, double w, VectorRef gradient) const;

  // ---- what callers use, made of the above ----

  Index group() const { return structure().group; }
  bool linear() const { return structure().linear; }
  bool has_hessian() const { return structure().has_hessian; }
  std::vector<Doubles> arrays() const;
  const LinearRows* linear_rows() const { return structure().linear_rows; }
  const QuadraticRows* quadratic_rows() const { return structure().quadratic_rows; }

  /// a_k = a_{rows[k]}(x)
  void values(ConstVectorRef x, Rows rows, VectorRef a) const { read_values(x, rows, a, nullptr); }
  /// One read of the data: a = values, w = map(a), gradient += sum_k w_k grad a_{rows[k]}(x).
  void sweep(ConstVectorRef x, Rows rows, const WeightMap& map, VectorRef a, VectorRef w, VectorRef gradient) const;
  /// slope_k = grad a_{rows[k]}(x)'d
  void slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope) const {
    read_slopes(x, d, rows, slope, nullptr);
  }
  /// One read of the data: slope_k = grad a_k(x)'d, w = map(slope), gradient += sum_k w_k grad a_k(x).
  /// A product with J'DJ is one call.
  void sweep_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, const WeightMap& map, VectorRef slope, VectorRef w,
                    VectorRef gradient) const;
  /// gradient += sum_k w_k grad a_{rows[k]}(x)
  void add_weighted_gradient(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef gradient) const;
  /// Lower triangle of H += sum_k curvature_k Hess a_k(x) + outer_k grad a_k(x) grad a_k(x)^T.
  void add_weighted_hessian(ConstVectorRef x, Rows rows, ConstVectorRef curvature, ConstVectorRef outer,
                            MatrixRef H) const;
  /// Both of the above in one read, for one or several columns of weights: gradients.col(j) +=
  /// sum_k w(k, j) grad a_k(x), and H as in add_weighted_hessian.
  void add_weighted_derivatives(ConstVectorRef x, Rows rows, ConstMatrixRef w, ConstVectorRef curvature,
                                ConstVectorRef outer, MatrixRef gradients, MatrixRef H) const;
  /// a_k and |grad a_k(x)|_2 in one read.
  void values_and_gradient_norms(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms) const {
    read_bounds(x, rows, a, norms, nullptr);
  }
  /// The same with a cheap upper bound of each smoothness constant, infinite where none is known, so that
  /// a_k(y) <= a_k + norm_k |y - x| + smoothness_k/2 |y - x|^2 for every y; still one read.
  void values_and_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, VectorRef smoothness) const {
    read_bounds(x, rows, a, norms, smoothness.data());
  }

  /// L_a, C0, C1 of every row, computed at the first call and kept; null if the family has none.
  const RowConstants* constants() const;

  /// out_k >= max over |y - x| <= radius of a_k(y), given a and |grad a| at x. Needs constants().
  void ball_upper_bound(Rows rows, ConstVectorRef a, ConstVectorRef norms, double radius, VectorRef out) const;

  /// User duals have one entry per row of the original data: a two-sided row (LinearRows) stands for two constraints
  /// and has one signed dual, that of its upper side minus that of its lower side. Elsewhere both counts agree.
  Index dual_size() const;
  void multipliers_to_duals(ConstVectorRef multipliers, VectorRef duals) const;
  void duals_to_multipliers(ConstVectorRef duals, VectorRef multipliers) const;

  std::string name;  ///< optional, used in messages and reports

 protected:
  /// Computes the constants; nullopt if the family has none.
  virtual std::optional<RowConstants> compute_constants() const { return std::nullopt; }

 private:
  mutable std::once_flag constants_once_;
  mutable std::optional<RowConstants> constants_;
};

using BatchPtr = std::shared_ptr<ConstraintBatch>;

}  // namespace pliant
