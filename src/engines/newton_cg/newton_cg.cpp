#include "engines/newton_cg/newton_cg.hpp"

#include "engines/first_order/lbfgs.hpp"
#include "linalg/shifted_cholesky.hpp"
#include "linalg/sums.hpp"
#include "objective/quadratic_objective.hpp"
#include "softplus/softplus.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// diagonal of the Hessian of a term, times its weight
void add_diagonal(const ObjectiveTerm& term, double weight, Vector& out) {
  const TermStructure form = term.structure();
  if (form.quadratic) {
    for_each_entry(*form.quadratic.P, [&](Index i, Index j, double value) {
      if (i == j) out[i] += weight * value;
    });
  } else if (const LossSum* squares = form.squares()) {
    const double share = weight / static_cast<double>(squares->A().rows());
    for_each_entry(squares->A(), [&](Index, Index j, double value) { out[j] += share * value * value; });
  }
}

}  // namespace

std::string NewtonCg::obstacle(const Problem& problem) {
  if (!has_quadratic_objective(problem)) return "iterative linear algebra takes linear and quadratic objectives only";
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->linear_rows() == nullptr) {
      return fmt::format("iterative linear algebra takes linear constraints only, not {}", batch->family());
    }
  }
  if (!Lbfgs::obstacle(problem).empty()) {
    return fmt::format("iterative linear algebra does not take the term {}", problem.prox().kind());
  }
  if (!(problem.strong_convexity() > 0.0)) return "iterative linear algebra needs a strongly convex objective";
  return {};
}

NewtonCg::NewtonCg(const Problem& problem, NewtonCgParameters parameters)
    : problem_(problem), parameters_(parameters), ridge_(problem.prox().strong_convexity()) {
  const Index n = problem.dimension();
  linear_ = Vector::Zero(n);
  problem.add_smooth_gradient(Vector::Zero(n), linear_);
  curvature_ = Vector::Zero(n);
  for (const Problem::WeightedTerm& t : problem.terms()) add_diagonal(*t.term, t.weight, curvature_);
}

void NewtonCg::evaluate(PenalizedFunction& phi, InnerPoint& point) {
  point.phi = phi.evaluate(point.x, point.at);
  gradient_ = point.at.gradient + ridge_ * point.x;
  point.residual = gradient_.norm();
}

void NewtonCg::prepare(PenalizedFunction& phi, const InnerPoint& point, RowSelection& rows) {
  kappa_ = ridge_ + phi.kappa;
  const Vector& lambda = point.at.multipliers;
  const Vector all = lambda.array() * (1.0 - lambda.array() / phi.xi) / phi.delta;
  const double least = all.size() > 0 ? parameters_.counted_weight * all.maxCoeff() : 0.0;
  std::vector<Index> chosen;
  for (Index i = 0; i < all.size(); ++i) {
    if (all[i] > least) chosen.push_back(i);
  }
  weights_.resize(static_cast<Index>(chosen.size()));
  for (Index k = 0; k < weights_.size(); ++k) weights_[k] = all[chosen[static_cast<std::size_t>(k)]];
  slopes_.resize(weights_.size());
  work_rows_.resize(weights_.size());

  diagonal_ = curvature_.array() + kappa_;
  ConstraintSystem& system = phi.system();
  Index segment = 0;
  for (std::size_t k = 0; k < chosen.size(); ++k) {
    while (segment + 1 < system.segments() && system.segment_begin(segment + 1) <= chosen[k]) ++segment;
    const LinearRows& batch = *system.batch(segment).linear_rows();
    const DataMatrix& G = batch.matrix();
    const Index row = batch.side(chosen[k] - system.segment_begin(segment)).row;
    const double w = weights_[static_cast<Index>(k)];
    const Index begin = G.is_sparse() ? G.starts()[row] : row * G.cols();
    const Index end = G.is_sparse() ? G.starts()[row + 1] : begin + G.cols();
    for (Index p = begin; p < end; ++p) {
      const Index j = G.is_sparse() ? G.columns()[p] : p - begin;
      diagonal_[j] += w * G.values()[p] * G.values()[p];
    }
  }
  rows.select(std::move(chosen));
  rows.values(point.x, work_rows_);  // the read of the diagonal, booked
}

