#include "engines/conic/homogeneous.hpp"

#include "engines/interior/steps.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
HomogeneousInterior::HomogeneousInterior(const ConicForm& form, LdlKind kind, HomogeneousParameters parameters)
    : form_(form),
      parameters_(parameters),
      cones_(form.cones),
      kkt_(form, cones_, kind),
      quadratic_(form.P.nonZeros() > 0) {}

bool HomogeneousInterior::fail(const char* why) {
  failure_ = why;
  return false;
}

// Symmetric cones: x and s of the least-squares primal problem, z of the dual one, moved into the cones. Others: the
// centres, since only those are sure to be central.
bool HomogeneousInterior::start() {
  const Index n = form_.variables(), m = form_.rows();
  tau_ = kappa_ = 1.0;
  if (!cones_.symmetric()) {
    x_ = Vector::Zero(n);
    cones_.centre(s_);
    z_ = s_;
    return true;
  }
  if (!kkt_.factorize_unit(parameters_.regularisation)) return fail("the first factorisation failed");
  Vector unused;
  bool solved = true;
  if (quadratic_) {
    solved = kkt_.solve(-form_.q, form_.h, x_, z_);
    s_ = -z_;
  } else {
    solved = kkt_.solve(Vector::Zero(n), form_.h, x_, s_) && kkt_.solve(-form_.q, Vector::Zero(m), unused, z_);
    s_ = -s_;
  }
  if (!solved) return fail("the first linear system could not be solved");
  cones_.shift_inside(s_, false);
  cones_.shift_inside(z_, true);
  return true;
}

void HomogeneousInterior::evaluate() {
  Px_ = form_.P * x_;
  xPx_ = x_.dot(Px_);
  q_x_ = form_.q.dot(x_);
  h_z_ = form_.h.dot(z_);
  rx_ = -Px_ - form_.q * tau_;
  rx_.noalias() -= form_.G.transpose() * z_;
  rz_ = s_ - form_.h * tau_;
  rz_.noalias() += form_.G * x_;
  rtau_ = q_x_ + h_z_ + kappa_ + xPx_ / tau_;
  mu_ = (s_.dot(z_) + tau_ * kappa_) / (cones_.degree() + 1.0);
}

double HomogeneousInterior::objective() const { return (0.5 * xPx_ / tau_ + q_x_) / tau_ + form_.constant; }
double HomogeneousInterior::dual_objective() const { return -(0.5 * xPx_ / tau_ + h_z_) / tau_ + form_.constant; }

double HomogeneousInterior::infeasibility_ratio() const {
  if (!(h_z_ < 0.0)) return kInfinity;
  return (form_.G.transpose() * z_).lpNorm<Eigen::Infinity>() / -h_z_;
}

double HomogeneousInterior::unboundedness_ratio() const {
  if (!(q_x_ < 0.0)) return kInfinity;
  const double rows = form_.rows() > 0 ? (form_.G * x_ + s_).lpNorm<Eigen::Infinity>() : 0.0;
  return std::max(Px_.lpNorm<Eigen::Infinity>(), rows) / -q_x_;
}

// G'v = -G'z with the v that is smallest in the norm of H (if P = 0; else v is as good as its check).
Vector HomogeneousInterior::balanced_z() {
  Vector z = z_, u, v;
  for (int k = 0; k < parameters_.balancings; ++k) {
    if (!kkt_.solve(-(form_.G.transpose() * z), Vector::Zero(form_.rows()), u, v)) return z_;
    z += v;
  }
  return z;
}

// Pu + G'v = 0 and -G(x + u) = s - Hv, which stays in the cone where v is small.
Vector HomogeneousInterior::balanced_x() {
  Vector x = x_, s = s_, u, v, moved;
  for (int k = 0; k < parameters_.balancings; ++k) {
    if (!kkt_.solve(-(form_.P * x), -(form_.G * x + s), u, v)) return x_;
    x += u;
    cones_.multiply(v, moved);
    s -= moved;
  }
  return x;
}

bool HomogeneousInterior::factorize() {
  if (!std::isfinite(mu_) || !(mu_ > 0.0)) return fail("the iterates left the cones");
  if (!cones_.scale(s_, z_, mu_, dual_only_)) return fail("the iterates left the cones");
  if (!kkt_.factorize(parameters_.regularisation)) return fail("a factorisation failed");
  if (!kkt_.solve(-form_.q, form_.h, x2_, z2_)) return fail("a linear system could not be solved");
  Px2_ = form_.P * x2_;
  return true;
}

