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
  for (Vector* v : {&a_, &rp_, &weight_, &b_, &correction_s_, &correction_v_, &targets_v_, &work_, &slopes_})
    v->resize(k);
  pairs_.resize(k);
  for (Direction* d : {&predictor_, &corrector_}) {
    d->x.resize(n);
    d->resize_pairs(k);
    d->rows.resize(k);
    d->ceiling.setZero(border_.exists() ? k : 0);
  }
  const Index columns = border_.exists() ? 3 : 2;
  weights_.resize(k, columns);
  rhs_.resize(n, columns);
  for (Vector* v : {&residual_, &right_hand_side_, &work_x_, &work_y_, &product_}) v->resize(n);
  more_y_.resize(model_.E.rows());
  no_curvature_.setZero(rows);
  kept_.resize(n, n);
  equality_side_.setZero(model_.E.rows());
  set_ceilings();
}

void ElasticNewton::set_ceilings() {
  pairs_.ceiling.head(constraints_).setConstant(xi_);
  pairs_.ceiling.tail(pairs_.size() - constraints_).setConstant(model_.coordinates.l1_weight());
  for (Index i = 0; i < caps_.size(); ++i) {
    if (soft(i)) pairs_.ceiling[i] = border_.exists() ? border_.theta() * caps_[i] : caps_[i];
  }
}

