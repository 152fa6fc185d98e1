#include "engines/conic/second_order.hpp"

#include "linalg/safe_norm.hpp"

#include <cmath>

namespace pliant::second_order {
namespace {

auto tail(const auto& u) { return u.tail(u.size() - 1); }

}  // namespace

double smallest_eigenvalue(const Part& u) { return u[0] - safe_norm(tail(u)); }

double root_det(const Part& u) {
  const double norm = safe_norm(tail(u));
  return u[0] > norm ? std::sqrt(u[0] - norm) * std::sqrt(u[0] + norm) : 0.0;
}

// w = (s/|s| + J z/|z|) / (2 gamma), gamma^2 = (1 + s'z/(|s||z|))/2, |u| = sqrt(det u); eta^2 = |s|/|z|.
double scaling(const Part& s, const Part& z, Eigen::Map<Vector> w) {
  const double s_det = root_det(s), z_det = root_det(z);
  if (!(s_det > 0.0 && z_det > 0.0)) return 0.0;
  const double gamma = std::sqrt(0.5 * (1.0 + (s / s_det).dot(z / z_det)));
  w = (s / s_det - z / z_det) / (2.0 * gamma);
  w[0] = std::sqrt(1.0 + tail(w).squaredNorm());  // det w = 1, whatever the rounding
  return std::sqrt(s_det / z_det);
}

Vector apply(const Part& w, const Eigen::Ref<const Vector>& v, bool inverse) {
  const double sign = inverse ? -1.0 : 1.0;
  const double t = tail(w).dot(tail(v));
  Vector out(v.size());
  out[0] = w[0] * v[0] + sign * t;
  out.tail(v.size() - 1) = tail(v) + (sign * v[0] + t / (1.0 + w[0])) * tail(w);
  return out;
}

Vector product(const Vector& u, const Vector& v) {
  Vector out(u.size());
  out[0] = u.dot(v);
  out.tail(u.size() - 1) = u[0] * tail(v) + v[0] * tail(u);
  return out;
}

Vector divide(const Vector& lambda, const Vector& r) {
  const double norm = safe_norm(tail(lambda));
  const double det = (lambda[0] - norm) * (lambda[0] + norm);
  Vector out(r.size());
  out[0] = (lambda[0] * r[0] - tail(lambda).dot(tail(r))) / det;
  out.tail(r.size() - 1) = (tail(r) - out[0] * tail(lambda)) / lambda[0];
  return out;
}

// In the coordinates that take u to |u| (1, 0), du becomes |u| rho, and the step ends at 1/(|rho_1| - rho_0).
double longest_step(const Part& u, const Part& du) {
  const double det = root_det(u);
  if (!(det > 0.0)) return 0.0;
  const double u0 = u[0] / det;
  const double along = u0 * du[0] - tail(u).dot(tail(du)) / det;
  const double factor = (along + du[0]) / (u0 + 1.0);
  const double outward = safe_norm(tail(du) - (factor / det) * tail(u)) - along;
  return outward > 0.0 ? det / outward : kInfinity;
}

}  // namespace pliant::second_order
