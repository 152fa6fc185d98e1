#include "baselines.hpp"

#include "engines/stochastic/alias_table.hpp"
#include "objective/generalized_linear.hpp"
#include "pliant/regularizers.hpp"
#include "random/random.hpp"
#include "softplus/softplus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::bench {
namespace {

// Full gradients are counted and points watched once per so many components.
constexpr Index kStepsPerComponent = 2;

}  // namespace

ConstrainedSum::ConstrainedSum(const Problem& problem) : problem_(problem), sets_(problem) {
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi == nullptr || psi->l1 != 0.0 || !psi->lo.empty() || !(psi->l2 > 0.0)) {
    throw InputError("baselines: need a squared norm as the only simple term");
  }
  mu_ = psi->l2;
  for (const Problem::WeightedTerm& t : problem.terms()) {
    for (Index i = 0; i < t.term->components(); ++i) {
      Component c{t.term.get(), t.weight, i, {}};
      const auto adopt = [&](const auto* term) {
        if (term == nullptr) return;
        c.row = term->A().row(i);
        c.target = term->targets()[i];
      };
      adopt(dynamic_cast<const LeastSquaresTerm*>(t.term.get()));
      adopt(dynamic_cast<const LogisticTerm*>(t.term.get()));
      objective_.push_back(std::move(c));
    }
  }
}

double ConstrainedSum::smoothness(Index i) const {
  const Component& c = objective_[static_cast<std::size_t>(i)];
  return c.weight * c.term->component_smoothness(c.index);
}

void ConstrainedSum::add_gradient(Index i, const Vector& x, double weight, Vector& out) const {
  const Component& c = objective_[static_cast<std::size_t>(i)];
  c.term->add_component_gradient(c.index, x, weight * c.weight, out);
}

// Newton on z - v + t phi'(z) = 0; phi'' <= s, so that steps are safe once they are damped for the logistic loss.
double ConstrainedSum::prox(Index i, double v, double t) const {
  const Component& c = objective_[static_cast<std::size_t>(i)];
  const double s = c.weight / static_cast<double>(c.term->components());
  if (dynamic_cast<const LeastSquaresTerm*>(c.term) != nullptr) return (v + t * s * c.target) / (1.0 + t * s);
  double z = v;
  for (int k = 0; k < 60; ++k) {
    const double sigma = penalty::sigmoid(-c.target * z);
    const double step = (z - v - t * s * c.target * sigma) / (1.0 + t * s * sigma * (1.0 - sigma));
    z -= std::clamp(step, -2.0, 2.0);
    if (std::abs(step) <= 1e-15 * (1.0 + std::abs(z))) break;
  }
  return z;
}

// h_i = f_i, and h_{l+j} = (w/2) dist(x, C_j)^2 with gradient w (x - nearest point), sampled with p_i proportional to their
// smoothness constants; steps 1/(3L), a snapshot every 2k steps.
void quadratic_distance(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch) {
  const Index l = problem.components(), m = problem.sets(), k = l + m;
  const double weight = options.parameter;
  Vector L(k);
  for (Index i = 0; i < l; ++i) L[i] = problem.smoothness(i);
  L.tail(m).setConstant(weight);
  const AliasTable table(L);
  const double step = 1.0 / (3.0 * L.sum()), shrink = 1.0 / (1.0 + step * problem.mu());
  const random::Stream random(static_cast<std::uint64_t>(options.seed), 1);
  Vector x = Vector::Zero(problem.dimension()), snapshot, full, away, correction(x.size());
  Matrix before(x.size(), m);  // displacements at the snapshot
  Index drawn = 0;
  for (Index evaluations = 0;;) {
    snapshot = x;
    full.setZero(x.size());
    for (Index i = 0; i < l; ++i) problem.add_gradient(i, x, 1.0, full);
    for (Index j = 0; j < m; ++j) {
      problem.displacement(j, x, away);
      before.col(j) = away;
      full += weight * away;
    }
    evaluations += k;
    if (watch(evaluations, x)) return;
    for (Index s = 0; s < kStepsPerComponent * k; ++s) {
      const Index i = table.draw(random.uniform(drawn++));
      const double inverse = 1.0 / table.probability(i);
      if (i < l) {
        correction.setZero();
        problem.add_gradient(i, x, inverse, correction);
        problem.add_gradient(i, snapshot, -inverse, correction);
        evaluations += problem.cost(i);
      } else {
        problem.displacement(i - l, x, away);
        correction = inverse * weight * (away - before.col(i - l));
        ++evaluations;
      }
      x = shrink * (x - step * (full + correction));
    }
  }
}

