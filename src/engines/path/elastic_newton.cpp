#include "engines/path/elastic_newton.hpp"

#include "engines/interior/predictor_corrector.hpp"
#include "softplus/softplus.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

ElasticNewton::ElasticNewton(const PathModel& model, ElasticParameters parameters)
    : model_(model), parameters_(parameters), kkt_(model.E), xi_(parameters.first_xi) {}

void ElasticNewton::resize(Index rows) {
  const Index n = model_.dimension();
  const Index k = rows + model_.coordinates.size();
  rows_count_ = rows;
  constraints_ = rows + model_.coordinates.bounds();
  for (Vector* v : {&a_, &rp_, &weight_, &b_, &correction_s_, &correction_v_, &work_, &slopes_}) v->resize(k);
  pairs_.resize(k);
  for (Direction* d : {&predictor_, &corrector_}) {
    d->x.resize(n);
    d->resize_pairs(k);
    d->rows.resize(k);
  }
  weights_.resize(k, 2);
  rhs_.resize(n, 2);
  for (Vector* v : {&residual_, &right_hand_side_, &work_x_, &work_y_, &product_}) v->resize(n);
  more_y_.resize(model_.E.rows());
  no_curvature_.setZero(rows);
  equality_side_.setZero(model_.E.rows());
  set_ceilings();
}

void ElasticNewton::set_ceilings() {
  pairs_.ceiling.head(constraints_).setConstant(xi_);
  pairs_.ceiling.tail(pairs_.size() - constraints_).setConstant(model_.coordinates.l1_weight());
  for (Index i = 0; i < caps_.size(); ++i) {
    if (soft(i)) pairs_.ceiling[i] = caps_[i];
  }
}

double ElasticNewton::hardest_violation() const {
  double worst = 0.0;
  for (Index i = 0; i < constraints_; ++i) {
    if (!soft(i)) worst = std::max(worst, a_[i] / scale_[i]);
  }
  return worst;
}

double ElasticNewton::largest_hard_multiplier() const {
  double largest = 0.0;
  for (Index i = 0; i < constraints_; ++i) {
    if (!soft(i)) largest = std::max(largest, pairs_.lambda[i]);
  }
  return largest;
}

// s lambda = v (c - lambda) = mu with a + s - v = 0: with t = lambda/c and m = mu/c, a = m/(1-t) - m/t. At the kink
// s = v = 2 m are what the softplus of this width has there.
double ElasticNewton::start_on_path(const Vector& widths) {
  double products = 0.0, count = 0.0;
  for (Index i = 0; i < caps_.size(); ++i) {
    if (!soft(i)) continue;
    const double m = 0.5 * penalty::softplus(0.0, widths[i]), far = std::abs(a_[i]);
    // The larger of s and v, from s - v = -a and 1/s + 1/v = 1/m: no digits are lost there.
    const double large = 0.5 * (far + 2.0 * m + std::hypot(far, 2.0 * m)), small = m * large / (large - m);
    pairs_.s[i] = a_[i] > 0.0 ? small : large;
    pairs_.v[i] = a_[i] > 0.0 ? large : small;
    pairs_.lambda[i] = caps_[i] * m / pairs_.s[i];
    products += caps_[i] * m;
    ++count;
  }
  return count > 0.0 ? products / count : 0.0;
}

// Pairs of hard rows, bounds and l1 terms begin with products of the same size as soft rows: x is near the solution
// already, and pairs that differ by decades would stop every step.
void ElasticNewton::start_others(double product, double least) {
  for (Index i = 0; i < a_.size(); ++i) {
    if (soft(i)) continue;
    pairs_.s[i] = std::max({-a_[i], least, product / pairs_.ceiling[i]});
    pairs_.lambda[i] = std::min(product / pairs_.s[i], parameters_.start_share * pairs_.ceiling[i]);
    pairs_.v[i] = std::max(product / (pairs_.ceiling[i] - pairs_.lambda[i]), std::max(a_[i], 0.0) + least);
  }
}

