// The primal-dual path of a semidefinite program without an elastic part (xi = infinity), HKM direction.
//
// L is the multiplier of S = sum x_i F_i - F0. Newton on S L = mu I, S - sum x_i F_i + F0 = 0 and <F_i, L> = c_i gives
//
//   H dx = <F_i, R + sym(L Rp S^-1)> - rd,   H_ij = tr(F_i L F_j S^-1)
//   dS = sum dx_i F_i - Rp,   dL = R - sym(L dS S^-1)
//   R = sigma mu S^-1 - L  (- sym(dL_a dS_a S^-1) of the predictor),   Rp = F0 - sum x_i F_i + S,   rd = c - <F_i, L>
//
// Primal and dual steps are separate, and each new S and L must have a Cholesky factor. After the predictor,
//
//   sigma = (mu_predicted / mu)^max(1, 3 t^2),   t the shorter of its steps (as in SDPT3).
#pragma once

#include "engines/conic/semidefinite_orthogonal.hpp"
#include "engines/interior/predictor_corrector.hpp"
#include "engines/interior/steps.hpp"
#include "linalg/regularised_cholesky.hpp"

#include <optional>

namespace pliant {

struct SemidefiniteParameters {
  double least_start = 10.0;  ///< multiples of the identity at the start are at least this
  double boundary_fraction = 0.95;
  double predictor_fraction = 0.98;
  double least_centring = 1e-6;
  double short_step = 0.1;           ///< predictor steps below this, while infeasible, ...
  double short_step_centring = 0.3;  ///< ... ask for at least this much centring
  double feasible = 1e-9;            ///< relative primal residual that counts as feasible there
  double backtracking = 0.8;
  int most_backtracks = 30;
  double least_step = 1e-7;           ///< shorter steps on both sides: nothing moves any more
  double direction_accuracy = 1e-12;  ///< of <F_i, dL>, relative to 1 + |c|; worse ones are refined
  int direction_refinements = 4;
  double direction_gain = 0.5;  ///< ... as long as each leaves at most this share of what was missing
  int balancings = 3;           ///< the later ones remove what the linear algebra left of the first
};

class SemidefiniteInterior {
 public:
  explicit SemidefiniteInterior(const SemidefiniteForm& form, SemidefiniteParameters parameters = {});

  /// Begins again, with directions by orthogonal transformations: slower, and good for more digits.
  void restart_orthogonally();
  /// Steps until `stop`, asked at every evaluated iterate. False: nothing moves any more, or the linear algebra broke
  /// down.
  bool run(FunctionRef<bool()> stop) { return follow_path(*this, stop); }

  const Vector& x() const { return x_; }
  const std::vector<Matrix>& multipliers() const { return L_; }  ///< of the blocks
  const Vector& diagonal_multipliers() const { return l_; }

  Index steps() const { return steps_; }
  /// Of the latest step.
  interior::Steps step_lengths() const { return step_lengths_; }
  double mu() const { return mu_; }
  double primal_objective() const { return primal_objective_; }  ///< c'x
  double dual_objective() const { return dual_objective_; }      ///< <F0, L>
  /// |Rp|: no eigenvalue of sum x_i F_i - F0 is below minus this.
  double primal_residual() const { return primal_residual_; }
  const Vector& dual_residual() const { return rd_; }
  /// |<F_i, L>| / <F0, L>: multipliers prove infeasibility where this is 0. Infinite unless <F0, L> > 0.
  double infeasibility_ratio() const;
  /// L corrected such that <F_i, L> = 0 up to rounding; costs a factorisation, nullopt if that fails.
  struct Multiplier {
    std::vector<Matrix> blocks;
    Vector diagonal;
  };
  std::optional<Multiplier> balanced_multiplier();
  /// Whether sum x_i F_i has no eigenvalue below -margin.
  bool recedes(double margin) const;

  // The steps of predictor_corrector.hpp.
  void evaluate();
  bool factorize();
  bool predict();
  bool correct(double sigma);
  bool move();
  /// Also decides that iterates far from feasible with short steps centre more.
  double centring() const;

 private:
  using Steps = interior::Steps;
  using Direction = SemidefiniteDirection;

  void start();
  SemidefinitePoint here() const { return {S_factor_, L_factor_, s_, l_, Rp_, rp_, rd_}; }
  bool factorize_matrix();
  /// moved = change S^-1, out = sym(L change S^-1), of block b.
  void respond(std::size_t b, const Matrix& change, Matrix& moved, Matrix& out) const;
  /// `predictor` null: a plain Newton step with this centring target.
  void direct(double target, const Direction* predictor, Direction& out);
  void refine(Direction& d);
  Vector solve(const Vector& rhs);
  Steps longest(const Direction& d) const;
  double mu_after(const Direction& d, Steps t) const;
  /// Moves Z and z by `step`, shortened until they have Cholesky factors, which the next step needs anyway.
  void advance(const std::vector<Matrix>& dZ, const Vector& dz, double& step, std::vector<Matrix>& Z,
               std::vector<Matrix>& factors, Vector& z) const;

  const SemidefiniteForm& form_;
  SemidefiniteParameters parameters_;
  Index rank_;
  double F0_norm_ = 0.0;

  Vector x_;
  std::vector<Matrix> S_, L_;                // blocks
  std::vector<Matrix> S_factor_, L_factor_;  // Cholesky
  Vector s_, l_;                             // diagonal block

  std::vector<Matrix> Rp_, inverse_, carried_;  // S^-1, and sym(L Rp S^-1)
  std::vector<Matrix> bent_;                    // sym(dL_a dS_a S^-1)
  Vector rp_, rd_;
  Matrix H_;
  RegularisedCholesky kkt_;  // of H
  std::optional<OrthogonalNewton> orthogonal_;
  Direction predictor_, corrector_;
  Index steps_ = 0;
  Steps step_lengths_;
  double mu_ = 0.0, primal_objective_ = 0.0, dual_objective_ = 0.0, primal_residual_ = 0.0;
};

}  // namespace pliant
