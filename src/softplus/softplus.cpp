#include "softplus/softplus.hpp"

#include <Eigen/Core>

#include <algorithm>
#include <cmath>

namespace pliant::penalty {
namespace {

constexpr Index kLanes = 64;
using Packet = Eigen::Array<double, kLanes, 1>;

// Below this argument e^x is subnormal or 0; the packet exponential saturates there, so it is cut.
constexpr double kLowestExponent = -708.0;

struct Loaded {
  Packet t;  // t + u
  Packet e;  // e^{-|t|/delta}
};

// Reads up to kLanes numbers, padding with zeros.
void load(Index count, const double* t, const double* u, double delta, Loaded& out) {
  if (count < kLanes) out.t.setZero();
  for (Index k = 0; k < count; ++k) out.t[k] = u != nullptr ? t[k] + u[k] : t[k];
  const Packet exponent = -out.t.abs() / delta;
  out.e = (exponent < kLowestExponent).select(Packet::Zero(), exponent.max(kLowestExponent).exp());
}

// log1p(e) = log(1+e) e / ((1+e) - 1): the rounding error of 1+e cancels. Exact for 1+e = 1.
Packet log1p(const Packet& e) {
  const Packet one_plus = 1.0 + e;
  const Packet rounded = one_plus - 1.0;
  return (rounded == 0.0).select(e, one_plus.log() * (e / rounded));
}

Packet sigma(const Loaded& in) {
  const Packet inverse = 1.0 / (1.0 + in.e);
  return (in.t >= 0.0).select(inverse, in.e * inverse);
}

void store(Index count, const Packet& from, double* to) { std::copy_n(from.data(), count, to); }

// delta = 0: p = max(t, 0), sigma the Heaviside step.
void hinge(Index count, const double* t, const double* u, double* p, double* s) {
  for (Index k = 0; k < count; ++k) {
    const double v = u != nullptr ? t[k] + u[k] : t[k];
    if (p != nullptr) p[k] = std::max(v, 0.0);
    s[k] = v > 0.0 ? 1.0 : (v < 0.0 ? 0.0 : 0.5);
  }
}

}  // namespace

double softplus(double t, double delta) {
  if (delta == 0.0) return std::max(t, 0.0);
  return std::max(t, 0.0) + delta * std::log1p(std::exp(-std::abs(t) / delta));
}

double sigmoid(double t) {
  const double e = std::exp(-std::abs(t));
  return t >= 0.0 ? 1.0 / (1.0 + e) : e / (1.0 + e);
}

double entropy(double s) {
  if (s <= 0.0 || s >= 1.0) return 0.0;
  return -s * std::log(s) - (1.0 - s) * std::log1p(-s);
}

void softplus_sigmoid(Index count, const double* t, const double* u, double delta, double* p, double* s) {
  if (delta == 0.0) {
    hinge(count, t, u, p, s);
    return;
  }
  Loaded in;
  for (Index k = 0; k < count; k += kLanes) {
    const Index part = std::min(kLanes, count - k);
    load(part, t + k, u != nullptr ? u + k : nullptr, delta, in);
    if (p != nullptr) store(part, in.t.max(0.0) + delta * log1p(in.e), p + k);
    store(part, sigma(in), s + k);
  }
}

void sigmoid_curvature(Index count, const double* t, const double* u, double delta, double* s, double* c) {
  Loaded in;
  for (Index k = 0; k < count; k += kLanes) {
    const Index part = std::min(kLanes, count - k);
    load(part, t + k, u != nullptr ? u + k : nullptr, delta, in);
    store(part, sigma(in), s + k);
    store(part, in.e / ((1.0 + in.e).square() * delta), c + k);
  }
}

}  // namespace pliant::penalty
