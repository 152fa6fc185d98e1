// Newton's method at fixed delta: derivatives, line search, moves.
#include "engines/path/primal_path.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

void PrimalPath::select_near(const RowSelection& rows, double threshold) {
  near_positions_.clear();
  Index group = 1;
  for (Index first = 0; first < rows_count_; first += group) {
    if (rows.has_cones()) group = rows.group(first);
    bool far = true;
    for (Index i = first; i < first + group; ++i) far = far && a_[i] <= threshold && lambda_[i] == 0.0;
    for (Index i = first; i < first + group && !far; ++i) near_positions_.push_back(i);
  }
  near_.select(rows, near_positions_);
}

void PrimalPath::add_derivatives(const Vector& x) {
  const Index near = near_.size();
  const Index tail = a_.size() - rows_count_;
  for (Index k = 0; k < near; ++k) {
    const Index i = near_positions_[static_cast<std::size_t>(k)];
    near_weights_.row(k) = weights_.row(i) * scale_[i];
    near_curvature_[k] = curvature_weights_[i] * scale_[i];
    near_outer_[k] = outer_[i] * scale_[i] * scale_[i];
  }
  for (Index j = 0; j < weights_.cols(); ++j) {
    model_.coordinates.add_transposed(weights_.col(j).tail(tail), gradients_.col(j));
  }
  near_.add_weighted_derivatives(x, near_weights_.topRows(near), near_curvature_.head(near), near_outer_.head(near),
                                 gradients_, H_);
  model_.coordinates.add_diagonal(outer_.tail(tail), H_);
}

void PrimalPath::smooth_gradient(const Vector& x) {
  gradients_.setZero();
  gradients_.col(0) = model_.l2 * x;
  model_.problem.add_smooth_gradient(x, gradients_.col(0));
}

void PrimalPath::smooth_hessian(const Vector& x) {
  H_.setZero(x.size(), x.size());
  model_.problem.add_smooth_hessian(x, H_);
  H_.diagonal().array() += model_.l2;
}

bool PrimalPath::factorize(Index n) {
  H_.diagonal().array() += parameters_.ridge * H_.trace() / static_cast<double>(n);
  return kkt_->factorize(H_);
}

// Gradient xi sigma_i; curvature xi sigma_i; outer product (xi/delta) sigma_i (1 - sigma_i); tangent that times
// a_i/delta.
void PrimalPath::weigh_rows(Index first, Index count) {
  for (Index i = first; i < first + count; ++i) {
    sigma_[i] = penalty::sigmoid(a_[i] / delta_);
    const double product = sigma_[i] * penalty::sigmoid(-a_[i] / delta_);
    lambda_[i] = ceiling_[i] * sigma_[i];
    outer_[i] = product > penalty::kLeastWeight ? ceiling_[i] / delta_ * product : 0.0;
    weights_(i, 0) = lambda_[i];
    weights_(i, 1) = outer_[i] * a_[i] / delta_;
    curvature_weights_[i] = lambda_[i];
  }
}

void PrimalPath::differentiate(const RowSelection& rows, const Vector& x) {
  lambda_.setZero();
  select_near(rows, -parameters_.near * delta_);
  weigh_rows(0, a_.size());
  smooth_gradient(x);
  smooth_hessian(x);
  add_derivatives(x);
}

void PrimalPath::read_anew(RowSelection& rows, const Vector& x) {
  const Index tail = a_.size() - rows_count_;
  smooth_gradient(x);
  smooth_hessian(x);
  model_.coordinates.values(x, a_.tail(tail));
  weigh_rows(rows_count_, tail);
  const auto weigh = [&](Index first, Index count) {
    for (Index k = first; k < first + count; ++k) {
      const Index i = awake_position(k);
      a_[i] = near_a_[k] * scale_[i];
      weigh_rows(i, 1);
      const double scale = a_[i] > -parameters_.near * delta_ ? scale_[i] : 0.0;
      near_weights_.row(k) = weights_.row(i) * scale;
      near_curvature_[k] = curvature_weights_[i] * scale;
      near_outer_[k] = outer_[i] * scale * scale;
    }
  };
  const Index count = awake_count();
  rows.sweep_derivatives(x, near_a_.head(count), weigh, near_weights_.topRows(count), near_curvature_.head(count),
                         near_outer_.head(count), gradients_, H_);
  for (Index j = 0; j < weights_.cols(); ++j) {
    model_.coordinates.add_transposed(weights_.col(j).tail(tail), gradients_.col(j));
  }
  model_.coordinates.add_diagonal(outer_.tail(tail), H_);
}

