#include "engines/path/smoothed_newton.hpp"

#include "engines/interior/steps.hpp"
#include "softplus/softplus.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

SmoothedNewton::SmoothedNewton(const PathModel& model, SmoothedParameters parameters)
    : model_(model), parameters_(parameters), kkt_(model.E) {}

double SmoothedNewton::hard_violation() const {
  return hard_values_.size() > 0 ? std::max(0.0, hard_values_.maxCoeff()) : 0.0;
}

void SmoothedNewton::set_ceilings(const Vector& x) {
  const double largest = (model_.P * x + model_.q).lpNorm<Eigen::Infinity>();
  xi_ = std::max(xi_, parameters_.first_xi * largest);
  if (xi_ == 0.0) xi_ = parameters_.first_xi;
  const Index constraints = rows() + model_.coordinates.bounds();
  pairs_.ceiling.head(constraints).setConstant(xi_);
  pairs_.ceiling.tail(pairs_.size() - constraints).setConstant(model_.coordinates.l1_weight());
}

// Slacks from x, multipliers from the last solve as far as products are of the right size.
void SmoothedNewton::place_pairs(const SmoothedBand& band, const Vector& x) {
  hard_values_.resize(band.hard.size());
  band.hard.values(x, hard_values_);
  const Index k = rows() + model_.coordinates.size();
  const bool first = pairs_.size() != k;
  if (first) pairs_.resize(k);
  for (Vector* v : {&a_, &rp_, &weight_, &b_, &slopes_}) v->resize(k);
  direction_.resize_pairs(k);
  if (k == 0) return;
  set_ceilings(x);
  a_.head(rows()) = hard_values_;
  model_.coordinates.values(x, a_.tail(k - rows()));
  const double least = parameters_.least_slack * band.widths.mean();
  for (Index i = 0; i < k; ++i) {
    const double ceiling = pairs_.ceiling[i];
    pairs_.s[i] = std::max(-a_[i], least);
    const double usual = product_ / pairs_.s[i];
    // What a solve that failed has left may be no number at all.
    const bool known = !first && std::isfinite(pairs_.lambda[i]);
    const double factor = parameters_.off_path;
    const double kept = known ? std::clamp(pairs_.lambda[i], usual / factor, usual * factor) : usual;
    pairs_.lambda[i] = std::min(kept, 0.5 * ceiling);
    pairs_.v[i] = std::max(product_ / pairs_.room(i), std::max(a_[i], 0.0));
  }
}

void SmoothedNewton::weigh(const SmoothedBand& band) {
  open_gap_ = 0.0;
  const double price = theta(band);
  for (Index i = 0; i < multipliers_.size(); ++i) {
    const double a = band.values[i], cap = price * band.caps[i], at = a / band.widths[i];
    const double up = penalty::sigmoid(at), down = penalty::sigmoid(-at);
    multipliers_[i] = cap * up;
    outer_[i] = cap / band.widths[i] * up * down;
    open_gap_ += a > 0.0 ? cap * down * a : -cap * up * a;
  }
  rp_ = a_ + pairs_.s - pairs_.v;
  for (Index i = 0; i < a_.size(); ++i) {
    weight_[i] = 1.0 / pairs_.weight(i);
    b_[i] = rp_[i] - pairs_.s[i] + pairs_.v[i] + product_ / pairs_.lambda[i] - product_ / pairs_.room(i);
  }
  open_gap_ += 2.0 * product_ * static_cast<double>(a_.size());
}

