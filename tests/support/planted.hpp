// Random problems whose solution x*, multipliers lambda* and threshold xi_bar are known exactly.
//
// x*, the active gradients (linearly independent, so lambda* is unique and xi_bar = |lambda*|_inf) and lambda* are
// drawn first; the objective's linear part then makes the KKT conditions hold. Everything is computed here from raw
// data, not through the library.
#pragma once

#include "pliant/problem.hpp"
#include "support/random.hpp"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <vector>

namespace pliant::testing {

enum class PlantedFamily { linear, quadratic, log_sum_exp, mixed };

struct PlantedOptions {
  PlantedFamily family = PlantedFamily::linear;
  Index n = 4;
  Index active = 2;          ///< constraints with a_i(x*) = 0, at most n
  Index inactive = 3;        ///< constraints with a_i(x*) < 0, slacks over several decades
  double mu = 1.0;           ///< strong convexity; 0: the Hessian of F is singular, x* still unique
  double norm_spread = 1.0;  ///< ratio of the largest to the smallest scale of the constraints
  bool equal_multipliers = false;
  bool weakly_active = false;  ///< the last active constraint has multiplier 0 (mu > 0 only)
};

struct Planted {
  Problem problem;
  Vector x_star;
  Vector lambda;   ///< in the order of the problem's constraints
  Vector optimal;  ///< a_i(x*) as planted: 0 or minus the slack
  Index active = 0;
  double mu = 0.0;
  double xi_bar = 0.0;
  double objective = 0.0;  ///< F(x*)
  Vector slater_point;
  double slater_slack = 0.0;

  std::vector<double> inactive_slacks() const {
    std::vector<double> slacks;
    for (const double a : optimal) {
      if (a < 0.0) slacks.push_back(-a);
    }
    return slacks;
  }
};

namespace planted_detail {

/// One constraint's data, planted so that a(x*) = -slack; `gradient` is grad a(x*).
struct Constraint {
  PlantedFamily family;
  double slack = 0.0;
  double lambda = 0.0;
  Vector gradient;
  Matrix P;        // quadratic
  Vector q;        // linear (row) and quadratic
  double r = 0.0;  // linear (right-hand side) and quadratic
  Matrix A;        // log-sum-exp: terms x n
  Vector b;