// On the softplus path itself: lambda = c sigma(a/delta), s = p_delta(-a), v = p_delta(a), delta the mean distance.
void ElasticNewton::start_with_soft_rows(const Vector& x) {
  double sum = 0.0, prices = 0.0;
  Index count = 0;
  for (Index i = 0; i < caps_.size(); ++i) {
    if (!soft(i)) continue;
    sum += std::abs(a_[i]);
    prices += caps_[i];
    ++count;
  }
  if (count == 0) return;
  if (widths_.size() > 0) return start_others(start_on_path(widths_), 0.0);
  const double mean = sum > 0.0 ? sum / static_cast<double>(count) : parameters_.least_slack;
  const double delta =
      std::max(parameters_.soft_delta * mean, parameters_.least_delta * (1.0 + x.lpNorm<Eigen::Infinity>()));
  for (Index i = 0; i < caps_.size(); ++i) {
    if (!soft(i)) continue;
    // Prices differ: so must the deltas, for equal products.
    const double own = delta * std::min(prices / (static_cast<double>(count) * caps_[i]), parameters_.most_delta);
    const double share = penalty::sigmoid(a_[i] / own);
    pairs_.lambda[i] = caps_[i] * std::clamp(share, parameters_.soft_start, 1.0 - parameters_.soft_start);
    pairs_.s[i] = std::max(penalty::softplus(-a_[i], own), parameters_.soft_start * own);
    pairs_.v[i] = std::max(penalty::softplus(a_[i], own), parameters_.soft_start * own);
  }
  start_others(penalty::softplus(0.0, 1.0) * delta * prices / (2.0 * static_cast<double>(count)),
               parameters_.soft_start * delta);
}

// Slacks of the size of the values, multipliers of the size of the gradient.
void ElasticNewton::start(const Vector& x) {
  const Index k = a_.size();
  const double shift =
      std::max(parameters_.slack_share * a_.head(constraints_).lpNorm<Eigen::Infinity>(), parameters_.least_slack);
  work_x_.noalias() = model_.P * x;
  work_x_ += model_.q;
  const double size =
      std::max(work_x_.lpNorm<1>() / static_cast<double>(std::max<Index>(k, 1)), parameters_.least_multiplier);
  xi_ = std::max(xi_, parameters_.first_xi * size);
  set_ceilings();
  pairs_.s = (-a_).cwiseMax(shift);
  pairs_.lambda = pairs_.ceiling.cwiseMin(size / parameters_.start_share) * parameters_.start_share;
  pairs_.v = pairs_.s.cwiseProduct(pairs_.lambda).array() / (pairs_.ceiling.array() - pairs_.lambda.array());
  start_with_soft_rows(x);
}

double ElasticNewton::objective(const Vector& x) const {
  product_.noalias() = model_.P * x;
  double prices = 0.0;
  for (Index i = 0; i < caps_.size(); ++i) {
    if (soft(i)) prices += caps_[i] * std::max(a_[i], 0.0);
  }
  return 0.5 * x.dot(product_) + model_.q.dot(x) + model_.constant + prices;
}

bool ElasticNewton::converged(const Vector& x, double eps) const {
  return hardest_violation() <= eps && (re_.size() == 0 || re_.lpNorm<Eigen::Infinity>() <= eps) &&
         rd_.lpNorm<Eigen::Infinity>() <= eps * (1.0 + model_.q.lpNorm<Eigen::Infinity>()) &&
         model_.certified_gap(x, pairs_.lambda, a_, constraints_, caps_, rd_) <= eps * (1.0 + std::abs(objective(x)));
}

