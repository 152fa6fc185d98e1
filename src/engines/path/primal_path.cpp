#include "engines/path/primal_path.hpp"

#include "linalg/dense_kkt.hpp"
#include "linalg/orthogonal_factor.hpp"
#include "softplus/softplus.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Products sigma (1 - sigma) below this do not change a sum of ordinary ones.
constexpr double kNoCurvature = 1e-16;

}  // namespace

PrimalPath::PrimalPath(const PathModel& model, ConstraintSystem& system, PrimalPathParameters parameters)
    : model_(model), parameters_(parameters), kkt_(std::make_unique<DenseKkt>(model.E)), near_(system) {}

// The gradient's size at the boundary, sqrt(|g|^2 + 2 L |a|) at most for a smooth convex row, is what turns values
// into distances; it does not vanish where the gradient at x happens to.
void PrimalPath::scale_rows(const WorkingRows& working) {
  rows_count_ = working.rows.size();
  constraints_ = rows_count_ + model_.coordinates.bounds();
  const Index k = rows_count_ + model_.coordinates.size();
  scale_ = Vector::Ones(k);
  for (Index i = 0; i < rows_count_; ++i) {
    const double L = std::isfinite(working.smoothness[i]) ? working.smoothness[i] : 0.0;
    const double size = std::sqrt(std::pow(working.norms[i], 2) + 2.0 * L * std::abs(working.values[i]));
    if (size > 0.0) scale_[i] = 1.0 / size;
  }
  for (Vector* v : {&a_, &sigma_, &slopes_, &lambda_, &trial_a_, &trial_slope_, &ceiling_}) v->setZero(k);
  a_.head(rows_count_) = working.values.cwiseProduct(scale_.head(rows_count_));
}

// At first delta is the typical distance to the rows and xi the size of the gradient within it; later delta is what the
// worst violation asks for.
void PrimalPath::start(const WorkingRows& working, double eps, Vector& x) {
  scale_rows(working);
  const Index tail = a_.size() - rows_count_;
  if (y_.size() != model_.E.rows()) y_ = Vector::Zero(model_.E.rows());
  if (model_.E.rows() > 0) {  // onto the equalities, where the path stays
    const Vector off = model_.e - model_.E * x;
    if (off.lpNorm<Eigen::Infinity>() > 1e-14 * (1.0 + model_.e.lpNorm<Eigen::Infinity>())) {
      x += OrthogonalFactor(model_.E).solve(off);
      working.rows.values(x, a_.head(rows_count_));
      a_.head(rows_count_).array() *= scale_.head(rows_count_).array();
    }
  }
  model_.coordinates.values(x, a_.tail(tail));
  const double worst = constraints_ > 0 ? std::max(0.0, a_.head(constraints_).maxCoeff()) : 0.0;
  if (first_delta_ == 0.0) {
    Vector gradient = model_.l2 * x;
    model_.problem.add_smooth_gradient(x, gradient);
    const double mean = a_.cwiseAbs().mean();
    first_delta_ = std::max(mean, 1e-3 * (1.0 + x.lpNorm<Eigen::Infinity>()));
    smooth_hessian(x);
    xi_ = std::max(gradient.norm(), first_delta_ * H_.diagonal().mean());
    if (!(xi_ > 0.0)) xi_ = 1.0;  // no objective: any penalty will do
    delta_ = first_delta_;
  } else {
    delta_ = std::clamp(std::max(parameters_.restart * worst, delta_), 1e-2 * eps, first_delta_);
  }
  ceiling_.head(constraints_).setConstant(xi_);
  ceiling_.tail(a_.size() - constraints_).setConstant(model_.coordinates.l1_weight());
}

void PrimalPath::select_near(const RowSelection& rows, double threshold) {
  std::vector<Index> chosen;
  near_positions_.clear();
  Index group = 1;
  for (Index first = 0; first < rows_count_; first += group) {
    if (rows.has_cones()) group = rows.group(first);
    bool far = true;
    for (Index i = first; i < first + group; ++i) far = far && a_[i] <= threshold && lambda_[i] == 0.0;
    for (Index i = first; i < first + group && !far; ++i) {
      near_positions_.push_back(i);
      chosen.push_back(rows.rows()[static_cast<std::size_t>(i)]);
    }
  }
  near_.select(std::move(chosen));
}