  double value(const Vector& x) const {
    if (family == PlantedFamily::linear) return q.dot(x) - r;
    if (family == PlantedFamily::quadratic) return 0.5 * x.dot(P * x) + q.dot(x) + r;
    const Vector z = A * x + b;
    return z.maxCoeff() + std::log((z.array() - z.maxCoeff()).exp().sum());
  }
};

inline constexpr Index kTerms = 3;  // terms of a log-sum-exp

inline Constraint draw(Random& random, PlantedFamily family, const Vector& x_star, double scale, double slack) {
  const Index n = x_star.size();
  Constraint c;
  c.family = family;
  c.slack = slack;
  if (family == PlantedFamily::linear) {
    c.gradient = scale * random.vector(n);
    c.q = c.gradient;
    c.r = c.q.dot(x_star) + slack;
  } else if (family == PlantedFamily::quadratic) {
    const Matrix B = random.matrix(n, n);
    c.P = scale * random.log_uniform(0.03, 1.0) *
          (B.transpose() * B / static_cast<double>(n) + 0.1 * Matrix::Identity(n, n));
    c.P = (0.5 * (c.P + c.P.transpose())).eval();
    c.gradient = scale * random.vector(n);
    c.q = c.gradient - c.P * x_star;
    c.r = -slack - (0.5 * x_star.dot(c.P * x_star) + c.q.dot(x_star));
  } else {
    c.A = scale * random.matrix(kTerms, n);
    c.b = random.vector(kTerms);
    const Vector z = c.A * x_star + c.b;
    const Vector e = (z.array() - z.maxCoeff()).exp();
    c.b.array() -= z.maxCoeff() + std::log(e.sum()) + slack;
    c.gradient = c.A.transpose() * e / e.sum();
  }
  return c;
}

/// Smallest singular value of the active gradients, each scaled to length 1.
inline double independence(const std::vector<Constraint>& active, Index n) {
  Matrix G(n, static_cast<Index>(active.size()));
  for (Index k = 0; k < G.cols(); ++k) G.col(k) = active[static_cast<std::size_t>(k)].gradient.normalized();
  return G.jacobiSvd().singularValues().minCoeff();
}

inline PlantedFamily pick(Random& random, PlantedFamily family) {
  if (family != PlantedFamily::mixed) return family;
  constexpr PlantedFamily kAll[] = {PlantedFamily::linear, PlantedFamily::quadratic, PlantedFamily::log_sum_exp};
  return kAll[random.integer(0, 2)];
}

/// One batch per family present, in the order the constraints are sorted in.
inline void add_batches(Problem& problem, const std::vector<Constraint>& constraints) {
  const Index n = problem.dimension();
  for (const PlantedFamily family : {PlantedFamily::linear, PlantedFamily::quadratic, PlantedFamily::log_sum_exp}) {
    std::vector<double> A, P, q, r;
    Index m = 0;
    for (const Constraint& c : constraints) {
      if (c.family != family) continue;
      ++m;
      if (family == PlantedFamily::log_sum_exp) {
        for (Index k = 0; k < kTerms; ++k) A.insert(A.end(), c.A.row(k).begin(), c.A.row(k).end());
        r.insert(r.end(), c.b.begin(), c.b.end());
      } else {
        if (family == PlantedFamily::quadratic) P.insert(P.end(), c.P.reshaped().begin(), c.P.reshaped().end());
        q.insert(q.end(), c.q.begin(), c.q.end());
        r.push_back(c.r);
      }
    }
    if (m == 0) continue;
    if (family == PlantedFamily::linear) problem.subject_to(linear_le(DataMatrix::dense(m, n, q), r));
    if (family == PlantedFamily::quadratic)
      problem.subject_to(quadratic_le(Tensor({m, n, n}, P), Tensor({m, n}, q), r));
    if (family == PlantedFamily::log_sum_exp)
      problem.subject_to(log_sum_exp_le(Tensor({m, kTerms, n}, A), Tensor({m, kTerms}, r)));
  }
}

/// Hessian of F: smallest eigenvalue mu, or of rank at least n - active if mu = 0.
inline Matrix draw_hessian(Random& random, const PlantedOptions& options) {
  const Index n = options.n;
  Vector eigenvalues(n);
  const Index rank = options.mu > 0.0 ? n : std::min(n - 1, n - options.active + random.integer(0, 1));
  for (Index j = 0; j < n; ++j)
    eigenvalues[j] = j < rank ? std::max(options.mu, 0.1) * random.log_uniform(1.0, 30.0) : 0.0;
  if (options.mu > 0.0) eigenvalues[0] = options.mu;
  const Matrix Q = Eigen::HouseholderQR<Matrix>(random.matrix(n, n)).householderQ();
  const Matrix H = Q * eigenvalues.asDiagonal() * Q.transpose();
  return 0.5 * (H + H.transpose());
}

/// Moves from x* against all active gradients until every constraint holds strictly.
inline void find_slater_point(Planted& planted, const std::vector<Constraint>& constraints) {
  Matrix G(planted.active, planted.x_star.size());
  Index row = 0;
  for (const Constraint& c : constraints) {
    if (c.slack == 0.0) G.row(row++) = c.gradient.normalized();
  }
  const Vector d = G.completeOrthogonalDecomposition().solve(-Vector::Ones(planted.active));
  for (double t = 1.0; t > 1e-12; t *= 0.5) {
    const Vector x = planted.x_star + t * d;
    double slack = kInfinity;
    for (const Constraint& c : constraints) slack = std::min(slack, -c.value(x));
    if (slack > planted.slater_slack) {
      planted.slater_slack = slack;
      planted.slater_point = x;
    }
  }
}

}  // namespace planted_detail

inline Planted plant(const PlantedOptions& options, std::uint64_t seed) {
  using namespace planted_detail;
  Random random(seed);
  const Index n = options.n;
  const Vector x_star = random.vector(n);
  const double half_spread = std::sqrt(options.norm_spread);
  const auto scale = [&] { return random.log_uniform(1.0 / half_spread, half_spread); };

  std::vector<Constraint> constraints;
  do {
    constraints.clear();
    for (Index k = 0; k < options.active; ++k) {
      constraints.push_back(draw(random, pick(random, options.family), x_star, scale(), 0.0));
    }
  } while (independence(constraints, n) < 0.1);
  for (Index k = 0; k < options.active; ++k) {
    const bool weak = options.weakly_active && options.mu > 0.0 && k + 1 == options.active && k > 0;
    constraints[static_cast<std::size_t>(k)].lambda = weak                        ? 0.0
                                                      : options.equal_multipliers ? 1.0
                                                                                  : random.log_uniform(0.1, 3.0);
  }
  for (Index k = 0; k < options.inactive; ++k) {
    const double s = scale();
    constraints.push_back(draw(random, pick(random, options.family), x_star, s, s * random.log_uniform(1e-4, 3.0)));
  }
  std::stable_sort(constraints.begin(), constraints.end(),
                   [](const Constraint& a, const Constraint& b) { return a.family < b.family; });

  // grad F(x*) = H x* + q = -sum lambda_i grad a_i(x*); part of the curvature may live in the prox term.
  const Matrix H = draw_hessian(random, options);
  const double ridge = options.mu > 0.0 && random.uniform() < 0.5 ? 0.5 * options.mu : 0.0;
  Vector q = -(H * x_star);
  for (const Constraint& c : constraints) q -= c.lambda * c.gradient;

  Planted planted{.problem = Problem(n), .x_star = x_star, .lambda = {}, .optimal = {}, .slater_point = {}};
  const Matrix smooth = H - ridge * Matrix::Identity(n, n);
  if (smooth.cwiseAbs().maxCoeff() > 0.0) {
    planted.problem.minimize(quadratic(DataMatrix::from(smooth), to_array(q)));
  } else {
    planted.problem.minimize(linear(to_array(q)));
  }
  if (ridge > 0.0) planted.problem.regularize(l2_squared(n, ridge));
  add_batches(planted.problem, constraints);

  const Index m = static_cast<Index>(constraints.size());
  planted.lambda.resize(m);
  planted.optimal.resize(m);
  for (Index i = 0; i < m; ++i) {
    planted.lambda[i] = constraints[static_cast<std::size_t>(i)].lambda;
    planted.optimal[i] = -constraints[static_cast<std::size_t>(i)].slack;
  }
  planted.active = options.active;
  planted.mu = options.mu;
  planted.xi_bar = planted.lambda.maxCoeff();
  planted.objective = 0.5 * x_star.dot(H * x_star) + q.dot(x_star);
  find_slater_point(planted, constraints);
  return planted;
}

}  // namespace pliant::testing
