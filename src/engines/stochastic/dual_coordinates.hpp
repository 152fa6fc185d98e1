// Dual coordinates of a generalised linear problem under the exact penalty (delta = 0),
//
//   min_x  sum_i phi_i(a_i'x) + g(x),    g(x) = mu/2 |x|^2 + c'x + w |x|_1 + indicator[lo, hi](x),   mu > 0
//
//   phi_i = s loss(., t_i) for a loss of the objective,   xi max(0, z - h) or xi max(0, z - hi, lo - z) for a row.
//
// With one alpha_i for every phi_i the dual is max_alpha -sum_i phi_i*(alpha_i) - g*(v), v = -sum_i alpha_i a_i, and
//
//   x = grad g*(v):   x_j = clip(soft(v_j - c_j, w) / mu, lo_j, hi_j)
//
// belongs to every alpha. A visit of coordinate i maximises over alpha_i alone, with the 1/mu-smooth bound of g* where
// g has kinks (Shalev-Shwartz and Zhang 2013): with z = a_i'x and q = |a_i|^2 / mu the new alpha is phi_i'(z+) for
// z+ = z - (alpha - alpha_i) q:
//
//   square     (z + alpha_i q - t) / (1/s + q);      huber: the same, clipped to [-sk, sk];      logistic: Newton
//   row        clip(alpha_i + (z - h)/q, 0, xi);     of two sides: in [-xi, xi], equalities among them
//
// For soft rows the penalty is the objective: xi is the price of the row, or of each of its sides, and never grows.
//
// The multiplier of a row is its alpha. A visit costs the nonzeros of one row.
#pragma once

#include "engines/stochastic/row_view.hpp"
#include "objective/losses.hpp"
#include "pliant/problem.hpp"
#include "pliant/regularizers.hpp"
#include "rows/constraint_system.hpp"

#include <string>
#include <vector>

namespace pliant {

class DualCoordinates {
 public:
  /// Why this problem has no such dual; empty: it has.
  static std::string obstacle(const Problem& problem);

  /// Starts at alpha = 0. Needs a problem without obstacle.
  DualCoordinates(const Problem& problem, ConstraintSystem& system);

  Index size() const { return alpha_.size(); }
  /// Coordinates of objective components; those of the rows follow.
  Index objective() const { return objective_; }
  const Vector& alphas() const { return alpha_; }
  const Vector& x() const { return x_; }
  /// Multipliers of all constraints, in the order of the ConstraintSystem.
  void multipliers(Vector& out) const;

  /// alpha from a point and the multipliers of its constraints, which must not exceed xi.
  void adopt(ConstVectorRef x, ConstVectorRef multipliers);

  /// x anew from alpha, without the rounding errors of many visits. Returns how many rows it read.
  Index refresh();

  /// What a visit found, before it moved x.
  struct Visit {
    double gap = 0.0;        ///< about what this coordinate contributes to the duality gap
    double violation = 0.0;  ///< of a row
    bool saturated = false;  ///< its multiplier is at xi, and the row stays violated
  };
  Visit visit(Index i, double xi);

  // The dual as a function, for combinations of iterates. The image of alpha is an affine function of it: x itself
  // where g has no kinks, v otherwise.
  const Vector& image() const { return smooth_ ? x_ : v_; }
  double value(const Vector& alpha, const Vector& image) const;
  /// Moves alpha into its domain, and the image with it. Returns how many rows that took.
  Index clip(Vector& alpha, Vector& image, double xi) const;
  /// The largest t with alpha + t direction in the domain.
  double longest_step(const Vector& direction, double xi) const;
  void assign(const Vector& alpha, const Vector& image);

 private:
  enum class Kind { square, logistic, huber, one_sided, two_sided };
  static Kind kind_of(LossKind loss) {
    return loss == LossKind::square ? Kind::square : loss == LossKind::logistic ? Kind::logistic : Kind::huber;
  }
  struct Group {
    Kind kind = Kind::square;
    Index begin = 0, count = 0;
    const DataMatrix* matrix = nullptr;
    const double* targets = nullptr;  // t_i, h_i or hi_i
    const double* lower = nullptr;    // lo_i
    double scale = 0.0;               // s
    double k = 0.0;                   // of huber
    const ConstraintBatch* batch = nullptr;
    Index system_begin = 0;
    std::vector<double> above, below;  // prices of the sides of soft rows; empty: hard rows
  };

  void append(Group group);
  static void set_prices(const LinearRows& rows, const Doubles& caps, Group& group);
  const Group& group_of(Index i) const {
    std::size_t g = 0;
    while (i >= groups_[g].begin + groups_[g].count) ++g;
    return groups_[g];
  }
  double best_alpha(const Group& group, Index local, double z, double alpha, double q, double xi) const;
  double slope(const Group& group, Index local, double z) const;
  double curvature_bound(const Group& group) const;
  /// alpha_i += change, and x with it.
  void move(const RowView& row, double change);
  /// Entry j of grad g*(v).
  double primal(Index j, double v) const;
  double conjugate(const Group& group, Index local, double a) const;
  struct Interval {
    double low, high;
  };
  /// Of alpha_i: where its conjugate is finite.
  Interval domain(const Group& group, Index local, double xi) const;
  static Interval domain_of_row(const Group& group, Index local, double xi);
  Visit visit_soft(const Group& group, Index local, double z, double before) const;

  const Problem& problem_;
  const SeparableParameters& psi_;
  std::vector<Group> groups_;
  Index objective_ = 0;
  double mu_ = 0.0;
  bool smooth_ = false;  // no kinks in g: x moves like v
  Vector alpha_;
  Vector stiffness_;  // q_i
  Vector linear_;     // c
  Vector v_, x_;      // v without c: x = grad g*(v_)
};

}  // namespace pliant