void PrimalPath::add_derivatives(const Vector& x, const Matrix& weights, const Vector& curvature, const Vector& outer,
                                 Matrix& gradients) {
  const Index near = near_.size();
  const Index tail = a_.size() - rows_count_;
  Matrix w(near, weights.cols());
  Vector c(near), o(near);
  for (Index k = 0; k < near; ++k) {
    const Index i = near_positions_[static_cast<std::size_t>(k)];
    w.row(k) = weights.row(i) * scale_[i];
    c[k] = curvature[i] * scale_[i];
    o[k] = outer[i] * scale_[i] * scale_[i];
  }
  for (Index j = 0; j < weights.cols(); ++j) {
    model_.coordinates.add_transposed(weights.col(j).tail(tail), gradients.col(j));
  }
  near_.add_weighted_derivatives(x, w, c, o, gradients, H_);
  model_.coordinates.add_diagonal(outer.tail(tail), H_);
}

void PrimalPath::smooth_hessian(const Vector& x) {
  H_.setZero(x.size(), x.size());
  model_.problem.add_smooth_hessian(x, H_);
  H_.diagonal().array() += model_.l2;
}

bool PrimalPath::differentiate(const RowSelection& rows, const Vector& x) {
  const Index n = x.size();
  const Index k = a_.size();
  lambda_.setZero();
  select_near(rows, -parameters_.near * delta_);
  Matrix weights(k, 2);
  Vector curvature(k), outer(k);
  for (Index i = 0; i < k; ++i) {
    sigma_[i] = penalty::sigmoid(a_[i] / delta_);
    const double product = sigma_[i] * penalty::sigmoid(-a_[i] / delta_);
    lambda_[i] = ceiling_[i] * sigma_[i];
    curvature[i] = lambda_[i];
    outer[i] = product > kNoCurvature ? ceiling_[i] / delta_ * product : 0.0;
    weights(i, 0) = lambda_[i];
    weights(i, 1) = outer[i] * a_[i] / delta_;
  }
  Matrix gradients = Matrix::Zero(n, 2);
  gradients.col(0) = model_.l2 * x;
  model_.problem.add_smooth_gradient(x, gradients.col(0));
  smooth_hessian(x);
  add_derivatives(x, weights, curvature, outer, gradients);
  H_.diagonal().array() += parameters_.ridge * H_.trace() / static_cast<double>(n);
  if (!kkt_->factorize(H_)) return false;
  gradient_ = gradients.col(0);
  const Vector no_change = Vector::Zero(model_.E.rows());
  kkt_->solve(-gradient_, no_change, direction_, y_);
  kkt_->solve(gradients.col(1), tangent_);
  return direction_.allFinite() && tangent_.allFinite();
}

// Bisection, by decades first, on the slope of Phi(x + t d), inside the domain of F; steps longer than 1 are tried
// while it still falls.
double PrimalPath::search(RowSelection& rows, const Vector& x, const Vector& d, double decrement) {
  const Index tail = a_.size() - rows_count_;
  rows.prepare_line(x, d);
  model_.coordinates.slopes(d, slopes_.tail(tail));
  const Vector start = a_.tail(tail);
  const auto values = [&](double t) {
    rows.line_values(t, trial_a_.head(rows_count_), trial_slope_.head(rows_count_));
    trial_a_.head(rows_count_).array() *= scale_.head(rows_count_).array();
    trial_slope_.head(rows_count_).array() *= scale_.head(rows_count_).array();
    trial_a_.tail(tail) = start + t * slopes_.tail(tail);
    trial_slope_.tail(tail) = slopes_.tail(tail);
  };
  model_.problem.prepare_smooth_line(x, d, line_);
  const double xd = model_.l2 * x.dot(d), dd = model_.l2 * d.squaredNorm();
  double t = std::min(1.0, parameters_.domain_fraction * line_.max_step), low = 0.0, high = kInfinity;
  for (Index k = 0; k < parameters_.line_steps; ++k) {
    values(t);
    double slope = model_.problem.smooth_line(line_, t).slope + xd + t * dd;
    for (Index i = 0; i < a_.size(); ++i)
      slope += ceiling_[i] * penalty::sigmoid(trial_a_[i] / delta_) * trial_slope_[i];
    if (std::abs(slope) <= parameters_.line_slope * decrement || t > 100.0) break;
    (slope > 0.0 ? high : low) = t;
    if (!std::isfinite(high)) {
      t = std::min(2.0 * t, 0.5 * (t + line_.max_step));
    } else if (low < 0.1 * high) {  // a nearly singular Hessian makes steps that are too long by many decades
      t = low > 0.0 ? std::sqrt(low * high) : 0.1 * high;
    } else {
      t = 0.5 * (low + high);
    }
  }
  values(t);
  a_ = trial_a_;
  return t;
}

