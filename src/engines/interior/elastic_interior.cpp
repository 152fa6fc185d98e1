#include "engines/interior/elastic_interior.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

ElasticInterior::ElasticInterior(const StandardForm& form, LdlKind kind, InteriorParameters parameters)
    : form_(form),
      parameters_(parameters),
      sides_(form),
      kkt_(form.P, form.A, kind),
      linear_(form.P.nonZeros() == 0 || form.P.coeffs().isZero(0.0)) {
  const Index k = sides_.size();
  for (Vector* v : {&a_, &s_, &v_, &lambda_, &rp_, &weight_, &target_s_, &target_v_, &r_}) v->setZero(k);
  xi_ = Vector::Constant(k, parameters_.xi);
  for (Index i = sides_.constraints; i < k; ++i) xi_[i] = form_.l1[sides_.place[static_cast<std::size_t>(i)]];
  for (Direction* d : {&predictor_, &corrector_}) {
    for (Vector* v : {&d->s, &d->v, &d->lambda}) v->setZero(k);
  }
  y_ = Vector::Zero(form.rows());
}

// Diagonals of the Newton matrix from the weights W of the sides.
bool ElasticInterior::factorize() {
  diagonal_x_ = Vector::Constant(form_.variables(), parameters_.regularisation_x);
  sides_.of_variables([&](Index k) { diagonal_x_[sides_.place[static_cast<std::size_t>(k)]] += 1.0 / weight_[k]; });
  diagonal_y_ = Vector::Zero(form_.rows());
  sides_.of_rows([&](Index k) { diagonal_y_[sides_.place[static_cast<std::size_t>(k)]] += 1.0 / weight_[k]; });
  diagonal_y_ = diagonal_y_.cwiseInverse();
  for (const Index i : sides_.equalities) diagonal_y_[i] = parameters_.regularisation_y;
  return kkt_.factorize(diagonal_x_, diagonal_y_);
}

// sign dt - W dlambda = r for every side, put into the rows of the Newton system. rhs_x_ and rhs_y_ hold those of
// the Lagrangian and of the equalities on entry.
void ElasticInterior::right_hand_sides() {
  sides_.of_variables(
      [&](Index k) { rhs_x_[sides_.place[static_cast<std::size_t>(k)]] += sides_.sign[k] * r_[k] / weight_[k]; });
  sides_.of_rows([&](Index k) {
    const auto at = static_cast<std::size_t>(k);
    rhs_y_[sides_.place[at]] += sides_.sign[k] * r_[k] / weight_[k] * diagonal_y_[sides_.place[at]];
  });
}

// Of a row with one side dlambda = sign dy; of one with two sides p and q, whose multipliers differ by dy,
// dlambda_p = (sign_p W_q dy - r_p - r_q)/(W_p + W_q): nothing cancels.
void ElasticInterior::recover_multipliers(Direction& d) const {
  sides_.of_rows([&](Index k) {
    const double dy = sides_.sign[k] * d.y[sides_.place[static_cast<std::size_t>(k)]];
    const Index other = sides_.partner[static_cast<std::size_t>(k)];
    d.lambda[k] = other < 0 ? dy : (weight_[other] * dy - r_[k] - r_[other]) / (weight_[k] + weight_[other]);
  });
  sides_.of_variables([&](Index k) {
    d.lambda[k] = (sides_.sign[k] * d.x[sides_.place[static_cast<std::size_t>(k)]] - r_[k]) / weight_[k];
  });
}

