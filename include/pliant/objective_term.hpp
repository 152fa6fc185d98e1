// The contract of a smooth objective term: a finite sum of convex components.
//
// A term T(x) = sum_i T_i(x) already contains its own averaging factor (least squares is
// (1/2l)|Ax - b|^2 with l components (1/2l)(a_i'x - b_i)^2). The problem adds terms with weights.
#pragma once

#include "pliant/types.hpp"

#include <memory>
#include <string_view>

namespace pliant {

class ObjectiveTerm {
 public:
  virtual ~ObjectiveTerm() = default;

  virtual std::string_view kind() const = 0;
  virtual Index dimension() const = 0;
  /// Number of components (1 for linear and quadratic terms).
  virtual Index components() const = 0;
  virtual Index bytes() const = 0;

  virtual double value(ConstVectorRef x) const = 0;
  /// Returns T(x) and does gradient += weight * grad T(x); one read of the data.
  virtual double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const = 0;
  /// Lower triangle of H += weight * Hess T(x).
  virtual void add_hessian(ConstVectorRef x, double weight, MatrixRef H) const = 0;

  virtual double component_value(Index i, ConstVectorRef x) const = 0;
  virtual void add_component_gradient(Index i, ConstVectorRef x, double weight, VectorRef gradient) const = 0;

  /// Upper bounds: T is smoothness()-smooth, component i is component_smoothness(i)-smooth.
  virtual double smoothness() const = 0;
  virtual double component_smoothness(Index i) const = 0;
  /// Lower bound of the strong convexity modulus, safe to rest a certificate on.
  virtual double strong_convexity() const = 0;
  /// A lower bound of T over all x, or -infinity.
  virtual double lower_bound() const = 0;

  /// Growth along d (types.hpp); infinite by default: not known.
  virtual Growth growth(ConstVectorRef /*x*/, ConstVectorRef /*d*/) const { return {}; }

  /// Throws InputError if the data are invalid or not convex.
  virtual void validate() const = 0;
};

using TermPtr = std::shared_ptr<const ObjectiveTerm>;

}  // namespace pliant