PrimalPath::Newton PrimalPath::minimize(RowSelection& rows, Vector& x, FunctionRef<bool()> stop) {
  double previous = kInfinity;
  Index shrinking = 0;
  for (Index k = 0;; ++k) {
    if (!differentiate(rows, x)) return Newton::singular;
    const double decrement = -gradient_.dot(direction_);
    // Relative to the multipliers there are: xi may be larger by decades, and would leave them undetermined.
    const double size = std::max(lambda_.maxCoeff(), parameters_.least_share * xi_);
    if (decrement <= decrement_ * size * delta_) return Newton::converged;
    // Near the limit of the arithmetic the decrement stops falling: as good as it gets.
    shrinking = decrement > 0.5 * previous ? shrinking + 1 : 0;
    if (k >= parameters_.stage_steps || shrinking > 20) return Newton::stuck;
    previous = decrement;
    if (stop()) return Newton::stopped;
    ++steps_;
    x += search(rows, x, direction_, decrement) * direction_;
  }
}

void PrimalPath::move(RowSelection& rows, Vector& x, const Vector& d) {
  const Index tail = a_.size() - rows_count_;
  rows.prepare_line(x, d);
  rows.line_values(0.0, trial_a_.head(rows_count_), slopes_.head(rows_count_));
  slopes_.head(rows_count_).array() *= scale_.head(rows_count_).array();
  rows.line_values(1.0, a_.head(rows_count_), trial_slope_.head(rows_count_));
  a_.head(rows_count_).array() *= scale_.head(rows_count_).array();
  model_.coordinates.slopes(d, slopes_.tail(tail));
  x += d;
  model_.coordinates.values(x, a_.tail(tail));
}

// Violations in original units, the gap relative to the objective.
bool PrimalPath::accurate(const Vector& x, const Vector& lambda, const Vector& r, double eps, double& merit,
                          double cone_product) const {
  double violation = 0.0;
  for (Index i = 0; i < constraints_; ++i) violation = std::max(violation, a_[i] / scale_[i]);
  const double gap = model_.certified_gap(x, lambda, a_, constraints_, r) + std::abs(cone_product);
  merit = std::max(violation, gap / (1.0 + std::abs(model_.problem.objective(x))));
  return std::isfinite(merit) && merit <= eps;
}

// Mean diagonal of Hess F + sum lambda_i Hess a_i. Weights are measured by it: with xi/delta instead, the ridge of the
// factorisation would drown the curvature of a flat objective.
double PrimalPath::lagrangian_curvature(const RowSelection& rows, const Vector& x) {
  smooth_hessian(x);
  if (!model_.linear_rows) {
    select_near(rows, 0.0);
    Matrix gradients = Matrix::Zero(x.size(), 1);
    add_derivatives(x, Matrix::Zero(a_.size(), 1), lambda_, Vector::Zero(a_.size()), gradients);
  }
  return H_.diagonal().mean();
}