// A regularised least-squares solution of the optimality conditions without signs; slacks and multipliers at least of
// the size of what it leaves.
bool ElasticInterior::start() {
  const Index count = sides_.size();
  weight_.setOnes();
  r_ = sides_.offset;
  const InteriorParameters usual = parameters_;
  parameters_.regularisation_x = parameters_.regularisation_y = parameters_.start_regularisation;
  const bool factorized = factorize();
  parameters_ = usual;
  if (!factorized) return false;
  rhs_x_ = -form_.q;
  rhs_y_ = Vector::Zero(form_.rows());
  for (const Index i : sides_.equalities) rhs_y_[i] = form_.hi[i];
  right_hand_sides();
  Direction& d = predictor_;
  if (!kkt_.solve(rhs_x_, rhs_y_, d.x, d.y)) return false;
  recover_multipliers(d);
  x_ = d.x;
  Ax_ = form_.A * x_;
  for (const Index i : sides_.equalities) y_[i] = d.y[i];
  for (Index k = 0; k < count; ++k) a_[k] = sides_.term(k, x_, Ax_) - sides_.offset[k];
  if (count > 0) {
    const double slack = std::max(parameters_.start, a_.cwiseAbs().mean());
    const double size = std::max(parameters_.start, d.lambda.cwiseAbs().mean());
    s_ = (-a_).cwiseMax(slack);
    lambda_ = d.lambda.cwiseAbs().cwiseMax(size).cwiseMin(parameters_.xi_share * xi_);
    v_ = (s_.array() * lambda_.array() / (xi_ - lambda_).array()).max(1e-8);
  }
  return true;
}

void ElasticInterior::evaluate() {
  InteriorResiduals& r = residuals_;
  Ax_ = form_.A * x_;
  for (Index k = 0; k < sides_.size(); ++k) a_[k] = sides_.term(k, x_, Ax_) - sides_.offset[k];
  rp_ = a_ + s_ - v_;
  for (Index i = 0; i < form_.rows(); ++i) {
    if (form_.lo[i] != form_.hi[i]) y_[i] = 0.0;
  }
  sides_.of_rows([&](Index k) { y_[sides_.place[static_cast<std::size_t>(k)]] += sides_.sign[k] * lambda_[k]; });
  const Vector Px = form_.P * x_;
  r.gradient = Px + form_.q;
  r.dual = r.gradient + form_.A.transpose() * y_;
  sides_.of_variables(
      [&](Index k) { r.dual[sides_.place[static_cast<std::size_t>(k)]] += sides_.sign[k] * lambda_[k]; });
  r.rows = (Ax_ - form_.hi).cwiseMax(form_.lo - Ax_).cwiseMax(0.0);
  r.variables = (x_ - form_.upper).cwiseMax(form_.lower - x_).cwiseMax(0.0);
  const double l1 = form_.l1.size() > 0 ? form_.l1.dot(x_.cwiseAbs()) : 0.0;
  double constants = lambda_.dot(sides_.offset);
  for (const Index i : sides_.equalities) constants += y_[i] * form_.hi[i];
  r.objective = 0.5 * x_.dot(Px) + form_.q.dot(x_) + l1 + form_.constant;
  r.gap = x_.dot(Px) + form_.q.dot(x_) + l1 + constants;
  const double pairs = 2.0 * static_cast<double>(sides_.size());
  mu_ = pairs > 0.0 ? (s_.dot(lambda_) + v_.dot(xi_ - lambda_)) / pairs : 0.0;
}

double ElasticInterior::farkas_ratio() const {
  double constants = lambda_.head(sides_.constraints).dot(sides_.offset.head(sides_.constraints));
  for (const Index i : sides_.equalities) constants += y_[i] * form_.hi[i];
  if (!(constants < 0.0)) return kInfinity;
  return (residuals_.dual - residuals_.gradient).lpNorm<Eigen::Infinity>() / -constants;
}

bool ElasticInterior::solve(Direction& d) {
  const auto room = (xi_ - lambda_).array();
  const Vector rs = target_s_ - s_.cwiseProduct(lambda_);
  const Vector rv = target_v_ - Vector(v_.array() * room);
  r_ = -rp_.array() - rs.array() / lambda_.array() + rv.array() / room;
  rhs_x_ = -residuals_.dual;
  rhs_y_ = Vector::Zero(form_.rows());
  for (const Index i : sides_.equalities) rhs_y_[i] = form_.hi[i] - Ax_[i];
  right_hand_sides();
  if (!kkt_.solve(rhs_x_, rhs_y_, d.x, d.y)) return false;
  recover_multipliers(d);
  d.Ax = form_.A * d.x;
  d.v = (rv.array() + v_.array() * d.lambda.array()) / room;
  for (Index k = 0; k < sides_.size(); ++k) {
    // The form that does not lose digits: primal feasibility for wide slacks, complementarity for narrow ones.
    d.s[k] =
        s_[k] > lambda_[k] ? -rp_[k] - sides_.term(k, d.x, d.Ax) + d.v[k] : (rs[k] - s_[k] * d.lambda[k]) / lambda_[k];
  }
  return true;
}

