// The contract of the simple convex term psi: prox, and everything a certificate needs of it.
#pragma once

#include "pliant/stored_form.hpp"
#include "pliant/types.hpp"

#include <memory>
#include <string_view>

namespace pliant {

struct SeparableParameters;  // regularizers.hpp
struct GroupParameters;

/// What a term is made of, for methods and writers that treat it by its form.
struct ProxStructure {
  const SeparableParameters* separable = nullptr;
  const GroupParameters* groups = nullptr;
  double radius = 0.0;  ///< of a simplex or ball
};

class ProxTerm {
 public:
  virtual ~ProxTerm() = default;

  virtual std::string_view kind() const = 0;
  virtual Index dimension() const = 0;
  virtual ProxStructure structure() const { return {}; }
  /// None by default: such a term cannot be written to a file.
  virtual StoredForm stored() const { return {}; }

  /// Finite part of psi (indicators count as 0; see domain_violation).
  virtual double value(ConstVectorRef x) const = 0;
  /// How far x lies outside dom psi (infinity norm of x - project(x), or the like); 0 inside.
  virtual double domain_violation(ConstVectorRef x) const = 0;
  /// Projects onto dom psi.
  virtual void project(VectorRef x) const = 0;
  /// out = argmin_y psi(y) + |y - v|^2 / (2 step); may alias v.
  virtual void prox(ConstVectorRef v, double step, VectorRef out) const = 0;
  /// Smallest-norm element of g + subdifferential psi(x), x in dom psi.
  virtual void residual(ConstVectorRef x, ConstVectorRef g, VectorRef r) const = 0;

  virtual double strong_convexity() const = 0;

  /// min_y g'(y - x) + mu/2 |y - x|^2 + psi(y) exactly, or -infinity if unbounded below.
  virtual double lower_model(ConstVectorRef x, ConstVectorRef g, double mu) const = 0;
  /// The same over those y with (finite part of) psi(y) <= psi_max: finite for coercive psi when
  /// lower_model is not. A valid lower bound, not necessarily the minimum.
  virtual double lower_model_bounded(ConstVectorRef x, ConstVectorRef g, double mu, double psi_max) const = 0;

  /// What of the Lagrangian's gradient g no multiplier of dom psi balances (src/prox/domain.hpp): the smallest element of
  /// g + subdifferential psi at the projection of x, unless a bound takes what pushes towards it.
  virtual void dual_infeasibility(ConstVectorRef x, ConstVectorRef g, VectorRef r) const;
  /// lower_model over the variables for which it is finite, psi(x) for the others: an estimate where the minimum is not
  /// finite.
  virtual double lower_model_estimate(ConstVectorRef x, ConstVectorRef g, double mu) const;

  /// min g'(y - x) over y in dom psi with |y_j| <= radius (which may be infinite) for all j, or a lower bound of it;
  /// -infinity if unbounded below. psi itself does not enter: this is about feasibility.
  virtual double linear_minimum(ConstVectorRef x, ConstVectorRef g, double radius) const = 0;
  /// Growth along d (types.hpp).
  virtual Growth growth(ConstVectorRef x, ConstVectorRef d) const = 0;

  /// max |y - x| over dom psi, infinite if unbounded.
  virtual double domain_radius(ConstVectorRef x) const = 0;

  /// Throws InputError if the data are invalid.
  virtual void validate() const = 0;
};

using ProxPtr = std::shared_ptr<const ProxTerm>;

}  // namespace pliant