// Forms and factors P + G'W^-1 G; the same read gives the predictor's right-hand side -r_d - G'W^-1 b and the
// column -G'W^-1 (1/lambda - 1/(xi - lambda)) that a unit of centring adds to it.
bool ElasticNewton::factorize(const RowSelection& rows, const Vector& x) {
  const Index k = a_.size();
  const auto room = pairs_.ceiling.array() - pairs_.lambda.array();
  for (Index i = 0; i < k; ++i) weight_[i] = 1.0 / pairs_.weight(i);
  b_ = rp_ - pairs_.s + pairs_.v;
  weights_.col(0) = -weight_.cwiseProduct(b_);
  weights_.col(1) = -weight_.array() * (pairs_.lambda.array().inverse() - room.inverse());
  rhs_.col(0) = -rd_;
  rhs_.col(1).setZero();
  H_ = model_.P;
  const Index tail = k - rows_count_;
  for (Index j = 0; j < 2; ++j) model_.coordinates.add_transposed(weights_.col(j).tail(tail), rhs_.col(j));
  model_.coordinates.add_diagonal(weight_.tail(tail), H_);
  const auto scale = scale_.head(rows_count_);
  weights_.topRows(rows_count_).array().colwise() *= scale.array();
  work_.head(rows_count_) = weight_.head(rows_count_).cwiseProduct(scale.cwiseAbs2());
  rows.add_weighted_derivatives(x, weights_.topRows(rows_count_), no_curvature_, work_.head(rows_count_), rhs_, H_);
  ridge_ = parameters_.ridge * H_.trace() / static_cast<double>(x.size());
  H_.diagonal().array() += ridge_;
  // Where the weights are large the condensed matrix has lost the digits that make G'dlambda consistent with dx.
  refine_ = weight_.maxCoeff() > parameters_.trusted_weight * (1.0 + model_.P.diagonal().maxCoeff());
  return kkt_.factorize(H_);
}

void ElasticNewton::row_direction(Index i, double target_s, double target_v, Direction& d) const {
  d.lambda[i] = weight_[i] * (d.rows[i] + b_[i]);
  pairs_.complete(i, d.rows[i], rp_[i], target_s, target_v, d);
}

double ElasticNewton::second_order(Index i) {
  const auto [s, v] = pairs_.second_order(predictor_, i, parameters_.correction_cap * mu_);
  correction_s_[i] = s;
  correction_v_[i] = v;
  return -s / pairs_.lambda[i] - v / pairs_.room(i);
}

bool ElasticNewton::refine(const RowSelection& rows, const Vector& x, Direction& d) {
  residual_ = work_x_;  // right-hand side on entry
  residual_.noalias() -= model_.P * d.x;
  if (model_.E.rows() > 0) residual_.noalias() -= model_.E.transpose() * d.y;
  const auto map = [&](Index first, Index count, const double* slopes, double* w) {
    for (Index k = 0; k < count; ++k) {
      const Index i = first + k;
      d.rows[i] = slopes[k] * scale_[i];
      w[k] = -weight_[i] * d.rows[i] * scale_[i];
    }
  };
  rows.sweep_slopes(x, d.x, map, slopes_.head(rows_count_), work_.head(rows_count_), residual_);
  const Index tail = a_.size() - rows_count_;
  model_.coordinates.slopes(d.x, d.rows.tail(tail));
  work_.tail(tail) = -weight_.tail(tail).cwiseProduct(d.rows.tail(tail));
  model_.coordinates.add_transposed(work_.tail(tail), residual_);
  equality_side_.setZero();
  if (!kkt_.solve(residual_, equality_side_, work_x_, more_y_)) return false;
  d.x += work_x_;
  d.y += more_y_;
  return true;
}

