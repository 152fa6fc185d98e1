// The contract of a smooth objective term: a finite sum of convex components.
//
// A term T(x) = sum_i T_i(x) already contains its own averaging factor (least squares is
// (1/2l)|Ax - b|^2 with l components (1/2l)(a_i'x - b_i)^2). The problem adds terms with weights.
//
// A term may have an open domain (-log det): outside it the value is +infinity and the gradient NaN. Line searches
// learn from max_step how far they may go.
#pragma once

#include "pliant/stored_form.hpp"
#include "pliant/types.hpp"

#include <memory>
#include <optional>
#include <string_view>

namespace pliant {

/// A function of one variable at a point.
struct LinePoint {
  double value = 0.0, slope = 0.0;
};

/// T(x + t d) as a function of t, prepared by one read of the data. What the numbers mean is the term's own affair.
struct ObjectiveLine {
  /// T is finite for 0 <= t < max_step.
  double max_step = kInfinity;
  double c0 = 0.0, c1 = 0.0, c2 = 0.0;  ///< polynomials: c0 + c1 t + c2 t^2
  Vector inner, inner_d;                ///< affine inner values z + t dz
  Vector x, d, point, gradient;         ///< for terms that evaluate again at x + t d
};

/// min_y T(y) + g'y, for terms that know it in closed form (minus the conjugate of T at -g).
struct LinearMinimum {
  double value = -kInfinity;  ///< -infinity where T + g' is unbounded below
  /// nu if T(sy) = T(y) - nu ln s for all s > 0, so that the minimum with s g is nu ln s larger; 0: no such law.
  double log_degree = 0.0;
};

enum class LossKind { square, logistic, huber };

/// A term (1/l) sum_i loss(a_i'x, t_i) with one of the losses that methods treat row by row.
class LossSum {
 public:
  virtual LossKind loss_kind() const = 0;
  /// k of the Huber loss.
  virtual double threshold() const { return 0.0; }
  virtual const DataMatrix& A() const = 0;
  virtual const Doubles& targets() const = 0;
  /// ObjectiveTerm::add_gradient, keeping loss'(a_i'x, t_i) of every component on the way (slopes may be null).
  virtual double add_gradient_and_slopes(ConstVectorRef x, double weight, VectorRef gradient, double* slopes) const = 0;

 protected:
  ~LossSum() = default;
};

/// c'x + constant
struct LinearForm {
  const Doubles* c = nullptr;
  double constant = 0.0;
  explicit operator bool() const { return c != nullptr; }
};

/// 1/2 x'Px + q'x, both triangles of P stored.
struct QuadraticForm {
  const DataMatrix* P = nullptr;
  const Doubles* q = nullptr;
  explicit operator bool() const { return P != nullptr; }
};

/// What a term is made of, for methods and writers that read its data themselves; at most one of these.
struct TermStructure {
  LinearForm linear = {};
  QuadraticForm quadratic = {};
  const LossSum* losses = nullptr;

  /// Least squares, or null.
  const LossSum* squares() const {
    return losses != nullptr && losses->loss_kind() == LossKind::square ? losses : nullptr;
  }
};

class ObjectiveTerm {
 public:
  virtual ~ObjectiveTerm() = default;

  virtual std::string_view kind() const = 0;
  virtual Index dimension() const = 0;
  /// Number of components (1 for linear and quadratic terms).
  virtual Index components() const = 0;
  virtual Index bytes() const = 0;
  virtual TermStructure structure() const { return {}; }
  /// None by default: such a term cannot be written to a file.
  virtual StoredForm stored() const { return {}; }

  virtual double value(ConstVectorRef x) const = 0;
  /// Returns T(x) and does gradient += weight * grad T(x); one read of the data.
  virtual double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const = 0;
  /// Lower triangle of H += weight * Hess T(x).
  virtual void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const = 0;

  /// The largest t such that T is finite on [x, x + t d), for terms with a domain.
  virtual double max_step(ConstVectorRef, ConstVectorRef) const { return kInfinity; }
  /// Prepares t -> T(x + t d); line_point then evaluates it, outside the domain as +infinity with an infinite slope
  /// of the sign of t. By default line_point takes a gradient, which reads the data each time.
  virtual void prepare_line(ConstVectorRef x, ConstVectorRef d, ObjectiveLine& line) const;
  virtual LinePoint line_point(ObjectiveLine& line, double t) const;

  virtual double component_value(Index i, ConstVectorRef x) const = 0;
  virtual void add_component_gradient(Index i, ConstVectorRef x, double weight, VectorRef gradient) const = 0;

  /// Upper bounds: T is smoothness()-smooth, component i is component_smoothness(i)-smooth.
  virtual double smoothness() const = 0;
  virtual double component_smoothness(Index i) const = 0;
  /// Lower bound of the strong convexity modulus, safe to rest a certificate on.
  virtual double strong_convexity() const = 0;
  /// A lower bound of T over all x, or -infinity.
  virtual double lower_bound() const = 0;
  /// min_y T(y) + g'y exactly, where a closed form is known; certificates rest on it.
  virtual std::optional<LinearMinimum> minimum_with(ConstVectorRef) const { return std::nullopt; }

  /// The same for every g' with |g'_j - g_j| <= slack_j at once, rounding taken off.
  virtual std::optional<LinearMinimum> minimum_within(ConstVectorRef /*g*/, ConstVectorRef /*slack*/) const {
    return std::nullopt;
  }

  /// What rounding is relative to, as ConstraintBatch::add_absolute_sums: returns the size of T(x), and
  /// gradient_sizes += weight * those of grad T(x). Infinite by default: not known.
  virtual double add_absolute_sums(ConstVectorRef /*x*/, double /*weight*/, VectorRef /*gradient_sizes*/) const {
    return kInfinity;
  }
  virtual Index rounding_length() const { return components() + dimension(); }
  /// T(x) + defect/2 |x|^2 is convex for the data as stored; infinite: nobody has proved it.
  virtual double convexity_defect() const { return kInfinity; }

  /// Growth along d (types.hpp); infinite by default: not known.
  virtual Growth growth(ConstVectorRef /*x*/, ConstVectorRef /*d*/) const { return {}; }

  /// Throws InputError if the data are invalid or not convex.
  virtual void validate() const = 0;
};

using TermPtr = std::shared_ptr<const ObjectiveTerm>;

}  // namespace pliant
