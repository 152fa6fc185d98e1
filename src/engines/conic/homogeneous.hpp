// Primal-dual interior-point method on the homogeneous embedding of a conic program,
//
//   Px + G'z + q tau = 0,   Gx + s - h tau = 0,   q'x + h'z + x'Px/tau + kappa = 0,
//   (s, z) in K x K*,  tau, kappa >= 0,   s o z -> 0,  tau kappa -> 0
//
// (for quadratic objectives see Goulart and Chen, Clarabel). tau > 0 in the limit: (x, s, z)/tau is optimal. kappa > 0:
// z proves infeasibility (h'z < 0, G'z = 0) or x unboundedness (q'x < 0, Px = 0, -Gx in K). No interior is needed.
//
// One step: scaling of the cones (cone_product.hpp), one factorisation, a predictor with sigma = 0, a corrector with
// second-order terms, one common step length. A predictor step alpha leaves mu (1 - alpha), so Mehrotra's
// sigma = (1 - alpha)^3. Where cones are not symmetric the step is shortened until the new point is central enough for
// the next scaling.
#pragma once

#include "engines/conic/conic_kkt.hpp"
#include "engines/interior/predictor_corrector.hpp"

#include <array>

namespace pliant {

struct HomogeneousParameters {
  double regularisation = 1e-8;
  double boundary_fraction = 0.99;
  double backtracking = 0.8;   ///< of steps that leave the neighbourhood of the central path
  double neighbourhood = 1.0;  ///< bound of (degree + 1) ln mu + f(s) + f*(z) - ln tau - ln kappa
  double short_step = 0.1;     ///< shorter ones ask for another scaling of the cones that are not symmetric
  std::array<double, 2> centring{0.3, 0.9};  ///< sigmas tried where steps are short
  double shortest_step = 1e-4;               ///< shorter ones end the method
  int most_backtracks = 50;
  int balancings = 2;  ///< the second one removes what the linear algebra left of the first
};

class HomogeneousInterior {
 public:
  HomogeneousInterior(const ConicForm& form, LdlKind kind, HomogeneousParameters parameters = {});

  /// Steps until `stop` (asked before every step, at an evaluated iterate). False: no further progress was possible,
  /// see `failure`.
  bool run(FunctionRef<bool()> stop);

  Vector x() const { return x_ / tau_; }
  Vector s() const { return s_ / tau_; }
  Vector z() const { return z_ / tau_; }
  /// The same without division, for proofs.
  const Vector& ray_x() const { return x_; }
  const Vector& ray_z() const { return z_; }
  /// The same with what keeps them from being proofs (G'z, or Gx + s and Px) taken off, up to rounding, by a move that
  /// is short beside the distance to the boundary. Needs the factorisation of a step.
  Vector balanced_z();
  Vector balanced_x();
  double tau() const { return tau_; }
  double kappa() const { return kappa_; }
  double mu() const { return mu_; }

  // Of (x, s, z)/tau.
  Vector primal_residual() const { return rz_ / tau_; }  ///< Gx + s - h
  Vector dual_residual() const { return -rx_ / tau_; }   ///< Px + q + G'z
  Vector gradient() const { return Px_ / tau_ + form_.q; }
  double objective() const;
  double dual_objective() const;

  /// |G'z| / -h'z where that proves anything, else infinite; x is the other way round: |Px|, |Gx + s| over -q'x.
  double infeasibility_ratio() const;
  double unboundedness_ratio() const;

  Index steps() const { return steps_; }
  /// Length of the latest step, one for all.
  double step_length() const { return step_; }
  const char* failure() const { return failure_; }
  const ConicKkt& kkt() const { return kkt_; }

  // The steps of predictor_corrector.hpp.
  void evaluate();
  bool factorize();
  bool predict();
  double centring() const;
  bool correct(double sigma);
  bool move();

 private:
  struct Direction {
    Vector x, s, z;
    double tau = 0.0, kappa = 0.0;
  };

  bool start();
  /// `share` of the residuals removed, constant c of ds = -(H dz + c), and of tau kappa.
  bool solve(double share, const Vector& c, double tau_kappa, Direction& d);
  double longest_step(const Direction& d) const;
  double central_step(const Direction& d, double step) const;
  double corrector_step(double sigma, bool second_order);
  bool fail(const char* why);

  const ConicForm& form_;
  HomogeneousParameters parameters_;
  ConeProduct cones_;
  ConicKkt kkt_;
  bool quadratic_;
  bool dual_only_ = false;
  Index steps_ = 0;
  double step_ = 1.0;  // of the corrector
  const char* failure_ = "";
  Vector x_, s_, z_;
  double tau_ = 1.0, kappa_ = 1.0, mu_ = 1.0;
  Vector Px_, rx_, rz_;
  double xPx_ = 0.0, rtau_ = 0.0, q_x_ = 0.0, h_z_ = 0.0;
  Vector x2_, z2_, Px2_;  // the direction of tau
  Direction predictor_, corrector_;
  Vector constant_;
};

}  // namespace pliant