// The predictor, and in the same read what its second-order terms add to the corrector's right-hand side (work_y_).
bool ElasticNewton::predict(const RowSelection& rows, const Vector& x) {
  Direction& d = predictor_;
  right_hand_side_ = rhs_.col(0);
  equality_side_ = -re_;
  if (!kkt_.solve(right_hand_side_, equality_side_, d.x, d.y)) return false;
  const bool refined = refine_;
  if (refined) {
    work_x_ = rhs_.col(0);
    if (!refine(rows, x, d)) return false;
  }
  const Vector& last = refined ? work_x_ : d.x;  // the part of dx whose slopes are still to be read
  work_y_.setZero(x.size());
  const auto finish_row = [&](Index i, double slope) {
    d.rows[i] = refined ? d.rows[i] + slope : slope;
    row_direction(i, 0.0, 0.0, d);
    return -weight_[i] * second_order(i);
  };
  const auto map = [&](Index first, Index count, const double* slopes, double* w) {
    for (Index k = 0; k < count; ++k) {
      const Index i = first + k;
      w[k] = finish_row(i, slopes[k] * scale_[i]) * scale_[i];
    }
  };
  rows.sweep_slopes(x, last, map, slopes_.head(rows_count_), work_.head(rows_count_), work_y_);
  const Index tail = a_.size() - rows_count_;
  model_.coordinates.slopes(last, slopes_.tail(tail));
  for (Index i = rows_count_; i < a_.size(); ++i) work_[i] = finish_row(i, slopes_[i]);
  model_.coordinates.add_transposed(work_.tail(tail), work_y_);
  return true;
}

bool ElasticNewton::correct(const RowSelection& rows, const Vector& x, double centring) {
  Direction& d = corrector_;
  const double target = centring * mu_;
  const auto room = pairs_.ceiling.array() - pairs_.lambda.array();
  b_.array() += (target - correction_s_.array()) / pairs_.lambda.array() - (target + correction_v_.array()) / room;
  work_x_ = rhs_.col(0) + target * rhs_.col(1) + work_y_;
  right_hand_side_ = work_x_;
  equality_side_ = -re_;
  if (!kkt_.solve(right_hand_side_, equality_side_, d.x, d.y)) return false;
  const Index tail = a_.size() - rows_count_;
  if (refine_) {
    if (!refine(rows, x, d)) return false;
    rows.slopes(x, work_x_, slopes_.head(rows_count_));
    d.rows.head(rows_count_) += slopes_.head(rows_count_).cwiseProduct(scale_.head(rows_count_));
    model_.coordinates.slopes(work_x_, slopes_.tail(tail));
    d.rows.tail(tail) += slopes_.tail(tail);
  } else {
    rows.slopes(x, d.x, slopes_.head(rows_count_));
    d.rows.head(rows_count_) = slopes_.head(rows_count_).cwiseProduct(scale_.head(rows_count_));
    model_.coordinates.slopes(d.x, d.rows.tail(tail));
  }
  for (Index i = 0; i < a_.size(); ++i) {
    row_direction(i, target - correction_s_[i], target + correction_v_[i], d);
  }
  return true;
}

void ElasticNewton::step(const Direction& d, double length, Vector& x) {
  x += length * d.x;
  y_ += length * d.y;
  // r_d + length (P dx + G'dlambda + E'dy), by the Newton equations.
  rd_ = (1.0 - length) * rd_ - length * ridge_ * d.x;
  re_.noalias() = model_.E * x;
  re_ -= model_.e;
  a_ += length * d.rows;
  pairs_.move(d, {length, length});
  if (largest_hard_multiplier() > parameters_.xi_share * xi_) raise_xi();
}

void ElasticNewton::raise_xi() {
  for (Index i = 0; i < constraints_; ++i) {
    if (!soft(i)) pairs_.raise_ceiling(i, parameters_.xi_growth);
  }
  xi_ *= parameters_.xi_growth;
}

void ElasticNewton::residuals(const RowSelection& rows, const Vector& x) {
  rd_.noalias() = model_.P * x;
  rd_ += model_.q;
  if (model_.E.rows() > 0) rd_.noalias() += model_.E.transpose() * y_;
  re_.noalias() = model_.E * x;
  re_ -= model_.e;
  const auto map = [&](Index first, Index count, const double*, double* w) {
    for (Index k = 0; k < count; ++k) w[k] = pairs_.lambda[first + k] * scale_[first + k];
  };
  rows.sweep(x, map, a_.head(rows_count_), work_.head(rows_count_), rd_);
  a_.head(rows_count_).array() *= scale_.head(rows_count_).array();
  const Index tail = a_.size() - rows_count_;
  model_.coordinates.values(x, a_.tail(tail));
  model_.coordinates.add_transposed(pairs_.lambda.tail(tail), rd_);
}

