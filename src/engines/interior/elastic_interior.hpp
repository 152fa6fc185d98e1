// Primal-dual elastic Newton on a whole sparse LP or QP (docs/theory.md; path/elastic_newton.hpp has the same method
// on small dense working sets).
//
// For every side a_k <= 0 the unknowns are those of an elastic pair (elastic_pairs.hpp), beside
//
//   Px + q + A'y + (bounds) = 0,   Ex = e,
//
// so no interior of the feasible set is needed. Linearised, a side reads sign dt - W dlambda = r; sides of variables go
// into the diagonal of the Newton matrix, sides of rows stay rows of it.
#pragma once

#include "engines/interior/elastic_pairs.hpp"
#include "engines/interior/kkt_system.hpp"
#include "engines/interior/predictor_corrector.hpp"
#include "engines/interior/sides.hpp"

#include <array>
#include <vector>

namespace pliant {

/// On the diagonal of P and on equality rows; inequality rows are never regularised.
struct Regularisation {
  double x, y;
};
/// From the weakest, which leaves the most accurate directions as a rule, to what degenerate programs with dependent rows
/// (degen3) or entries of all sizes (pilot4 at 1e-8) need.
inline constexpr std::array kRegularisations{Regularisation{1e-10, 1e-8}, Regularisation{1e-8, 1e-8},
                                             Regularisation{1e-8, 1e-6}};

struct InteriorParameters {
  double xi = 1e3;                                ///< of every side at the start
  double xi_share = 0.3;                          ///< xi grows when the multiplier exceeds this share of it,
  double xi_growth = ElasticPairs::kUsualGrowth;  ///< by this factor
  double start = 100.0;                           ///< least slacks and multipliers at the start
  double start_excess = 1e-8;                     ///< least excess there
  double least_new_slack = 1e-3;                  ///< of rows that join later
  Regularisation regularisation = kRegularisations.front();
  double start_regularisation = 1e-6;  ///< of the least-squares start
  double least_centring = 1e-8;
  double least_mu = 1e-13;       ///< complementarity is not aimed below this
  double least_product = 1e-4;   ///< s lambda is kept above this share of mu; 1e-3 and more stall degenerate LPs;
  double lifted_share = 0.1;     ///< lambda is lifted to this share of xi at most
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

/// An iterate and what it belongs to, apart from the form and the factorisations.
struct InteriorIterate {
  Vector x, y;
  Sides sides;
  ElasticPairs pairs;
};

class ElasticInterior {
 public:
  ElasticInterior(const StandardForm& form, LdlKind kind, InteriorParameters parameters = {});

  /// Begins at an iterate of an engine with fewer rows instead, whose row r is row place[r] here; x may violate others.
  void continue_from(const InteriorIterate& before, const std::vector<Index>& place);
  InteriorIterate iterate() const { return {x_, y_, sides_, pairs_}; }
  /// Steps until `stop` (asked before every step, at an evaluated iterate) or a failure of the linear algebra.
  /// False: the latter.
  bool run(FunctionRef<bool()> stop);

  // The steps of predictor_corrector.hpp; one length for primal and dual unless the program is linear.
  bool factorize();
  bool predict();
  double centring() const;
  bool correct(double sigma);
  bool move();
  /// Fills `residuals` and mu.
  void evaluate();

  const Vector& x() const { return x_; }
  /// Signed duals of the rows.
  const Vector& y() const { return y_; }
  const InteriorResiduals& residuals() const { return residuals_; }
  double mu() const { return mu_; }
  double xi() const { return pairs_.size() > 0 ? pairs_.ceiling.maxCoeff() : 0.0; }
  Index steps() const { return steps_; }
  /// Of the latest step.
  interior::Steps step_lengths() const { return step_lengths_; }
  /// Complementarity that is small enough: aiming below it only costs digits of the linear algebra.
  void set_sufficient_mu(double mu) { parameters_.least_mu = mu; }
  Index sides() const { return sides_.size(); }
  const KktSystem& kkt() const { return kkt_; }

  /// lambda'(offsets) + y'e < 0 grows while A'y + (bounds) vanishes: by how much less than 1 (0: a perfect proof).
  double farkas_ratio() const;

 private:
  struct Direction : ElasticDirection {
    Vector x, y, Ax;
  };

  bool start();
  bool factorize_diagonals(Regularisation regularisation);
  /// Solves the Newton system; where that is inaccurate, with more regularisation from here on, and with pivots chosen by
  /// value where no regularisation helps.
  bool solve_newton(Vector& dx, Vector& dy);
  bool regularise_more();
  /// Solves for the targets of s lambda and v (xi - lambda) in target_s_, target_v_.
  bool solve(Direction& d);
  /// dy and the right-hand sides into the multipliers of all sides.
  void recover_multipliers(Direction& d) const;
  void right_hand_sides();
  interior::Steps longest_steps(const Direction& d) const;
  void recentre();
  void raise_xi();

  const StandardForm& form_;
  InteriorParameters parameters_;
  Sides sides_;
  KktSystem kkt_;
  bool linear_;
  bool started_ = false;
  Index steps_ = 0;
  interior::Steps step_lengths_;
  double mu_ = 0.0;
  Vector x_, y_, Ax_;
  ElasticPairs pairs_;      // of the sides
  Vector a_, rp_, weight_;  // per side
  Vector target_s_, target_v_, r_;
  Vector diagonal_x_, diagonal_y_, rhs_x_, rhs_y_;
  InteriorResiduals residuals_;
  Direction predictor_, corrector_;
};

}  // namespace pliant