// (P + G'outer G + pairs) d + E'y = -gradient - pairs' b, E d = e - E x.
bool SmoothedNewton::find_direction(const SmoothedBand& band, const Vector& x) {
  weigh(band);
  const Index n = x.size(), tail = a_.size() - rows();
  px_.noalias() = model_.P * x;
  H_ = model_.P;
  gradient_.setZero(n, 1);
  weights_ = multipliers_ + theta(band) * band.change;
  no_curvature_.setZero(std::max(multipliers_.size(), rows()));
  band.soft.add_weighted_derivatives(x, weights_, no_curvature_.head(multipliers_.size()), outer_, gradient_, H_);
  if (band.budget != nullptr) {
    budget_gradient_ = band.budget->gradient + gradient_.col(0) / band.budget->theta;
    gradient_.col(0) += band.budget->theta * band.budget->gradient;
  }
  gradient_.col(0) += px_ + model_.q;
  b_ = pairs_.lambda + weight_.cwiseProduct(b_);  // the multipliers at the end of a full step along d = 0
  hard_weights_ = b_.head(rows());
  hard_outer_ = weight_.head(rows());
  if (rows() > 0) {
    band.hard.add_weighted_derivatives(x, hard_weights_, no_curvature_.head(rows()), hard_outer_, gradient_, H_);
  }
  model_.coordinates.add_transposed(b_.tail(tail), gradient_.col(0));
  model_.coordinates.add_diagonal(weight_.tail(tail), H_);
  H_.diagonal().array() += parameters_.ridge * H_.trace() / static_cast<double>(n);
  if (!kkt_.factorize(H_)) return false;
  const Vector right = -gradient_.col(0), equality = model_.e - model_.E * x;
  if (!kkt_.solve(right, equality, d_, y_)) return false;
  if (!d_.allFinite()) return false;
  if (band.budget != nullptr) {
    if (!kkt_.solve(budget_gradient_, budget_response_)) return false;
    response_ = budget_gradient_.dot(budget_response_);
  }
  band.soft.slopes(x, d_, soft_slopes_);
  if (rows() > 0) band.hard.slopes(x, d_, slopes_.head(rows()));
  model_.coordinates.slopes(d_, slopes_.tail(tail));
  for (Index i = 0; i < a_.size(); ++i) {
    direction_.lambda[i] = weight_[i] * slopes_[i] + b_[i] - pairs_.lambda[i];
    pairs_.complete(i, slopes_[i], rp_[i], product_, product_, direction_);
  }
  pd_.noalias() = model_.P * d_;
  decrement_ = d_.dot(pd_) + soft_slopes_.cwiseAbs2().dot(outer_) + slopes_.cwiseAbs2().dot(weight_);
  return std::isfinite(decrement_);
}

// Beside equalities that do not hold yet their multipliers belong to it, too.
double SmoothedNewton::slope(const SmoothedBand& band, double t) const {
  double soft = band.change.dot(soft_slopes_);
  for (Index i = 0; i < soft_slopes_.size(); ++i) {
    soft += band.caps[i] * penalty::sigmoid((band.values[i] + t * soft_slopes_[i]) / band.widths[i]) * soft_slopes_[i];
  }
  if (band.budget != nullptr) soft = band.budget->theta * (soft + band.budget->gradient.dot(d_));
  double sum = d_.dot(px_) + t * d_.dot(pd_) + model_.q.dot(d_) + soft;
  sum += (pairs_.lambda + t * direction_.lambda).dot(slopes_);
  return y_.size() > 0 ? sum + y_.dot(model_.E * d_) : sum;
}

// As far as pairs allow and the function falls.
double SmoothedNewton::length(const SmoothedBand& band) {
  double t = 1.0;
  dual_length_ = 1.0;
  if (a_.size() > 0) {
    const interior::Steps most =
        interior::damped_where_stopped(pairs_.longest(direction_), parameters_.boundary_fraction);
    t = most.primal;
    dual_length_ = most.dual;
  }
  if (slope(band, 0.0) >= 0.0) return t;  // pairs off their path point another way
  double low = 0.0, high = t;
  for (Index k = 0; k < parameters_.line_steps; ++k) {
    const double there = slope(band, t);
    if (std::abs(there) <= parameters_.slope_left * decrement_ || (there < 0.0 && t == high)) return t;
    (there > 0.0 ? high : low) = t;
    t = 0.5 * (low + high);
  }
  return t;
}

void SmoothedNewton::raise_xi() {
  const Index constraints = rows() + model_.coordinates.bounds();
  if (constraints == 0 || !(pairs_.lambda.head(constraints).maxCoeff() > parameters_.xi_share * xi_)) return;
  if (xi_ > parameters_.xi_limit) return;
  for (Index i = 0; i < constraints; ++i) pairs_.raise_ceiling(i, ElasticPairs::kUsualGrowth);
  xi_ *= ElasticPairs::kUsualGrowth;
}

void SmoothedNewton::move(const SmoothedBand& band, double t, Vector& x) {
  x += t * d_;
  a_ += t * slopes_;
  hard_values_ = a_.head(rows());
  band.values += t * soft_slopes_;
  if (a_.size() > 0) pairs_.move(direction_, {t, dual_length_});
  raise_xi();
}

bool SmoothedNewton::solve(const SmoothedBand& band, Vector& x, FunctionRef<bool()> stop) {
  for (Vector* v : {&multipliers_, &outer_, &soft_slopes_}) v->resize(band.values.size());
  product_ = 0.5 * penalty::softplus(0.0, 1.0) * theta(band) * band.caps.dot(band.widths) /
             static_cast<double>(band.caps.size());
  place_pairs(band, x);
  for (Index k = 0; k < parameters_.max_steps; ++k) {
    if (!find_direction(band, x)) return false;
    ++steps_;
    const double t = length(band);
    move(band, t, x);
    if (!x.allFinite() || stop()) return false;
    if (t >= parameters_.full_step && decrement_ <= parameters_.done * open_gap_) return true;
  }
  return false;
}

}  // namespace pliant