const Vector& ElasticNewton::prices() const {
  if (!border_.exists()) return caps_;
  prices_ = caps_.unaryExpr([&](double cap) { return cap < kInfinity ? border_.theta() * cap : cap; });
  return prices_;
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

double ElasticNewton::objective(const Vector& x) const {
  product_.noalias() = model_.P * x;
  double prices = 0.0;
  for (Index i = 0; i < caps_.size() && !border_.exists(); ++i) {
    if (soft(i)) prices += caps_[i] * std::max(a_[i], 0.0);
  }
  return 0.5 * x.dot(product_) + model_.q.dot(x) + model_.constant + prices;
}

double ElasticNewton::certified_gap(const Vector& x) const {
  const double gap = model_.certified_gap(x, pairs_.lambda, a_, constraints_, prices(), rd_);
  return border_.exists() ? gap + border_.theta() * std::abs(border_.excess(x, a_, caps_)) : gap;
}

bool ElasticNewton::converged(const Vector& x, double eps) const {
  if (border_.exists() && border_.excess(x, a_, caps_) > eps * border_.size(x)) return false;
  return hardest_violation() <= eps && (re_.size() == 0 || re_.lpNorm<Eigen::Infinity>() <= eps) &&
         rd_.lpNorm<Eigen::Infinity>() <= eps * (1.0 + model_.q.lpNorm<Eigen::Infinity>()) &&
         certified_gap(x) <= eps * (1.0 + std::abs(objective(x)));
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
  if (border_.exists()) {
    weights_.col(2) = border_.weigh(pairs_, caps_, weight_);
    rhs_.col(2) = border_.gradient();
  }
  H_ = model_.P;
  const Index tail = k - rows_count_;
  for (Index j = 0; j < rhs_.cols(); ++j) model_.coordinates.add_transposed(weights_.col(j).tail(tail), rhs_.col(j));
  model_.coordinates.add_diagonal(weight_.tail(tail), H_);
  const auto scale = scale_.head(rows_count_);
  weights_.topRows(rows_count_).array().colwise() *= scale.array();
  work_.head(rows_count_) = weight_.head(rows_count_).cwiseProduct(scale.cwiseAbs2());
  rows.add_weighted_derivatives(x, weights_.topRows(rows_count_), no_curvature_, work_.head(rows_count_), rhs_, H_);
  // Where the weights are large the condensed matrix has lost the digits that make G'dlambda consistent with dx.
  refine_ = k > 0 && weight_.maxCoeff() > parameters_.trusted_weight * (1.0 + model_.P.diagonal().maxCoeff());
  return factorize_with_ridge() && (!border_.exists() || border_.eliminate(kkt_, rhs_.col(2)));
}

// Near the end weights of rows are 1e12 and more. A ridge relative to these would exceed the curvature of the objective,
// which is all there is along directions that the rows at their kinks leave free: steps along them would come to nothing.
bool ElasticNewton::factorize_with_ridge() {
  const auto n = static_cast<double>(H_.rows());
  const double mean = H_.trace() / n, usual = parameters_.ridge * mean;
  const double own = parameters_.ridge_of_curvature * model_.P.trace() / n;
  ridge_ = own > 0.0 ? std::clamp(own, parameters_.least_ridge * mean, usual) : usual;
  const bool less = ridge_ < usual;
  if (less) kept_ = H_;
  H_.diagonal().array() += ridge_;
  if (kkt_.factorize(H_)) return true;
  if (!less) return false;
  ridge_ = usual;
  H_ = kept_;
  H_.diagonal().array() += ridge_;
  return kkt_.factorize(H_);
}

bool ElasticNewton::solve_for(ConstVectorRef side, double target, Direction& d) {
  right_hand_side_ = side;
  equality_side_ = -re_;
  if (!kkt_.solve(right_hand_side_, equality_side_, d.x, d.y)) return false;
  if (!border_.exists()) return true;
  border_.set_side(pairs_, caps_, weight_, b_, target, targets_v_);
  d.theta = border_.complete(d.x, d.y);
  return std::isfinite(d.theta) && d.x.allFinite() && d.y.allFinite();
}

void ElasticNewton::row_direction(Index i, double target_s, double target_v, Direction& d) const {
  d.lambda[i] = weight_[i] * (d.rows[i] + b_[i]);
  if (border_.exists()) {
    d.lambda[i] += weight_[i] * border_.slope_of_row(i) * d.theta;
    d.ceiling[i] = soft(i) ? caps_[i] * d.theta : 0.0;
  }
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
  if (border_.exists()) residual_ -= d.theta * border_.column();
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
  if (border_.exists()) d.theta += border_.complete_refined(d.x, d.theta, work_x_, more_y_);
  d.x += work_x_;
  d.y += more_y_;
  return std::isfinite(d.theta) && d.x.allFinite();
}

// The predictor, and in the same read what its second-order terms add to the corrector's right-hand side (work_y_).
bool ElasticNewton::predict(const RowSelection& rows, const Vector& x) {
  Direction& d = predictor_;
  targets_v_.setZero();
  if (!solve_for(rhs_.col(0), 0.0, d)) return false;
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
  if (border_.exists()) border_.set_step(d.theta, 0.0);
  return true;
}

bool ElasticNewton::correct(const RowSelection& rows, const Vector& x, double centring) {
  Direction& d = corrector_;
  const double target = centring * mu_;
  const auto room = pairs_.ceiling.array() - pairs_.lambda.array();
  b_.array() += (target - correction_s_.array()) / pairs_.lambda.array() - (target + correction_v_.array()) / room;
  work_x_ = rhs_.col(0) + target * rhs_.col(1) + work_y_;
  targets_v_ = correction_v_.array() + target;
  const double cap = parameters_.correction_cap * mu_;
  const double border_target = border_.exists() ? target - std::clamp(border_.second_order(), -cap, cap) : 0.0;
  if (!solve_for(work_x_, border_target, d)) return false;
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
  if (border_.exists()) border_.set_step(d.theta, border_target);
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
  if (border_.exists()) border_.move(length);
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
  if (border_.exists()) rd_ += border_.theta() * border_.gradient();
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
  if (pairs_.size() == 0) return 0.0;
  const double pairs = 2.0 * static_cast<double>(pairs_.size());
  const double needed = parameters_.gap_share * eps * (1.0 + std::abs(objective(x))) / (pairs * mu_);
  double longest = pairs_.longest(predictor_).shorter();
  if (border_.exists()) longest = std::min(longest, border_.longest());
  const double reached = pairs_.mu_after(predictor_, {longest, longest});
  return interior::centring(reached / mu_, {.least = std::max(parameters_.centring_floor, needed)});
}

// Recurrences save reads; near the end, and before a claim, everything is computed afresh.
void ElasticNewton::evaluate(const RowSelection& rows, const Vector& x, double eps) {
  if (!fresh_ && (refine_ || converged(x, eps))) residuals(rows, x);
  fresh_ = false;
  rp_ = a_ + pairs_.s - pairs_.v;
  mu_ = pairs_.mu();
  if (border_.exists()) border_.measure(x, pairs_, caps_);
}

double ElasticNewton::merit(const Vector& x) const { return certified_gap(x) + rd_.norm() + rp_.norm() + re_.norm(); }

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
    double longest = newton.pairs_.longest(newton.corrector_).shorter();
    if (newton.border_.exists()) longest = std::min(longest, newton.border_.longest());
    newton.step(newton.corrector_, interior::damped_where_stopped(longest, newton.parameters_.boundary_fraction), x);
    return true;
  }
};

void ElasticNewton::scale_rows(const WorkingRows& working, const Vector& x) {
  caps_.resize(0);
  border_.begin(working.budget);
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
  if (y_.size() == 0 || !y_.allFinite()) y_ = Vector::Zero(model_.E.rows());
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