// Stage s: m_s = m_0 2^s steps of size a_s = a_0 2^-s on f + dist^2/(2 b_s) with b_s = 4 a_s, one
// component of each kind per step; every stage starts at the mean of the last one. a_0 = parameter 3/(4L), L of l f_i.
void sasc_sgd(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch) {
  const Index l = problem.components(), m = problem.sets();
  double L = problem.mu();
  for (Index i = 0; i < l; ++i) L = std::max(L, static_cast<double>(l) * problem.smoothness(i));
  double step = options.parameter * 0.75 / L;
  const random::Stream random(static_cast<std::uint64_t>(options.seed), 2);
  Vector x = Vector::Zero(problem.dimension()), mean = x, gradient(x.size()), away;
  Index drawn = 0, evaluations = 0;
  for (Index steps = kStepsPerComponent * (l + m);; steps *= 2, step *= 0.5) {
    x = mean;
    mean.setZero();
    const double b = 4.0 * step, shrink = 1.0 / (1.0 + step * problem.mu());
    for (Index s = 0; s < steps; ++s) {
      gradient.setZero();
      if (l > 0) {
        problem.add_gradient(random.below(drawn++, l), x, static_cast<double>(l), gradient);
        ++evaluations;
      }
      problem.displacement(random.below(drawn++, m), x, away);
      ++evaluations;
      gradient += away / b;
      x = shrink * (x - step * gradient);
      mean += (x - mean) / static_cast<double>(s + 1);
      if (s % (l + m) == l + m - 1 && watch(evaluations, mean)) return;
    }
  }
}

// min sum_i phi_i(a_i'x) + sum_j [x in C_j] + mu/2 |x|^2, one dual variable y per row of norm r, one dual vector per set:
//   x = (x - tau z_)/(1 + tau mu);  y_i+ = prox of sigma_i phi_i* at y_i + sigma_i a_i'x;  z += a_i (y_i+ - y_i);
//   z_ = z + theta k a_i (y_i+ - y_i)
// with uniform sampling of k rows and sets, tau sigma_i r_i^2 = 0.99/k, theta = 1/sqrt(1 + 2 mu tau), tau *= theta,
// sigma /= theta. The prox of sets is v - sigma * nearest point to v/sigma = sigma * displacement of v/sigma.
void spdhg(const ConstrainedSum& problem, const BaselineOptions& options, const Watch& watch) {
  const Index l = problem.components(), m = problem.sets(), k = l + m;
  Vector norms = Vector::Ones(k);
  for (Index i = 0; i < l; ++i) {
    if (!problem.scalar(i)) throw InputError("spdhg: needs components that are functions of one inner product");
    norms[i] = problem.row(i).norm();
  }
  const double n = static_cast<double>(k);
  double tau = 0.99 * options.parameter / (std::sqrt(n) * norms.maxCoeff());
  double sigma = 1.0 / (options.parameter * std::sqrt(n));  // sigma_i = sigma/r_i
  const random::Stream random(static_cast<std::uint64_t>(options.seed), 3);
  Vector x = Vector::Zero(problem.dimension()), y = Vector::Zero(l), z = x, extrapolated = x, change(x.size());
  Matrix of_sets = Matrix::Zero(x.size(), m);
  Index evaluations = 0;
  for (Index drawn = 0;; ++drawn) {
    if (drawn > 0 && drawn % k == 0 && watch(evaluations, x)) return;
    x = (x - tau * extrapolated) / (1.0 + tau * problem.mu());
    const Index i = random.below(drawn, k);
    ++evaluations;
    const double s = sigma / norms[i];
    if (i < l) {
      // Moreau: prox of s phi* at v is v - s prox of phi/s at v/s.
      const double v = y[i] + s * problem.row(i).dot(x);
      const double next = v - s * problem.prox(i, v / s, 1.0 / s);
      change = (next - y[i]) * problem.row(i);
      y[i] = next;
    } else {
      problem.displacement(i - l, of_sets.col(i - l) / s + x, change);
      change = s * change - of_sets.col(i - l);
      of_sets.col(i - l) += change;
    }
    const double theta = 1.0 / std::sqrt(1.0 + 2.0 * problem.mu() * tau);
    z += change;
    extrapolated = z + theta * n * change;
    tau *= theta;
    sigma /= theta;
  }
}

Baseline find_baseline(const std::string& name) {
  if (name == "quadratic-distance") return quadratic_distance;
  if (name == "sasc-sgd") return sasc_sgd;
  if (name == "spdhg") return spdhg;
  if (name == "quadratic-penalty") return quadratic_penalty;
  if (name == "huber-penalty") return huber_penalty;
  throw InputError(fmt::format(
      "--baseline: expected quadratic-distance, sasc-sgd, spdhg, quadratic-penalty or huber-penalty, got '{}'", name));
}

}  // namespace pliant::bench
