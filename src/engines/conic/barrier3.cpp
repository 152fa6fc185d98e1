#include "engines/conic/barrier3.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr int kMostNewtonSteps = 100;
// Newton steps below these (relative) are rounding. The second one stands before an exponential of numbers up to 700.
constexpr double kRoundingOfRoot = 1e-16, kRoundingOfLogarithm = 1e-15;
constexpr double kLargestExponent = 700.0;  // exp of more overflows

// The root of t + ln(1 + t) = d for d > 0: concave and increasing, so Newton's method from the left rises to it.
double exponential_root(double d) {
  double t = d > 1.0 ? d - std::log1p(d) : 0.5 * d;
  for (int k = 0; k < kMostNewtonSteps; ++k) {
    const double next = t - (t + std::log1p(t) - d) * (1.0 + t) / (2.0 + t);
    if (std::abs(next - t) <= kRoundingOfRoot * t) return next;
    t = next;
  }
  return t;
}

// With t = phi/psi the equations -grad f*(z) = s read z1 = (2 alpha t + 1 - alpha)/s1, z2 likewise, psi = 4 (t-1)/s3^2,
// and one equation is left for t > 1,
//
//   ln phi(z1(t), z2(t)) = ln(4 t (t-1)) - ln s3^2,
//
// whose left minus right side falls strictly. Its root is sought in y = ln(t - 1), by Newton steps within brackets.
double power_root(double a, const Vector3& s) {
  const double b = 1.0 - a;
  const auto excess = [&](double y, double& slope) {
    const double p = std::exp(y), t = 1.0 + p;
    const double first = 2.0 * a * t + b, second = 2.0 * b * t + a;
    slope = p * (4.0 * a * a / first + 4.0 * b * b / second - 1.0 / t) - 1.0;
    return 2.0 * a * std::log(first / (a * s[0])) + 2.0 * b * std::log(second / (b * s[1])) - std::log(4.0 * t) - y +
           2.0 * std::log(std::abs(s[2]));
  };
  double lo = -kLargestExponent, hi = kLargestExponent, y = 0.0;
  for (int k = 0; k < kMostNewtonSteps; ++k) {
    double slope = 0.0;
    const double value = excess(y, slope);
    (value > 0.0 ? lo : hi) = y;
    double next = y - value / slope;
    if (!(next > lo && next < hi)) next = 0.5 * (lo + hi);
    if (std::abs(next - y) <= kRoundingOfLogarithm * std::max(1.0, std::abs(y))) return std::exp(next);
    y = next;
  }
  return std::exp(y);
}

}  // namespace

std::optional<DualBarrier3> DualBarrier3::at(const Cone& cone, const Vector3& z) {
  DualBarrier3 out;
  out.kind_ = cone.kind;
  out.alpha_ = cone.alpha;
  out.z_ = z;
  out.H_.setZero();
  if (cone.kind == ConeKind::exponential) {
    if (!(z[0] < 0.0 && z[2] > 0.0)) return std::nullopt;
    const double l = std::log(-z[2] / z[0]);
    out.c_ = {1.0, 0.0, 1.0};
    out.psi_ = z[1] - z[0] - z[0] * l;
    out.g_ = {-l, 1.0, -z[0] / z[2]};
    out.H_(0, 0) = 1.0 / z[0];
    out.H_(0, 2) = out.H_(2, 0) = -1.0 / z[2];
    out.H_(2, 2) = z[0] / (z[2] * z[2]);
  } else {
    if (!(z[0] > 0.0 && z[1] > 0.0)) return std::nullopt;
    const double a = 2.0 * cone.alpha, b = 2.0 - a;
    out.phi_ = std::exp(a * std::log(2.0 * z[0] / a) + b * std::log(2.0 * z[1] / b));
    const double root = std::sqrt(out.phi_);
    out.c_ = {1.0 - cone.alpha, cone.alpha, 0.0};
    out.psi_ = (root - std::abs(z[2])) * (root + std::abs(z[2]));
    out.g_ = {a * out.phi_ / z[0], b * out.phi_ / z[1], -2.0 * z[2]};
    out.H_(0, 0) = a * (a - 1.0) * out.phi_ / (z[0] * z[0]);
    out.H_(0, 1) = out.H_(1, 0) = a * b * out.phi_ / (z[0] * z[1]);
    out.H_(1, 1) = b * (b - 1.0) * out.phi_ / (z[1] * z[1]);
    out.H_(2, 2) = -2.0;
  }
  if (!(out.psi_ > 0.0) || !std::isfinite(out.psi_)) return std::nullopt;
  return out;
}

