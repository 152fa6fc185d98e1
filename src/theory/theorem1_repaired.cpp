// Theorem 1 repaired: bounds of A x_delta - A x* for linear constraints. docs/theory.md has the proofs.
#include "theory/checks.hpp"

#include <algorithm>
#include <numbers>

namespace pliant::theory {

namespace {

/// Integral of max(1, ln(c/s)) over 0 <= s <= delta: delta (1 + ln(c/delta)) for delta <= c/e, delta + c/e beyond.
double integrated_logarithm(double c, double delta) {
  if (delta == 0.0) return 0.0;
  return delta * std::numbers::e <= c ? delta * (1.0 + std::log(c / delta)) : delta + c / std::numbers::e;
}

void check_linear(const Penalty& penalty, double mu, double A_norm) {
  check(penalty);
  require_positive("mu", mu);
  require_nonnegative("A_norm", A_norm);
}

double root_of(Index m) { return std::sqrt(as_double(m)); }

}  // namespace

double theorem1_repaired(const Penalty& penalty, double mu, double A_norm, double row_norm, double chi) {
  check_linear(penalty, mu, A_norm);
  require_nonnegative("row_norm", row_norm);
  require_bound("chi", chi);
  const double c = root_of(penalty.m) * A_norm * row_norm * penalty.xi / mu;
  if (penalty.delta == 0.0) return 0.0;
  return (1.0 + chi) * root_of(penalty.m) * integrated_logarithm(c, penalty.delta);
}

double theorem1_repaired_sharp(const Penalty& penalty, double mu, double A_norm, double chi) {
  check_linear(penalty, mu, A_norm);
  require_bound("chi", chi);
  if (penalty.delta == 0.0) return 0.0;
  return std::hypot(1.0, chi) * root_of(penalty.m) *
         integrated_logarithm(A_norm * A_norm * penalty.xi / mu, penalty.delta);
}

double theorem1_repaired_infinity(const Penalty& penalty, double mu, double A_norm, double row_norm, double chi_inf) {
  check_linear(penalty, mu, A_norm);
  require_nonnegative("row_norm", row_norm);
  require_bound("chi_inf", chi_inf);
  if (penalty.delta == 0.0) return 0.0;
  const double c = root_of(penalty.m) * A_norm * row_norm * penalty.xi / mu;
  return (1.0 + chi_inf) * integrated_logarithm(c, penalty.delta);
}

double theorem1_repaired_active(const Penalty& penalty, double mu, double L, double A_norm, double row_norm,
                                const ActiveRows& rows) {
  check_linear(penalty, mu, A_norm);
  require_nonnegative("row_norm", row_norm);
  require_count("active", rows.active, 1);
  require_positive("smallest_singular", rows.smallest_singular);
  if (!(std::isfinite(L) && L >= mu)) reject("L", fmt::format("a number >= mu = {}", mu), L);
  if (rows.active > penalty.m) {
    throw InputError(fmt::format("active: expected a count <= m = {}, got {}", penalty.m, rows.active));
  }
  const double delta = penalty.delta;
  if (delta == 0.0) return 0.0;
  const double c = std::sqrt(as_double(penalty.m) / as_double(rows.active)) * A_norm * A_norm * penalty.xi / mu;
  if (!(delta * std::numbers::e <= c)) return kInfinity;
  double curvature = L / mu;  // what the Hessian of the path without the active rows may spread over
  if (rows.active < penalty.m) {
    require_nonnegative("inactive_slack", rows.smallest_slack);
    const double half = 0.5 * rows.smallest_slack;
    const bool settled =
        delta * std::log(c / delta) <= half && change_bound(master_bound(penalty), mu, row_norm) <= half;
    if (!settled) return kInfinity;
    curvature += 1.0;
  }
  const double chi = std::sqrt(curvature) * A_norm / rows.smallest_singular;
  return (1.0 + chi) * root_of(rows.active) * integrated_logarithm(c, delta);
}

}  // namespace pliant::theory