bool PrimalPath::solve_for_direction(Index n) {
  if (!factorize(n)) return false;
  gradient_ = gradients_.col(0);
  right_hand_side_ = -gradient_;
  equality_side_.setZero();
  kkt_->solve(right_hand_side_, equality_side_, direction_, y_);
  right_hand_side_ = gradients_.col(1);
  kkt_->solve(right_hand_side_, equality_side_, tangent_, unused_y_);
  return direction_.allFinite() && tangent_.allFinite();
}

void PrimalPath::values_along(const RowSelection& rows, double t) {
  const Index tail = a_.size() - rows_count_;
  const Index count = awake_count();
  rows.line_values(t, near_a_.head(count), near_slopes_.head(count));
  if (asleep_) {
    trial_a_.head(rows_count_) = a_.head(rows_count_);
    trial_slope_.head(rows_count_).setZero();
  }
  for (Index k = 0; k < count; ++k) {
    const Index i = awake_position(k);
    trial_a_[i] = scale_[i] * near_a_[k];
    trial_slope_[i] = scale_[i] * near_slopes_[k];
  }
  trial_a_.tail(tail) = a_.tail(tail) + t * slopes_.tail(tail);
  trial_slope_.tail(tail) = slopes_.tail(tail);
}

// d/dt Phi(x + t d) at the trial point.
double PrimalPath::slope_along(const Vector& x, const Vector& d, double t) {
  double slope = model_.problem.smooth_line(line_, t).slope + model_.l2 * x.dot(d) + t * (model_.l2 * d.squaredNorm());
  for (Index i = 0; i < a_.size(); ++i) {
    slope += ceiling_[i] * penalty::sigmoid(trial_a_[i] / delta_) * trial_slope_[i];
  }
  return slope;
}

bool PrimalPath::raises(const Vector& x, const Vector& d, double t, const Vector& a) {
  const double objective = model_.problem.smooth_line(line_, 0.0).value;
  double change = model_.problem.smooth_line(line_, t).value - objective;
  change += model_.l2 * t * (x.dot(d) + 0.5 * t * d.squaredNorm());
  for (Index i = 0; i < a.size(); ++i) {
    if (a[i] == before_[i]) continue;
    change += ceiling_[i] * (penalty::softplus(a[i], delta_) - penalty::softplus(before_[i], delta_));
  }
  return !(change <= parameters_.rounding * (1.0 + std::abs(objective)));
}

// Bisection, by decades first, on the slope of Phi(x + t d), inside the domain of F; steps longer than 1 are tried
// while it still falls. A rising slope may be small beside the decrement of a nearly singular Hessian and stand for a
// value far above the one at x.
double PrimalPath::search(RowSelection& rows, const Vector& x, const Vector& d, double decrement) {
  model_.coordinates.slopes(d, slopes_.tail(a_.size() - rows_count_));
  double t = first_trial(), low = 0.0, high = kInfinity;
  const double longest = longest_awake(x, d);
  for (Index k = 0; k < parameters_.line_steps; ++k) {
    values_along(rows, t);
    const double slope = slope_along(x, d, t);
    const bool flat = std::abs(slope) <= parameters_.line_slope * decrement;
    const bool rises = slope > 0.0;
    if (flat && !(rises && raises(x, d, t, trial_a_))) break;
    if (!rises && (t > parameters_.longest_line || t >= longest)) break;
    (rises ? high : low) = t;
    if (!std::isfinite(high)) {
      t = std::min({2.0 * t, 0.5 * (t + line_.max_step), longest});
    } else if (low < parameters_.line_decade * high) {
      // A nearly singular Hessian makes steps that are too long by many decades.
      t = low > 0.0 ? std::sqrt(low * high) : parameters_.line_decade * high;
    } else {
      t = 0.5 * (low + high);
    }
  }
  values_along(rows, t);
  a_ = trial_a_;
  return t;
}

