// Smoothed largest eigenvalues of cones with random data, for the conformance suite.
#pragma once

#include "cones/smoothed_cone.hpp"
#include "conformance/families.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace pliant::testing {

/// Eigenvalues of a symmetric matrix by Jacobi rotations.
inline std::vector<long double> jacobi_eigenvalues(std::vector<long double> M, Index k) {
  const auto entry = [&](Index i, Index j) -> long double& { return M[static_cast<std::size_t>(i * k + j)]; };
  for (int sweep = 0; sweep < 60; ++sweep) {
    for (Index p = 0; p < k; ++p) {
      for (Index q = p + 1; q < k; ++q) {
        if (entry(p, q) == 0.0L) continue;
        const long double theta = (entry(q, q) - entry(p, p)) / (2.0L * entry(p, q));
        const long double t = (theta >= 0.0L ? 1.0L : -1.0L) / (std::abs(theta) + std::sqrt(theta * theta + 1.0L));
        const long double c = 1.0L / std::sqrt(t * t + 1.0L), s = t * c;
        for (Index i = 0; i < k; ++i) {
          const long double u = entry(i, p), v = entry(i, q);
          entry(i, p) = c * u - s * v;
          entry(i, q) = s * u + c * v;
        }
        for (Index i = 0; i < k; ++i) {
          const long double u = entry(p, i), v = entry(q, i);
          entry(p, i) = c * u - s * v;
          entry(q, i) = s * u + c * v;
        }
      }
    }
  }
  std::vector<long double> values;
  for (Index i = 0; i < k; ++i) values.push_back(entry(i, i));
  return values;
}

/// `order` 0: second-order cones of four rows.
inline Instance make_smoothed_cones(Random& random, Index m, Index n, Index order, double nu, bool broken) {
  const Index rows = order == 0 ? 4 : order * (order + 1) / 2;
  std::vector<double> G = random.numbers(m * rows * n);
  const std::vector<double> h = random.numbers(m * rows);
  if (broken) G.back() = std::numeric_limits<double>::quiet_NaN();
  const Cone cone{order == 0 ? ConeKind::second_order : ConeKind::semidefinite, rows, 0.5};
  Instance instance;
  instance.batch =
      std::make_shared<SmoothedConeBatch>(ConeBlock(DataMatrix::dense(m * rows, n, G), h, 0, m, shape_of(cone)), nu);
  instance.value = [G, h, n, rows, order, nu](Index i, const LongVector& x) {
    const auto at = [](Index k) { return static_cast<std::size_t>(k); };
    std::vector<long double> s;
    for (Index k = i * rows; k < (i + 1) * rows; ++k) {
      s.push_back(h[at(k)]);
      for (Index j = 0; j < n; ++j) s.back() -= static_cast<long double>(G[at(k * n + j)]) * x[j];
    }
    std::vector<long double> a;
    if (order == 0) {
      const long double norm = std::sqrt(s[1] * s[1] + s[2] * s[2] + s[3] * s[3]);
      a = {norm - s[0], -norm - s[0]};
    } else {
      std::vector<long double> M(at(order * order));
      Index e = 0;
      for (Index c = 0; c < order; ++c) {
        for (Index r = c; r < order; ++r, ++e) {
          M[at(r * order + c)] = M[at(c * order + r)] = -s[at(e)] / (r == c ? 1.0L : std::sqrt(2.0L));
        }
      }
      a = jacobi_eigenvalues(M, order);
    }
    const long double top = *std::max_element(a.begin(), a.end());
    long double sum = 0.0L;
    for (const long double v : a) sum += std::exp((v - top) / static_cast<long double>(nu));
    return top + static_cast<long double>(nu) * std::log(sum);
  };
  return instance;
}

inline Family smoothed_family(std::string name, Index order, double nu) {
  return {std::move(name), [=](Random& r, Index m, Index n) { return make_smoothed_cones(r, m, n, order, nu, false); },
          [=](Random& r, Index m, Index n) { return make_smoothed_cones(r, m, n, order, nu, true).batch; }, true};
}

}  // namespace pliant::testing
