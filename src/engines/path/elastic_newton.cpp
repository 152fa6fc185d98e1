#include "engines/path/elastic_newton.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Largest t <= 1 with z + t d >= 0.
double ratio_test(const Vector& z, const Vector& d) {
  double t = 1.0;
  for (Index i = 0; i < z.size(); ++i) {
    if (d[i] < 0.0) t = std::min(t, -z[i] / d[i]);
  }
  return t;
}

}  // namespace

bool QuadraticModel::applies(const Problem& problem) {
  if (problem.has_equalities() || problem.constraints() == 0) return false;
  for (const auto& t : problem.terms()) {
    const auto kind = t.term->kind();
    if (kind != "linear" && kind != "quadratic" && kind != "least_squares") return false;
  }
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->family() != "linear") return false;
  }
  const SeparableParameters* psi = separable_parameters(problem.prox());
  return psi != nullptr && psi->l1 == 0.0;
}

QuadraticModel QuadraticModel::of(const Problem& problem) {
  const Index n = problem.dimension();
  const SeparableParameters& psi = *separable_parameters(problem.prox());
  const Vector origin = Vector::Zero(n);
  QuadraticModel model;
  model.q = Vector::Zero(n);
  problem.add_smooth_gradient(origin, model.q);
  Matrix lower_triangle = Matrix::Zero(n, n);
  problem.add_smooth_hessian(origin, lower_triangle);
  model.P = lower_triangle.selfadjointView<Eigen::Lower>();
  model.P.diagonal().array() += psi.l2;
  model.mu = problem.strong_convexity();
  model.lower = Vector::Constant(n, -kInfinity);
  model.upper = Vector::Constant(n, kInfinity);
  if (!psi.lo.empty()) model.lower = Eigen::Map<const Vector>(psi.lo.data(), n);
  if (!psi.hi.empty()) model.upper = Eigen::Map<const Vector>(psi.hi.data(), n);
  return model;
}

ElasticNewton::ElasticNewton(const QuadraticModel& model, ElasticParameters parameters)
    : model_(model), parameters_(parameters) {
  for (Index j = 0; j < model.q.size(); ++j) {
    if (std::isfinite(model.lower[j])) lower_.push_back(j);
    if (std::isfinite(model.upper[j])) upper_.push_back(j);
  }
}

// out = (scaled G; bounds) d: upper bounds x - u, then lower bounds l - x, follow the rows.
void ElasticNewton::apply_rows(const RowSelection& rows, const Vector& x, const Vector& d, Vector& out) const {
  rows.slopes(x, d, out.head(rows_count_));
  out.head(rows_count_).array() *= scale_.head(rows_count_).array();
  Index k = rows_count_;
  for (Index j : upper_) out[k++] = d[j];
  for (Index j : lower_) out[k++] = -d[j];
}

void ElasticNewton::add_transposed(const RowSelection& rows, const Vector& x, const Vector& w, Vector& out) const {
  const Vector scaled = w.head(rows_count_).cwiseProduct(scale_.head(rows_count_));
  rows.add_weighted_gradient(x, scaled, out);
  Index k = rows_count_;
  for (Index j : upper_) out[j] += w[k++];
  for (Index j : lower_) out[j] -= w[k++];
}

void ElasticNewton::measure(const RowSelection& rows, const Vector& x) {
  rows.values(x, a_.head(rows_count_));
  a_.head(rows_count_).array() *= scale_.head(rows_count_).array();
  Index k = rows_count_;
  for (Index j : upper_) a_[k++] = x[j] - model_.upper[j];
  for (Index j : lower_) a_[k++] = model_.lower[j] - x[j];
}

// Slacks at least a tenth of the largest value, multipliers of the size of the gradient.
void ElasticNewton::start(const RowSelection& rows, const Vector& x) {
  const Index k = rows_count_ + static_cast<Index>(upper_.size() + lower_.size());
  for (Vector* v : {&a_, &s_, &v_, &lambda_, &rp_, &weight_, &b_, &target_s_, &target_v_, &work_}) v->resize(k);
  for (Direction* d : {&predictor_, &corrector_}) {
    d->x.resize(x.size());
    for (Vector* v : {&d->s, &d->v, &d->lambda, &d->rows}) v->resize(k);
  }
  measure(rows, x);
  const double shift = std::max(0.1 * a_.lpNorm<Eigen::Infinity>(), 1e-2);
  s_ = (-a_).cwiseMax(shift);
  const Vector gradient = model_.P * x + model_.q;
  const double size = std::max(gradient.lpNorm<1>() / static_cast<double>(std::max<Index>(k, 1)), 1e-3);
  lambda_.setConstant(size);
  xi_ = std::max(xi_, 10.0 * size);
  v_ = s_.cwiseProduct(lambda_).array() / (xi_ - lambda_.array());
}