bool PrimalPath::whole_step(RowSelection& rows, Vector& x, double decrement) {
  ahead_ = x + first_trial() * direction_;
  read_anew(rows, ahead_);
  const double slope = gradients_.col(0).dot(direction_);
  if (!(std::abs(slope) <= parameters_.line_slope * decrement)) return false;
  if (slope > 0.0 && raises(x, direction_, first_trial(), a_)) return false;
  x = ahead_;
  rows.stay();
  stays_ = true;
  return true;
}

PrimalPath::Newton PrimalPath::minimize(RowSelection& rows, Vector& x, FunctionRef<bool()> stop) {
  if (rows.mostly_cones()) {
    if (!read_ahead_) read_anew(rows, x);
    read_ahead_ = false;
    rows.stay();
    stays_ = true;
  }
  const Newton end = take_steps(rows, x, stop);
  wake(x);
  return end;
}

PrimalPath::Newton PrimalPath::take_steps(RowSelection& rows, Vector& x, FunctionRef<bool()> stop) {
  double previous = kInfinity;
  Index shrinking = 0;
  bool differentiated = rows.mostly_cones();
  for (Index k = 0;; ++k) {
    if (!differentiated) differentiate(rows, x);
    if (!solve_for_direction(x.size())) return Newton::singular;
    const double decrement = -gradient_.dot(direction_);
    // Relative to the multipliers there are: xi may be larger by decades, and would leave them undetermined.
    const double size = std::max(lambda_.maxCoeff(), parameters_.least_share * xi_);
    if (decrement <= decrement_ * size * delta_) return Newton::converged;
    // Near the limit of the arithmetic the decrement stops falling: as good as it gets.
    shrinking = decrement > parameters_.progress * previous ? shrinking + 1 : 0;
    if (k >= parameters_.stage_steps || shrinking > parameters_.patience) return Newton::stuck;
    previous = decrement;
    if (stop()) return Newton::stopped;
    ++steps_;
    model_.problem.prepare_smooth_line(x, direction_, line_);
    differentiated = take_step(rows, x, decrement);
  }
}

bool PrimalPath::take_step(RowSelection& rows, Vector& x, double decrement) {
  before_ = a_;
  if (!rows.mostly_cones()) {
    rows.prepare_line(x, direction_);
    x += search(rows, x, direction_, decrement) * direction_;
    return false;
  }
  RowSelection& awake = choose_awake(rows, x);
  if (whole_step(awake, x, decrement)) return true;
  if (stays_) {
    awake.prepare_line_between(x, direction_, first_trial());
  } else {
    awake.prepare_line(x, direction_);
  }
  model_.coordinates.values(x, a_.tail(a_.size() - rows_count_));
  const double t = search(awake, x, direction_, decrement);
  x += t * direction_;
  awake.stay_along(t);
  stays_ = true;
  return false;
}

void PrimalPath::move(RowSelection& rows, Vector& x, const Vector& d) {
  const Index tail = a_.size() - rows_count_;
  rows.prepare_line(x, d);
  rows.line_values(0.0, trial_a_.head(rows_count_), slopes_.head(rows_count_));
  scale_head(slopes_);
  rows.line_values(1.0, a_.head(rows_count_), trial_slope_.head(rows_count_));
  scale_head(a_);
  model_.coordinates.slopes(d, slopes_.tail(tail));
  x += d;
  model_.coordinates.values(x, a_.tail(tail));
}

}  // namespace pliant