// Eliminating ds and dkappa leaves [P G'; G -H] (dx, dz) = (r_x, c - r_z) + dtau (-q, h), and the third equation gives
// dtau; the terms in P come from linearising x'Px/tau.
bool HomogeneousInterior::solve(double share, const Vector& c, double tau_kappa, Direction& d) {
  if (!kkt_.solve(share * rx_, c - share * rz_, d.x, d.z)) return fail("a linear system could not be solved");
  const double inverse = 1.0 / tau_;
  double numerator = share * rtau_ - tau_kappa * inverse + form_.q.dot(d.x) + form_.h.dot(d.z);
  double denominator = kappa_ * inverse - form_.q.dot(x2_) - form_.h.dot(z2_);
  if (quadratic_) {
    const Vector y = x_ * inverse;
    numerator += 2.0 * inverse * Px_.dot(d.x);
    denominator += xPx_ * inverse * inverse - 2.0 * y.dot(Px2_);
  }
  d.tau = numerator / denominator;
  d.x += d.tau * x2_;
  d.z += d.tau * z2_;
  d.s = form_.h * d.tau - share * rz_;
  d.s.noalias() -= form_.G * d.x;
  d.kappa = -(tau_kappa + kappa_ * d.tau) * inverse;
  for (const ConeProduct::Block& b : cones_.blocks()) {
    if (b.cone.kind == ConeKind::zero) d.s.segment(b.first, b.cone.rows).setZero();
  }
  return std::isfinite(d.tau) && d.x.allFinite() && d.z.allFinite() ? true : fail("a step was not finite");
}

double HomogeneousInterior::longest_step(const Direction& d) const {
  double limit = 1.0 / parameters_.boundary_fraction;
  limit = interior::longest_step(tau_, d.tau, limit);
  limit = interior::longest_step(kappa_, d.kappa, limit);
  return cones_.longest_step(s_, d.s, z_, d.z, limit);
}

// Shortens the step until the new point lies inside all cones and near the central path.
double HomogeneousInterior::central_step(const Direction& d, double step) const {
  for (int k = 0; k < parameters_.most_backtracks; ++k, step *= parameters_.backtracking) {
    const Vector s = s_ + step * d.s, z = z_ + step * d.z;
    const double tau = tau_ + step * d.tau, kappa = kappa_ + step * d.kappa;
    const double mu = (s.dot(z) + tau * kappa) / (cones_.degree() + 1.0);
    double barrier = 0.0;
    if (!(mu > 0.0 && tau > 0.0 && kappa > 0.0) || !cones_.barrier(s, z, barrier)) continue;
    barrier += (cones_.degree() + 1.0) * std::log(mu) - std::log(tau) - std::log(kappa);
    if (barrier < parameters_.neighbourhood) return step;
  }
  return 0.0;
}

// The corrector with a given sigma, with or without the terms of second order. Returns its step, negative on failure.
double HomogeneousInterior::corrector_step(double sigma, bool second_order) {
  const double share = second_order ? 1.0 : 0.0;
  const Vector none = Vector::Zero(second_order ? 0 : s_.size());
  cones_.corrector(s_, z_, second_order ? predictor_.s : none, second_order ? predictor_.z : none, sigma * mu_,
                   constant_);
  const double tau_kappa = tau_ * kappa_ + share * predictor_.tau * predictor_.kappa - sigma * mu_;
  if (!solve(1.0 - sigma, constant_, tau_kappa, corrector_)) return -1.0;
  const double step = interior::damped(longest_step(corrector_), parameters_.boundary_fraction);
  return cones_.symmetric() ? step : central_step(corrector_, step);
}

bool HomogeneousInterior::predict() { return solve(1.0, s_, tau_ * kappa_, predictor_); }

double HomogeneousInterior::centring() const {
  return interior::centring(1.0 - std::min(1.0, longest_step(predictor_)), {});
}

bool HomogeneousInterior::correct(double sigma) {
  const HomogeneousParameters& c = parameters_;
  step_ = corrector_step(sigma, true);
  // Steps that end at once have left the neighbourhood of the central path: back to it first.
  for (const double more : c.centring) {
    if (!(step_ >= 0.0 && step_ < c.short_step) || more <= sigma) continue;
    sigma = more;
    step_ = corrector_step(sigma, false);
  }
  if (step_ < 0.0) return false;
  if (!cones_.symmetric() && !dual_only_ && step_ < c.short_step) {
    dual_only_ = true;  // from the next scaling on, or at once where nothing would move
    return step_ >= c.shortest_step || (factorize() && predict() && correct(this->centring()));
  }
  return step_ >= c.shortest_step || fail("steps became too short");
}

bool HomogeneousInterior::move() {
  x_ += step_ * corrector_.x;
  s_ += step_ * corrector_.s;
  z_ += step_ * corrector_.z;
  tau_ += step_ * corrector_.tau;
  kappa_ += step_ * corrector_.kappa;
  ++steps_;
  return true;
}

bool HomogeneousInterior::run(FunctionRef<bool()> stop) { return start() && follow_path(*this, stop); }

}  // namespace pliant