double ElasticInterior::longest(const Vector& z, const Vector& d) const {
  double t = 1.0;
  for (Index i = 0; i < z.size(); ++i) {
    if (d[i] < 0.0) t = std::min(t, -z[i] / d[i]);
  }
  return t;
}

// LPs take separate steps: their dual residual does not depend on x.
ElasticInterior::Steps ElasticInterior::longest_steps(const Direction& d) const {
  Steps t{std::min(longest(s_, d.s), longest(v_, d.v)),
          std::min(longest(lambda_, d.lambda), longest(xi_ - lambda_, -d.lambda))};
  if (!linear_) t.primal = t.dual = std::min(t.primal, t.dual);
  return t;
}

double ElasticInterior::mu_after(const Direction& d, Steps t) const {
  const Vector lambda = lambda_ + t.dual * d.lambda;
  return ((s_ + t.primal * d.s).dot(lambda) + (v_ + t.primal * d.v).dot(xi_ - lambda)) /
         (2.0 * static_cast<double>(sides_.size()));
}

void ElasticInterior::centre(const Direction& p, Steps t) {
  const InteriorParameters& c = parameters_;
  const double ratio = mu_after(p, t) / mu_;
  const double centring = std::max({ratio * ratio * ratio, c.least_centring, c.least_mu / mu_});
  const double cap = c.correction_cap * mu_;
  for (Index k = 0; k < sides_.size(); ++k) {
    target_s_[k] = centring * mu_ - std::clamp(p.s[k] * p.lambda[k], -cap, cap);
    target_v_[k] = centring * mu_ + std::clamp(p.v[k] * p.lambda[k], -cap, cap);
  }
}

void ElasticInterior::move(const Direction& d, Steps t) {
  const double fraction =
      mu_ < 1.0 ? std::max(parameters_.boundary_fraction, 1.0 - mu_) : parameters_.boundary_fraction;
  if (t.primal < 1.0) t.primal *= fraction;
  if (t.dual < 1.0) t.dual *= fraction;
  x_ += t.primal * d.x;
  s_ += t.primal * d.s;
  v_ += t.primal * d.v;
  y_ += t.dual * d.y;
  lambda_ += t.dual * d.lambda;
  recentre();
  raise_xi();
  ++steps_;
}

// A multiplier that fell far below mu/s would let the next step throw its slack out of all proportion.
void ElasticInterior::recentre() {
  if (sides_.size() == 0) return;
  const double mu = (s_.dot(lambda_) + v_.dot(xi_ - lambda_)) / (2.0 * static_cast<double>(sides_.size()));
  for (Index k = 0; k < sides_.size(); ++k) {
    const double least = std::min(parameters_.least_product * mu / s_[k], 0.1 * xi_[k]);
    lambda_[k] = std::max(lambda_[k], least);
  }
}

void ElasticInterior::raise_xi() {
  for (Index k = 0; k < sides_.constraints; ++k) {
    if (lambda_[k] <= parameters_.xi_share * xi_[k]) continue;
    v_[k] *= (xi_[k] - lambda_[k]) / (10.0 * xi_[k] - lambda_[k]);
    xi_[k] *= 10.0;
  }
}

bool ElasticInterior::run(FunctionRef<bool()> stop) {
  if (!start()) return false;
  for (;;) {
    evaluate();
    if (stop()) return true;
    weight_ = (s_.array() / lambda_.array() + v_.array() / (xi_ - lambda_).array())
                  .max(parameters_.least_weight)
                  .min(parameters_.largest_weight);
    if (!std::isfinite(mu_) || !factorize()) return false;
    target_s_.setZero();
    target_v_.setZero();
    if (!solve(predictor_)) return false;
    if (sides_.size() == 0) {
      move(predictor_, {1.0, 1.0});
      continue;
    }
    centre(predictor_, longest_steps(predictor_));
    if (!solve(corrector_)) return false;
    move(corrector_, longest_steps(corrector_));
  }
}

}  // namespace pliant