bool PrimalPath::polish(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop) {
  const Index n = x.size();
  const Index k = a_.size();
  if (curvature_ < 0.0) curvature_ = lagrangian_curvature(rows, x);  // a size: once per solve is enough
  const double weight = curvature_ > 0.0 ? parameters_.polish_weight * curvature_ : xi_ / delta_;
  double best = kInfinity;
  Index in_vain = 0;
  Vector before_outer = Vector::Zero(k);
  for (Index round = 0;; ++round) {
    Matrix weights(k, 2);
    Vector outer(k);
    select_near(rows, 0.0);
    const double small = parameters_.small_multiplier * lambda_.maxCoeff();
    for (Index i = 0; i < k; ++i) {
      const bool violated = i < constraints_ && a_[i] > 0.0;
      const bool active = violated || (lambda_[i] > small && lambda_[i] < ceiling_[i] - small);
      outer[i] = active ? weight : 0.0;
      weights(i, 0) = lambda_[i];
      weights(i, 1) = outer[i] * a_[i];
    }
    Matrix gradients = Matrix::Zero(n, 2);
    gradients.col(0) = model_.l2 * x;
    model_.problem.add_smooth_gradient(x, gradients.col(0));
    smooth_hessian(x);
    add_derivatives(x, weights, lambda_, outer, gradients);
    const Vector residual = gradients.col(0) + model_.E.transpose() * y_;
    double merit = 0.0;
    if (accurate(x, lambda_, residual, eps, merit)) return true;
    // A full step trades residual for the rows' second-order terms once, and other active rows are another system:
    // two rounds in vain on the same rows end it.
    in_vain = merit < 0.3 * best || outer != before_outer ? 0 : in_vain + 1;
    before_outer = outer;
    if (round >= parameters_.polish_steps || in_vain > 1 || !std::isfinite(merit) || stop()) return false;
    best = std::min(best, merit);
    ++steps_;
    H_.diagonal().array() += parameters_.ridge * H_.trace() / static_cast<double>(n);
    if (!kkt_->factorize(H_)) return false;
    const Vector before = a_;
    kkt_->solve(-gradients.rowwise().sum(), model_.e - model_.E * x, direction_, y_);
    if (!direction_.allFinite() || model_.problem.max_step(x, direction_) <= 1.0) return false;
    move(rows, x, direction_);
    for (Index i = 0; i < k; ++i) {
      lambda_[i] = std::clamp(lambda_[i] + outer[i] * (before[i] + slopes_[i]), 0.0, ceiling_[i]);
    }
  }
}

// x(next) = x + (next - delta) x', shortened where the objective's domain ends.
void PrimalPath::predict(RowSelection& rows, Vector& x, double next) {
  const Vector step = (next - delta_) * tangent_;
  const double room = parameters_.domain_fraction * model_.problem.max_step(x, step);
  move(rows, x, room < 1.0 ? Vector(0.5 * room * step) : step);
}

bool PrimalPath::simple_cones(const RowSelection& rows) const {
  const double small = parameters_.small_multiplier * lambda_.maxCoeff();
  Index group = 1;
  for (Index first = 0; first < rows_count_; first += group) {
    group = rows.group(first);
    if (group > 1 && (lambda_.segment(first, group).array() > small).count() > 1) return false;
  }
  return true;
}

bool PrimalPath::accurate_with_cones(const RowSelection& rows, const Vector& x, const Vector& z, double eps) {
  Vector lambda = lambda_;
  rows.clear_cones(lambda.head(rows_count_));
  Vector r = model_.l2 * x;
  model_.problem.add_smooth_gradient(x, r);
  const double product = rows.add_dual_points(x, z, r);
  const Index tail = a_.size() - rows_count_;
  rows.add_weighted_gradient(x, lambda.head(rows_count_).cwiseProduct(scale_.head(rows_count_)), r);
  model_.coordinates.add_transposed(lambda.tail(tail), r);
  if (model_.E.rows() > 0) {  // multipliers of equalities are free: the best there are
    y_ = OrthogonalFactor(model_.E.transpose()).solve(-r);
    r += model_.E.transpose() * y_;
  }
  double merit = 0.0;
  return accurate(x, lambda, r, eps, merit, product);
}

// x_e = x + dx - delta x', lambda_e = lambda + (xi/delta) sigma (1 - sigma) (J (dx - delta x') + a).
bool PrimalPath::extrapolate_and_polish(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop) {
  const Vector before = a_, on_path = x, lambda = lambda_;
  const Vector step = direction_ - delta_ * tangent_;
  if (model_.problem.max_step(x, step) <= 1.0) return false;
  move(rows, x, step);
  Vector outer(a_.size());
  for (Index i = 0; i < a_.size(); ++i) {
    outer[i] = ceiling_[i] / delta_ * sigma_[i] * penalty::sigmoid(-before[i] / delta_);
    lambda_[i] = std::clamp(lambda_[i] + outer[i] * (slopes_[i] + before[i]), 0.0, ceiling_[i]);
    if (before[i] < -parameters_.near * delta_) lambda_[i] = 0.0;
  }
  if (rows.has_cones()) {
    const auto scale = scale_.head(rows_count_);
    extrapolated_ = rows.dual_points_along(lambda.head(rows_count_).cwiseProduct(scale),
                                           outer.head(rows_count_).cwiseProduct(scale.cwiseAbs2()),
                                           before.head(rows_count_).cwiseQuotient(scale));
    if (accurate_with_cones(rows, x, extrapolated_, eps)) return true;
    extrapolated_.resize(0);
  }
  if ((!rows.has_cones() || simple_cones(rows)) && polish(rows, eps, x, stop)) return true;
  x = on_path;
  a_ = before;
  lambda_ = lambda;
  return false;
}

