// Random data of the losses that soft rows in shards and on devices have.
#pragma once

#include "pliant/pliant.hpp"
#include "support/random.hpp"

#include <algorithm>

namespace pliant::testing {

/// Data of a loss, and what it costs, row by row.
struct SoftData {
  Matrix G;
  Vector h;
  Vector weights;  // of rows; empty: 1
  SoftInShards soft;
  double curvature = 0.0;  // of the problem beside it
  double box = 0.0;        // 0: none

  SoftData(Random& random, SoftLoss loss, Index n, Index m) : G(random.matrix(m, n)), h(m) {
    const Vector x = random.vector(n);
    for (Index i = 0; i < m; ++i) {
      h[i] = G.row(i).dot(x) + random.uniform(-2.0, 2.0);
      if (loss == SoftLoss::hinge) h[i] = h[i] > 0.0 ? 1.0 : -1.0;
    }
    soft.loss = loss;
    soft.weight = random.uniform(0.5, 2.0);
    if (loss == SoftLoss::quantile) soft.parameter = random.uniform(0.1, 0.9);
    if (loss == SoftLoss::epsilon_insensitive) soft.parameter = random.uniform(0.1, 0.5);
    if (loss == SoftLoss::positive_part) soft.weight /= static_cast<double>(m);
    if (loss == SoftLoss::hinge || loss == SoftLoss::positive_part) curvature = random.uniform(0.01, 0.1);
  }

  Problem beside() const {
    const Index n = G.cols();
    Problem out(n);
    if (curvature > 0.0) {
      out.minimize(quadratic(DataMatrix::from(curvature * Matrix::Identity(n, n)), to_array(Vector::Zero(n))));
    }
    if (box > 0.0) out.regularize(pliant::box(to_array(Vector::Constant(n, -box)), to_array(Vector::Constant(n, box))));
    return out;
  }
  Problem whole() const {
    Problem out = beside();
    out.minimize(rows(), soft.weight);
    return out;
  }
  SoftRows rows() const {
    const DataMatrix A = DataMatrix::from(G);
    const Doubles each = weights.size() > 0 ? to_array(weights) : Doubles();
    switch (soft.loss) {
      case SoftLoss::quantile:
        return quantile(A, to_array(h), soft.parameter, each);
      case SoftLoss::absolute:
        return absolute(A, to_array(h), each);
      case SoftLoss::epsilon_insensitive:
        return epsilon_insensitive(A, to_array(h), soft.parameter, each);
      case SoftLoss::hinge:
        return hinge(A, to_array(h), each);
      default:
        return positive_part(A, to_array(h), each);
    }
  }

  // Prices below and above, the kinks, of row i.
  struct Price {
    double below, above, lower, upper;
  };
  Price price(Index i) const {
    const double own = weights.size() > 0 ? weights[i] : 1.0;
    const double w = own * soft.weight / static_cast<double>(h.size()), t = soft.parameter;
    switch (soft.loss) {
      case SoftLoss::quantile:
        return {w * t, w * (1.0 - t), h[i], h[i]};
      case SoftLoss::absolute:
        return {w, w, h[i], h[i]};
      case SoftLoss::epsilon_insensitive:
        return {w, w, h[i] - t, h[i] + t};
      case SoftLoss::hinge:
        return h[i] > 0.0 ? Price{w, 0.0, 1.0, 0.0} : Price{0.0, w, 0.0, -1.0};
      default:
        return {0.0, own * soft.weight, 0.0, h[i]};
    }
  }
  double objective(const Vector& x) const {
    double sum = 0.5 * curvature * x.squaredNorm();
    for (Index i = 0; i < h.size(); ++i) {
      const Price p = price(i);
      const double z = G.row(i).dot(x);
      sum += p.below * std::max(0.0, p.lower - z) + p.above * std::max(0.0, z - p.upper);
    }
    return sum;
  }
};

}  // namespace pliant::testing