void NewtonCg::multiply(const RowSelection& rows, const Vector& d, Vector& out) {
  out = kappa_ * d - linear_;
  problem_.add_smooth_gradient(d, out);
  const auto map = [&](Index first, Index count, const double* slope, double* w) {
    for (Index k = 0; k < count; ++k) w[k] = weights_[first + k] * slope[k];
  };
  rows.sweep_slopes(d, d, map, slopes_, work_rows_, out);
}

void NewtonCg::solve(const RowSelection& rows) {
  const double size = gradient_.norm();
  const double target = size * std::min(parameters_.forcing, std::sqrt(size / (1.0 + size)));
  direction_ = Vector::Zero(gradient_.size());
  residual_ = -gradient_;
  scaled_ = residual_.cwiseQuotient(diagonal_);
  conjugate_ = scaled_;
  double product = residual_.dot(scaled_);
  for (Index k = 0; k < parameters_.max_products; ++k) {
    multiply(rows, conjugate_, product_);
    const double curvature = conjugate_.dot(product_);
    if (!(curvature > 0.0)) break;
    const double t = product / curvature;
    direction_ += t * conjugate_;
    residual_ -= t * product_;
    if (residual_.norm() <= target) break;
    scaled_ = residual_.cwiseQuotient(diagonal_);
    const double next = residual_.dot(scaled_);
    conjugate_ = scaled_ + next / product * conjugate_;
    product = next;
  }
}

// phi'(t) = f'(t) + xi sum sigma((a_i + t s_i + u_i)/delta) s_i is increasing: bisection with secants, no data read.
double NewtonCg::search(PenalizedFunction& phi, const InnerPoint& point) {
  ConstraintSystem& system = phi.system();
  slope_all_.resize(system.size());
  curvature_all_.resize(system.size());
  system.growth(point.x, direction_, slope_all_, curvature_all_);
  Vector Pd = kappa_ * direction_ - linear_;
  problem_.add_smooth_gradient(direction_, Pd);
  const double bend = direction_.dot(Pd);
  const double at_zero = gradient_.dot(direction_);
  if (!(at_zero < 0.0)) return 0.0;
  const double penalty_at_zero =
      pairwise_sum(0, slope_all_.size(), [&](Index i) { return point.at.multipliers[i] * slope_all_[i]; });
  const auto slope = [&](double t) {
    values_ = point.at.a + t * slope_all_;
    const double* shift = phi.shift.size() > 0 ? phi.shift.data() : nullptr;
    penalty::softplus_sigmoid(values_.size(), values_.data(), shift, phi.delta, nullptr, curvature_all_.data());
    const double penalty =
        phi.xi * pairwise_sum(0, slope_all_.size(), [&](Index i) { return curvature_all_[i] * slope_all_[i]; });
    return at_zero - penalty_at_zero + t * bend + penalty;
  };
  double low = 0.0, low_slope = at_zero, high = kInfinity, high_slope = 0.0, t = 1.0;
  for (Index k = 0; k < parameters_.max_line_steps; ++k) {
    const double now = slope(t);
    if (!std::isfinite(now)) return 0.0;
    if (std::abs(now) <= parameters_.line_accuracy * -at_zero) return t;
    (now < 0.0 ? low : high) = t;
    (now < 0.0 ? low_slope : high_slope) = now;
    if (high == kInfinity) {
      t *= 2.0;
      continue;
    }
    const double secant = low + (high - low) * low_slope / (low_slope - high_slope);
    const double margin = parameters_.line_margin * (high - low);
    t = std::clamp(secant, low + margin, high - margin);
    if (!(high - low > parameters_.line_rounding * high)) return low > 0.0 ? low : t;
  }
  return t;
}

InnerOutcome NewtonCg::advance(PenalizedFunction& phi, InnerPoint& point, InnerMonitor monitor, Index max_iterations) {
  evaluate(phi, point);
  if (monitor(point)) return {};
  RowSelection rows(phi.system());
  return take_steps(phi, point, monitor, max_iterations, parameters_.stall_window, [&] {
    prepare(phi, point, rows);
    solve(rows);
    const double t = search(phi, point);
    if (!(t > 0.0)) return false;
    point.x += t * direction_;
    evaluate(phi, point);
    return true;
  });
}

}  // namespace pliant