void PrimalPath::restart(RowSelection& rows, const Vector& start, Vector& x) {
  x = start;
  rows.values(x, a_.head(rows_count_));
  a_.head(rows_count_).array() *= scale_.head(rows_count_).array();
  model_.coordinates.values(x, a_.tail(a_.size() - rows_count_));
  xi_ *= parameters_.runaway_growth;
  ceiling_.head(constraints_).setConstant(xi_);
  delta_ = first_delta_;
}

void PrimalPath::widen(double delta) { delta_ = std::min(std::max(delta, delta_), first_delta_); }

void PrimalPath::keep(const RowSelection& rows, const Vector& x) {
  row_multipliers_ = lambda_.head(rows_count_).cwiseProduct(scale_.head(rows_count_));
  dual_points_ = extrapolated_.size() > 0 || !rows.has_cones() ? extrapolated_ : rows.dual_points(x, row_multipliers_);
  row_values_ = a_.head(rows_count_).cwiseQuotient(scale_.head(rows_count_));
  equality_multipliers_ = y_;
}

bool PrimalPath::solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) {
  RowSelection& rows = working.rows;
  start(working, eps, x);
  decrement_ = parameters_.decrement;
  curvature_ = -1.0;
  extrapolated_.resize(0);
  const double smallest = std::max(parameters_.floor * first_delta_, 1e-4 * eps * first_delta_);
  const Vector begin = x;
  bool done = false;
  Index widened = 0, runaways = 0;
  while (true) {
    const Newton end = minimize(rows, x, stop);
    if (end == Newton::stopped) break;
    // A linear objective falls for ever where the penalty is too small for it.
    const double size = x.lpNorm<Eigen::Infinity>();
    if (!(size <= parameters_.runaway * (1.0 + begin.lpNorm<Eigen::Infinity>())) &&
        runaways < parameters_.most_runaways && !exhausted()) {
      restart(rows, begin, x);
      ++runaways;
      continue;
    }
    // No row near enough to bend a linear objective: only a larger delta feels the rows again.
    if (end == Newton::singular && widened < parameters_.most_widenings && delta_ < first_delta_) {
      widen(100.0 * delta_);
      ++widened;
      continue;
    }
    if (end == Newton::singular && tangent_.size() == 0)
      break;  // not one derivative could be had: nothing to go on from
    double merit = 0.0;
    done = accurate(x, lambda_, gradient_ + model_.E.transpose() * y_, eps, merit);
    if (done) break;
    const bool violated = constraints_ > 0 && a_.head(constraints_).maxCoeff() > parameters_.raise_above * delta_;
    if (end == Newton::converged && violated && delta_ <= 0.1 * first_delta_ && !exhausted()) {
      xi_ *= parameters_.xi_growth;
      ceiling_.head(constraints_).setConstant(xi_);
      widen(parameters_.restart * a_.head(constraints_).maxCoeff());  // x is far from the new path
      continue;
    }
    if (delta_ <= parameters_.polish_from * std::sqrt(eps) * first_delta_) {
      done = extrapolate_and_polish(rows, eps, x, stop);
      if (done) break;
      // Rows with small multipliers are not told apart yet: look closer from now on.
      decrement_ = std::max(0.1 * decrement_, parameters_.least_decrement);
    }
    if (delta_ <= smallest || exhausted()) break;
    const double next = std::max(parameters_.reduction * delta_, smallest);
    predict(rows, x, next);
    delta_ = next;
  }
  keep(rows, x);
  return done;
}

}  // namespace pliant