double ElasticNewton::choose_centring(const Vector& x, double eps) const {
  const double pairs = 2.0 * static_cast<double>(pairs_.size());
  const double needed = parameters_.gap_share * eps * (1.0 + std::abs(objective(x))) / (pairs * mu_);
  const double reached = pairs_.mu_after(predictor_, pairs_.longest(predictor_).joined());
  return interior::centring(reached / mu_, {.least = std::max(parameters_.centring_floor, needed)});
}

// Recurrences save reads; near the end, and before a claim, everything is computed afresh.
void ElasticNewton::evaluate(const RowSelection& rows, const Vector& x, double eps) {
  if (!fresh_ && (refine_ || converged(x, eps))) residuals(rows, x);
  fresh_ = false;
  rp_ = a_ + pairs_.s - pairs_.v;
  mu_ = pairs_.mu();
}

double ElasticNewton::merit(const Vector& x) const {
  return model_.certified_gap(x, pairs_.lambda, a_, constraints_, caps_, rd_) + rd_.norm() + rp_.norm() + re_.norm();
}

struct ElasticNewton::OnRows {
  ElasticNewton& newton;
  const RowSelection& rows;
  double eps;
  Vector& x;

  void evaluate() { newton.evaluate(rows, x, eps); }
  bool factorize() {
    if (!newton.factorize(rows, x)) return false;
    ++newton.steps_;
    return true;
  }
  bool predict() { return newton.predict(rows, x); }
  double centring() { return newton.choose_centring(x, eps); }
  bool correct(double sigma) { return newton.correct(rows, x, sigma); }
  bool move() {
    const double longest = newton.pairs_.longest(newton.corrector_).shorter();
    newton.step(newton.corrector_, interior::damped_where_stopped(longest, newton.parameters_.boundary_fraction), x);
    return true;
  }
};

void ElasticNewton::scale_rows(const WorkingRows& working, const Vector& x) {
  caps_.resize(0);
  resize(working.rows.size());
  scale_ = Vector::Ones(a_.size());
  scale_.head(rows_count_) = working.norms.unaryExpr([](double norm) { return norm > 0.0 ? 1.0 / norm : 1.0; });
  a_.head(rows_count_) = working.values.cwiseProduct(scale_.head(rows_count_));
  model_.coordinates.values(x, a_.tail(a_.size() - rows_count_));
  if (working.caps != nullptr) caps_ = working.caps->cwiseQuotient(scale_.head(rows_count_));
  widths_.resize(0);
  if (working.widths != nullptr) widths_ = working.widths->cwiseProduct(scale_.head(rows_count_));
}

bool ElasticNewton::solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) {
  const RowSelection& rows = working.rows;
  scale_rows(working, x);
  start(x);
  if (y_.size() == 0) y_ = Vector::Zero(model_.E.rows());
  residuals(rows, x);
  refine_ = false;
  fresh_ = true;
  bool done = false;
  double best = kInfinity;
  Index since_best = 0;
  const Index last = steps_ + parameters_.max_steps;
  OnRows engine{*this, rows, eps, x};
  follow_path(engine, [&] {
    done = converged(x, eps);
    const double now = merit(x);
    since_best = now < parameters_.progress * best ? 0 : since_best + 1;
    best = std::min(best, now);
    return exhausted() || done || since_best > parameters_.patience || steps_ >= last || stop();
  });
  row_multipliers_ = pairs_.lambda.head(rows_count_).cwiseProduct(scale_.head(rows_count_));
  row_values_ = a_.head(rows_count_).cwiseQuotient(scale_.head(rows_count_));
  equality_multipliers_ = y_;
  return done;
}

}  // namespace pliant