double ElasticNewton::certified_gap(const Vector& x) const {
  const double complementarity = std::abs(lambda_.dot(a_));
  if (model_.mu > 0.0) return complementarity + rd_.squaredNorm() / (2.0 * model_.mu);
  double residual = 0.0;
  for (Index j = 0; j < x.size(); ++j) {
    const double reach = std::max(model_.upper[j] - x[j], x[j] - model_.lower[j]);
    residual += std::abs(rd_[j]) * (std::isfinite(reach) ? reach : 1.0 + std::abs(x[j]));
  }
  return complementarity + residual;
}

bool ElasticNewton::converged(const Vector& x, double eps) const {
  const double objective = 0.5 * x.dot(model_.P * x) + model_.q.dot(x);
  const double violation = a_.cwiseQuotient(scale_).maxCoeff();  // in original units
  return violation <= eps && rd_.lpNorm<Eigen::Infinity>() <= eps * (1.0 + model_.q.lpNorm<Eigen::Infinity>()) &&
         certified_gap(x) <= eps * (1.0 + std::abs(objective));
}

// Forms and factors P + G'W^-1 G; the same read gives the predictor's right-hand side -r_d - G'W^-1 b.
bool ElasticNewton::factorize(const RowSelection& rows, const Vector& x) {
  const Index n = x.size();
  weight_ = (s_.array() / lambda_.array() + v_.array() / (xi_ - lambda_.array())).inverse();
  b_ = rp_ - s_ + v_;
  work_ = -weight_.cwiseProduct(b_);
  rhs_ = -rd_;
  H_ = model_.P;
  const auto scale = scale_.head(rows_count_);
  rows.add_weighted_derivatives(x, work_.head(rows_count_).cwiseProduct(scale).eval(), Vector::Zero(rows_count_),
                                weight_.head(rows_count_).cwiseProduct(scale.cwiseAbs2()).eval(), rhs_, H_);
  Index k = rows_count_;
  for (const double sign : {1.0, -1.0}) {
    for (Index j : sign > 0.0 ? upper_ : lower_) {
      H_(j, j) += weight_[k];
      rhs_[j] += sign * work_[k++];
    }
  }
  ridge_ = parameters_.ridge * H_.trace() / static_cast<double>(n);
  H_.diagonal().array() += ridge_;
  factor_.compute(H_);
  // Where the weights are large the condensed matrix has lost the digits that make G'dlambda consistent with dx.
  refine_ = weight_.maxCoeff() > parameters_.trusted_weight * (1.0 + model_.P.diagonal().maxCoeff());
  return factor_.info() == Eigen::Success;
}

// The right-hand side of a corrector; the predictor's comes with the factorisation.
void ElasticNewton::corrector_rhs(const RowSelection& rows, const Vector& x) {
  const auto room = xi_ - lambda_.array();
  b_ = rp_.array() + (target_s_.array() / lambda_.array() - s_.array()) - (target_v_.array() / room - v_.array());
  work_ = -weight_.cwiseProduct(b_);
  rhs_ = -rd_;
  add_transposed(rows, x, work_, rhs_);
}

void ElasticNewton::direction(const RowSelection& rows, const Vector& x, Direction& d) {
  const auto room = xi_ - lambda_.array();
  d.x = factor_.solve(rhs_);
  apply_rows(rows, x, d.x, d.rows);
  if (refine_) {  // one step of refinement with the residual computed from the rows themselves
    rhs_ -= model_.P * d.x;
    work_ = -weight_.cwiseProduct(d.rows);
    add_transposed(rows, x, work_, rhs_);
    const Vector correction = factor_.solve(rhs_);
    d.x += correction;
    apply_rows(rows, x, correction, work_);
    d.rows += work_;
  }
  d.lambda = weight_.cwiseProduct(d.rows + b_);
  d.v = ((target_v_.array() - v_.array() * room) + v_.array() * d.lambda.array()) / room;
  for (Index i = 0; i < s_.size(); ++i) {
    // The form that does not lose digits: primal feasibility for wide slacks, complementarity for narrow ones.
    d.s[i] = s_[i] > lambda_[i] ? -rp_[i] - d.rows[i] + d.v[i]
                                : (target_s_[i] - s_[i] * lambda_[i] - s_[i] * d.lambda[i]) / lambda_[i];
  }
}

