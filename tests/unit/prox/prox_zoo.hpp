// Random instances of every prox term, and the plain definition of each psi.
#pragma once

#include "pliant/regularizers.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

namespace pliant::testing {

struct ProxSpecimen {
  std::string name;
  ProxPtr term;
  std::function<double(const Vector&)> psi;        ///< finite part, from raw data
  std::function<double(const Vector&)> violation;  ///< of the domain, from raw data
};

inline double no_violation(const Vector&) { return 0.0; }

/// Bounds of every sort: finite, one-sided, free, fixed, with 0 inside, outside and on the border.
inline std::pair<Vector, Vector> mixed_bounds(Random& random, Index n) {
  Vector lo(n), hi(n);
  for (Index j = 0; j < n; ++j) {
    const double a = random.normal(), b = random.normal();
    lo[j] = std::min(a, b);
    hi[j] = std::max(a, b);
    switch (j % 6) {
      case 1:
        lo[j] = -kInfinity;
        break;
      case 2:
        hi[j] = kInfinity;
        break;
      case 3:
        lo[j] = -kInfinity, hi[j] = kInfinity;
        break;
      case 4:
        hi[j] = lo[j];
        break;
      case 5:
        lo[j] = 0.0, hi[j] = std::abs(b);
        break;
      default:
        break;
    }
  }
  return {lo, hi};
}

inline std::function<double(const Vector&)> box_violation(Vector lo, Vector hi) {
  return [lo, hi](const Vector& x) { return std::max({0.0, (lo - x).maxCoeff(), (x - hi).maxCoeff()}); };
}

inline std::vector<ProxSpecimen> prox_zoo(std::uint64_t seed, Index n) {
  Random random(seed);
  const double w1 = random.log_uniform(0.05, 2.0);
  const double w2 = random.log_uniform(0.05, 2.0);
  const double radius = random.log_uniform(0.1, 5.0);
  const auto [lo, hi] = mixed_bounds(random, n);
  const Vector finite_lo = Vector::Constant(n, -0.7), finite_hi = Vector::Constant(n, 1.3);
  std::vector<Index> groups;
  const Index count = (n + 1) / 2;
  for (Index j = 0; j < n; ++j) groups.push_back(j % count);
  std::vector<double> weights;
  for (Index k = 0; k < count; ++k) weights.push_back(k == 1 ? 0.0 : random.log_uniform(0.1, 2.0));

  const auto elastic = [](double a, double b) {
    return [a, b](const Vector& x) { return a * x.lpNorm<1>() + 0.5 * b * x.squaredNorm(); };
  };
  const ProxPtr general = combine(elastic_net(n, w1, w2), box(to_array(lo), to_array(hi)));
  const ProxPtr l1_box = combine(box(to_array(lo), to_array(hi)), l1(n, w1));
  const Vector zero = Vector::Zero(n), infinite = Vector::Constant(n, kInfinity);
  return {
      {"none", no_regularizer(n), elastic(0, 0), no_violation},
      {"l1", l1(n, w1), elastic(w1, 0), no_violation},
      {"l2_squared", l2_squared(n, w2), elastic(0, w2), no_violation},
      {"elastic_net", elastic_net(n, w1, w2), elastic(w1, w2), no_violation},
      {"box", box(to_array(lo), to_array(hi)), elastic(0, 0), box_violation(lo, hi)},
      {"box", box(to_array(finite_lo), to_array(finite_hi)), elastic(0, 0), box_violation(finite_lo, finite_hi)},
      {"nonnegative", nonnegative(n), elastic(0, 0), box_violation(zero, infinite)},
      {"separable", general, elastic(w1, w2), box_violation(lo, hi)},
      {"separable", l1_box, elastic(w1, 0), box_violation(lo, hi)},
      {"simplex", simplex(n, radius), elastic(0, 0),
       [radius](const Vector& x) {
         return std::max({0.0, -x.minCoeff(), std::abs(x.sum() - radius)});
       }},
      {"ball", ball(n, radius), elastic(0, 0), [radius](const Vector& x) { return std::max(0.0, x.norm() - radius); }},
      {"group_l2", group_l2(groups, weights),
       [groups, weights](const Vector& x) {
         double sum = 0.0;
         for (std::size_t k = 0; k < weights.size(); ++k) {
           double squares = 0.0;
           for (std::size_t j = 0; j < groups.size(); ++j) {
             if (groups[j] == static_cast<Index>(k)) squares += x[static_cast<Index>(j)] * x[static_cast<Index>(j)];
           }
           sum += weights[k] * std::sqrt(squares);
         }
         return sum;
       },
       no_violation},
  };
}

/// A point of dom psi, often on its border or at a kink of psi.
inline Vector domain_point(Random& random, const ProxTerm& term) {
  Vector x = random.vector(term.dimension()) * random.log_uniform(0.1, 10.0);
  if (random.uniform() < 0.5) term.prox(x, random.log_uniform(0.1, 3.0), x);
  term.project(x);
  return x;
}

}  // namespace pliant::testing