double DualBarrier3::value() const {
  double sum = -std::log(psi_);
  for (int i = 0; i < 3; ++i) {
    if (c_[i] > 0.0) sum -= c_[i] * std::log(std::abs(z_[i]));
  }
  return sum;
}

Vector3 DualBarrier3::gradient() const {
  Vector3 out = -g_ / psi_;
  for (int i = 0; i < 3; ++i) {
    if (c_[i] > 0.0) out[i] -= c_[i] / z_[i];
  }
  return out;
}

Matrix3 DualBarrier3::hessian() const {
  const Vector3 g = g_ / psi_;
  Matrix3 out = g * g.transpose() - H_ / psi_;
  for (int i = 0; i < 3; ++i) {
    if (c_[i] > 0.0) out(i, i) += c_[i] / (z_[i] * z_[i]);
  }
  return out;
}

Vector3 DualBarrier3::psi_third(const Vector3& u, const Vector3& v) const {
  if (kind_ == ConeKind::exponential) {
    const double z3 = z_[2] * z_[2];
    return {-u[0] * v[0] / (z_[0] * z_[0]) + u[2] * v[2] / z3, 0.0,
            (u[0] * v[2] + u[2] * v[0]) / z3 - 2.0 * z_[0] * u[2] * v[2] / (z3 * z_[2])};
  }
  const double a = 2.0 * alpha_, b = 2.0 - a;
  const double u1 = u[0] / z_[0], u2 = u[1] / z_[1], v1 = v[0] / z_[0], v2 = v[1] / z_[1];
  const double mixed = u1 * v2 + u2 * v1;
  return {phi_ * a / z_[0] * ((a - 1.0) * (a - 2.0) * u1 * v1 + (a - 1.0) * b * mixed + b * (b - 1.0) * u2 * v2),
          phi_ * b / z_[1] * (a * (a - 1.0) * u1 * v1 + a * (b - 1.0) * mixed + (b - 1.0) * (b - 2.0) * u2 * v2), 0.0};
}

Vector3 DualBarrier3::third(const Vector3& u, const Vector3& v) const {
  const Vector3 g = g_ / psi_;
  const Vector3 Hu = H_ * u / psi_, Hv = H_ * v / psi_;
  const double gu = g.dot(u), gv = g.dot(v);
  Vector3 out = gu * Hv + gv * Hu + (u.dot(Hv) - 2.0 * gu * gv) * g - psi_third(u, v) / psi_;
  for (int i = 0; i < 3; ++i) {
    if (c_[i] > 0.0) out[i] -= 2.0 * c_[i] * u[i] * v[i] / (z_[i] * z_[i] * z_[i]);
  }
  return out;
}

bool inside3(const Cone& cone, const Vector3& s) {
  if (cone.kind == ConeKind::exponential) {
    if (!(s[1] > 0.0 && s[2] > 0.0)) return false;
    const double slack = std::log(s[2] / s[1]) - s[0] / s[1];
    return slack > 0.0 && std::isfinite(slack);
  }
  return s[0] > 0.0 && s[1] > 0.0 &&
         cone.alpha * std::log(s[0]) + (1.0 - cone.alpha) * std::log(s[1]) > std::log(std::abs(s[2]));
}

std::optional<Vector3> negative_gradient3(const Cone& cone, const Vector3& s) {
  if (!inside3(cone, s)) return std::nullopt;
  if (cone.kind == ConeKind::exponential) {
    const double t = exponential_root(std::log(s[2] / s[1]) - s[0] / s[1]);
    const double z1 = -1.0 / (t * s[1]);
    return Vector3(z1, 1.0 / s[1] + z1 * (1.0 - t - s[0] / s[1]), (1.0 + t) / (t * s[2]));
  }
  const double a = cone.alpha, b = 1.0 - a;
  const double p = s[2] == 0.0 ? 0.0 : power_root(a, s);
  return Vector3((2.0 * a * (1.0 + p) + b) / s[0], (2.0 * b * (1.0 + p) + a) / s[1],
                 s[2] == 0.0 ? 0.0 : -2.0 * p / s[2]);
}

// The exponential cone's centre has no closed form: the root of s = -grad f(s), in all digits.
Vector3 centre3(const Cone& cone) {
  if (cone.kind == ConeKind::exponential) return {-1.051383943750228927, 0.556409618604338437, 1.258967886464460258};
  return {std::sqrt(1.0 + cone.alpha), std::sqrt(2.0 - cone.alpha), 0.0};
}

}  // namespace pliant