double ElasticNewton::longest_step(const Direction& d) const {
  double t = std::min({ratio_test(s_, d.s), ratio_test(v_, d.v), ratio_test(lambda_, d.lambda)});
  for (Index i = 0; i < lambda_.size(); ++i) {
    if (d.lambda[i] > 0.0) t = std::min(t, (xi_ - lambda_[i]) / d.lambda[i]);
  }
  return t;
}

void ElasticNewton::step(Direction& d, double length, Vector& x) {
  x += length * d.x;
  // r_d + length (P dx + G'dlambda), by the Newton equations.
  rd_ = (1.0 - length) * rd_ - length * ridge_ * d.x;
  a_ += length * d.rows;
  s_ += length * d.s;
  v_ += length * d.v;
  lambda_ += length * d.lambda;
  if (lambda_.maxCoeff() > parameters_.xi_share * xi_) {
    v_.array() *= (xi_ - lambda_.array()) / (10.0 * xi_ - lambda_.array());
    xi_ *= 10.0;
  }
}

void ElasticNewton::residuals(const RowSelection& rows, const Vector& x) {
  measure(rows, x);
  rd_ = model_.P * x + model_.q;
  add_transposed(rows, x, lambda_, rd_);
}

void ElasticNewton::choose_targets(const Vector& x, double eps) {
  const Direction& p = predictor_;
  const auto room = xi_ - lambda_.array();
  const double pairs = 2.0 * static_cast<double>(s_.size());
  const double reach = longest_step(p);
  const double mu_reached = ((s_ + reach * p.s).dot(lambda_ + reach * p.lambda) +
                             ((v_ + reach * p.v).array() * (room - reach * p.lambda.array())).sum()) /
                            pairs;
  const double objective = 0.5 * x.dot(model_.P * x) + model_.q.dot(x);
  const double needed = parameters_.gap_share * eps * (1.0 + std::abs(objective)) / (pairs * mu_);
  const double centring = std::min(1.0, std::max({std::pow(mu_reached / mu_, 3), parameters_.centring_floor, needed}));
  const double cap = parameters_.correction_cap * mu_;
  target_s_ = centring * mu_ - p.s.cwiseProduct(p.lambda).array().max(-cap).min(cap);
  target_v_ = centring * mu_ + p.v.cwiseProduct(p.lambda).array().max(-cap).min(cap);
}

bool ElasticNewton::solve(const RowSelection& rows, ConstVectorRef norms, double eps, Vector& x,
                          FunctionRef<bool()> stop) {
  rows_count_ = rows.size();
  scale_ = Vector::Ones(rows_count_ + static_cast<Index>(upper_.size() + lower_.size()));
  scale_.head(rows_count_) = norms.unaryExpr([](double norm) { return norm > 0.0 ? 1.0 / norm : 1.0; });
  start(rows, x);
  residuals(rows, x);
  refine_ = false;
  bool done = false;
  double best = kInfinity;
  Index since_best = 0;
  for (Index k = 0; k < parameters_.max_steps; ++k) {
    // Recurrences save reads; near the end, and before a claim, everything is computed afresh.
    if (refine_ || converged(x, eps)) residuals(rows, x);
    rp_ = a_ + s_ - v_;
    mu_ = (s_.dot(lambda_) + (v_.array() * (xi_ - lambda_.array())).sum()) / (2.0 * static_cast<double>(s_.size()));
    done = converged(x, eps);
    const double merit = certified_gap(x) + rd_.norm() + rp_.norm();
    since_best = merit < 0.9 * best ? 0 : since_best + 1;
    best = std::min(best, merit);
    if (exhausted()) break;
    if (done || since_best > parameters_.patience || stop() || !factorize(rows, x)) break;
    ++steps_;

    target_s_.setZero();
    target_v_.setZero();
    direction(rows, x, predictor_);
    choose_targets(x, eps);
    corrector_rhs(rows, x);
    direction(rows, x, corrector_);
    const double length = longest_step(corrector_);
    step(corrector_, length < 1.0 ? parameters_.boundary_fraction * length : 1.0, x);
  }
  row_multipliers_ = lambda_.head(rows_count_).cwiseProduct(scale_.head(rows_count_));
  row_values_ = a_.head(rows_count_).cwiseQuotient(scale_.head(rows_count_));
  return done;
}

}  // namespace pliant
