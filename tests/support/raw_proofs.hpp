// Proofs of infeasibility and unboundedness recomputed from raw numbers in extended precision, without the library's
// kernels or its verifier. For linear and low-rank quadratic rows under a linear or quadratic objective.
#pragma once

#include "constraints/linear.hpp"
#include "constraints/quadratic.hpp"
#include "objective/linear.hpp"
#include "objective/quadratic.hpp"
#include "pliant/certificate.hpp"
#include "pliant/problem.hpp"

#include <cmath>
#include <stdexcept>

namespace pliant::testing {

using Long = long double;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;

/// value and gradient at x of sum lambda_i a_i.
struct RawCombination {
  Long value = 0.0L;
  LongVector gradient;
  Long size = 0.0L;  ///< sum lambda_i |grad a_i(x)|
};

inline void add_row(RawCombination& out, Long lambda, Long a, const LongVector& g) {
  out.value += lambda * a;
  out.gradient += lambda * g;
  out.size += lambda * g.norm();
}

inline RawCombination raw_combination(const Problem& problem, const Vector& x, const Multipliers& multipliers) {
  const Index n = x.size();
  const LongVector y = x.cast<Long>();
  RawCombination out;
  out.gradient = LongVector::Zero(n);
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    const Vector& lambda = multipliers.lambda.at(b);
    for (Index i = 0; i < batch.size(); ++i) {
      if (!(lambda[i] >= 0.0)) throw std::logic_error("a multiplier is negative or NaN");
      if (const auto* rows = dynamic_cast<const LinearBatch*>(&batch)) {
        const LongVector g = rows->matrix().row(i).cast<Long>();
        add_row(out, lambda[i], g.dot(y) - static_cast<Long>(rows->upper()[i]), g);
      } else {
        const auto& curved = dynamic_cast<const QuadraticLowRankBatch&>(batch);
        LongVector g = Eigen::Map<const Vector>(curved.q().data() + i * n, n).cast<Long>();
        Long a = g.dot(y) + static_cast<Long>(curved.r()[i]);
        for (Index k = 0; k < curved.rank(); ++k) {
          const LongVector f =
              Eigen::Map<const Vector>(curved.factors().data() + (i * curved.rank() + k) * n, n).cast<Long>();
          const Long u = f.dot(y);
          a += 0.5L * u * u;
          g += u * f;
        }
        add_row(out, lambda[i], a, g);
      }
    }
  }
  return out;
}

/// The least of value + gradient'(y - x) over the box of the problem, cut off at |y_j| <= radius.
inline Long raw_minimum(const Problem& problem, const Vector& x, const RawCombination& at, Long radius) {
  const SeparableParameters& psi = *separable_parameters(problem.prox());
  Long sum = at.value;
  for (Index j = 0; j < x.size(); ++j) {
    const Long lo = psi.lo.empty() ? -radius : std::max<Long>(psi.lo[j], -radius);
    const Long hi = psi.hi.empty() ? radius : std::min<Long>(psi.hi[j], radius);
    const Long y = at.gradient[j] > 0 ? lo : hi;
    sum += at.gradient[j] * (y - static_cast<Long>(x[j]));
  }
  return sum;
}

struct RawRay {
  Long slope = 0.0L;      ///< of the objective, |d|_2 = 1
  Long curvature = 0.0L;  ///< |P d|
  Long leaving = 0.0L;    ///< largest g_i'd / |g_i|
  bool in_domain = true;
};

inline RawRay raw_ray(const Problem& problem, const Vector& direction) {
  const LongVector d = direction.cast<Long>() / direction.cast<Long>().norm();
  const Index n = d.size();
  RawRay out;
  const ObjectiveTerm& term = *problem.terms().at(0).term;
  if (const auto* linear_term = dynamic_cast<const LinearTerm*>(&term)) {
    for (Index j = 0; j < n; ++j) out.slope += static_cast<Long>(linear_term->c()[j]) * d[j];
  } else {
    const auto& square = dynamic_cast<const QuadraticTerm&>(term);
    Long squares = 0.0L;
    for (Index j = 0; j < n; ++j) {
      out.slope += static_cast<Long>(square.q()[j]) * d[j];
      const Long entry = square.P().row(j).cast<Long>().dot(d);
      squares += entry * entry;
    }
    out.curvature = std::sqrt(squares);
  }
  out.leaving = -1.0L;
  const auto& rows = dynamic_cast<const LinearBatch&>(*problem.batches().at(0));
  for (Index i = 0; i < rows.size(); ++i) {
    const LongVector g = rows.matrix().row(i).cast<Long>();
    out.leaving = std::max(out.leaving, g.dot(d) / g.norm());
  }
  const SeparableParameters& psi = *separable_parameters(problem.prox());
  for (Index j = 0; j < n && !psi.lo.empty(); ++j) {
    if (d[j] < 0.0L && psi.lo[j] > -kInfinity) out.in_domain = false;
    if (d[j] > 0.0L && psi.hi[j] < kInfinity) out.in_domain = false;
  }
  return out;
}

}  // namespace pliant::testing
