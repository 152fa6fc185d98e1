// Primal-dual elastic Newton on a whole sparse LP or QP (docs/theory.md; path/elastic_newton.hpp has the same method
// on small dense working sets).
//
// For every side a_k <= 0 the unknowns are a slack s, an elastic excess v and a multiplier 0 <= lambda <= xi with
//
//   a + s - v = 0,   s lambda = t_s,   v (xi - lambda) = t_v,      Px + q + A'y + (bounds) = 0,   Ex = e,
//
// an interior-point path of the exact l1 penalty, so no interior of the feasible set is needed. Linearised, a side
// reads sign dt - W dlambda = r with W = s/lambda + v/(xi - lambda); sides of variables go into the diagonal of the
// Newton matrix, sides of rows stay rows of it. Mehrotra's predictor chooses the centring, his corrector the step.
#pragma once

#include "engines/interior/kkt_system.hpp"
#include "engines/interior/sides.hpp"
#include "pliant/function_ref.hpp"

namespace pliant {

struct InteriorParameters {
  Index max_steps = 200;
  double xi = 1e3;                     ///< of every side at the start
  double xi_share = 0.3;               ///< xi grows tenfold when the multiplier exceeds this share of it
  double start = 100.0;                ///< least slacks and multipliers at the start
  double regularisation_x = 1e-10;     ///< on the diagonal of P
  double regularisation_y = 1e-8;      ///< on equality rows; inequality rows are never regularised
  double start_regularisation = 1e-6;  ///< of the least-squares start
  double least_centring = 1e-8;
  double least_mu = 1e-13;       ///< complementarity is not aimed below this
  double least_product = 1e-4;   ///< s lambda is kept above this share of mu; 1e-3 and more stall degenerate LPs
  double correction_cap = 10.0;  ///< second-order terms are clipped to this multiple of mu
  double boundary_fraction = 0.99;
  double least_weight = 1e-16, largest_weight = 1e30;  ///< beyond these sums with weights overflow or vanish
};

/// Residuals of an iterate, in the units of the scaled problem.
struct InteriorResiduals {
  Vector dual;       ///< Px + q + A'y + multipliers of bounds
  Vector gradient;   ///< Px + q
  Vector rows;       ///< violation of each row
  Vector variables;  ///< violation of the bounds of each variable
  double objective = 0.0;
  double gap = 0.0;  ///< primal minus dual objective
};

class ElasticInterior {
 public:
  ElasticInterior(const StandardForm& form, LdlKind kind, InteriorParameters parameters = {});

  /// Steps until `stop` (asked before every step, at an evaluated iterate) or a failure of the linear algebra.
  /// False: the latter.
  bool run(FunctionRef<bool()> stop);

  const Vector& x() const { return x_; }
  /// Signed duals of the rows.
  const Vector& y() const { return y_; }
  const InteriorResiduals& residuals() const { return residuals_; }
  double mu() const { return mu_; }
  double xi() const { return xi_.size() > 0 ? xi_.maxCoeff() : 0.0; }
  Index steps() const { return steps_; }
  /// Complementarity that is small enough: aiming below it only costs digits of the linear algebra.
  void set_sufficient_mu(double mu) { parameters_.least_mu = mu; }
  Index sides() const { return sides_.size(); }
  const KktSystem& kkt() const { return kkt_; }

  /// lambda'(offsets) + y'e < 0 grows while A'y + (bounds) vanishes: by how much less than 1 (0: a perfect proof).
  double farkas_ratio() const;

 private:
  struct Direction {
    Vector x, y, Ax, s, v, lambda;
  };

  bool start();
  void evaluate();
  bool factorize();
  /// Solves for the targets of s lambda and v (xi - lambda) in target_s_, target_v_.
  bool solve(Direction& d);
  /// dy and the right-hand sides into the multipliers of all sides.
  void recover_multipliers(Direction& d) const;
  void right_hand_sides();
  double longest(const Vector& z, const Vector& d) const;
  struct Steps {
    double primal, dual;
  };
  Steps longest_steps(const Direction& d) const;
  double mu_after(const Direction& d, Steps steps) const;
  void centre(const Direction& predictor, Steps steps);
  void move(const Direction& d, Steps steps);
  void recentre();
  void raise_xi();

  const StandardForm& form_;
  InteriorParameters parameters_;
  Sides sides_;
  KktSystem kkt_;
  bool linear_;
  Index steps_ = 0;
  double mu_ = 0.0;
  Vector x_, y_, Ax_;
  Vector a_, s_, v_, lambda_, xi_, rp_, weight_;  // per side
  Vector target_s_, target_v_, r_;
  Vector diagonal_x_, diagonal_y_, rhs_x_, rhs_y_;
  InteriorResiduals residuals_;
  Direction predictor_, corrector_;
};

}  // namespace pliant
