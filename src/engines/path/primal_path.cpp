#include "engines/path/primal_path.hpp"

#include "linalg/dense_kkt.hpp"
#include "linalg/orthogonal_factor.hpp"
#include "pliant/result.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

static_assert(Progress::kNear == penalty::kNoWeight, "reports count the rows that the penalty bends");

PrimalPath::PrimalPath(const PathModel& model, PrimalPathParameters parameters)
    : model_(model), parameters_(parameters), kkt_(std::make_unique<DenseKkt>(model.E)) {}

// The gradient's size at the boundary, sqrt(|g|^2 + 2 L |a|) at most for a smooth convex row, is what turns values
// into distances; it does not vanish where the gradient at x happens to. A quadratic row has 2 L a <= |g|^2 where it is
// violated and somewhere satisfied: more says that L is not the curvature between x and the boundary.
void PrimalPath::scale_rows(const WorkingRows& working) {
  rows_count_ = working.rows.size();
  constraints_ = rows_count_ + model_.coordinates.bounds();
  scale_ = Vector::Ones(rows_count_ + model_.coordinates.size());
  steady_.assign(static_cast<std::size_t>(rows_count_), false);
  for (Index i = 0; i < rows_count_; ++i) {
    steady_[static_cast<std::size_t>(i)] = working.smoothness[i] == 0.0;
    const double L = std::isfinite(working.smoothness[i]) ? working.smoothness[i] : 0.0;
    const double squared = std::pow(working.norms[i], 2), a = working.values[i];
    const double size = std::sqrt(squared + (a > 0.0 ? std::min(2.0 * L * a, squared) : 2.0 * L * -a));
    if (size > 0.0) scale_[i] = 1.0 / size;
  }
  caps_.resize(0);
  if (working.caps != nullptr) caps_ = working.caps->cwiseQuotient(scale_.head(rows_count_));
  a_.setZero(scale_.size());
  a_.head(rows_count_) = working.values.cwiseProduct(scale_.head(rows_count_));
}

void PrimalPath::size_memory(Index n) {
  const Index k = scale_.size();
  for (Vector* v :
       {&sigma_, &slopes_, &lambda_, &trial_a_, &trial_slope_, &ceiling_, &curvature_weights_, &outer_, &before_outer_,
        &near_curvature_, &near_outer_, &before_, &near_a_, &near_slopes_, &path_values_, &lambda_before_}) {
    v->setZero(k);
  }
  for (Matrix* w : {&weights_, &near_weights_}) w->setZero(k, 2);
  gradients_.setZero(n, 2);
  H_.setZero(n, n);
  for (Vector* v : {&right_hand_side_, &residual_, &step_, &on_path_}) v->setZero(n);
  equality_side_.setZero(model_.E.rows());
  near_positions_.reserve(static_cast<std::size_t>(rows_count_));
}

void PrimalPath::values_at(const RowSelection& rows, const Vector& x) {
  rows.values(x, a_.head(rows_count_));
  scale_head(a_);
  model_.coordinates.values(x, a_.tail(a_.size() - rows_count_));
}

// Onto the equalities, where the path stays.
void PrimalPath::project_onto_equalities(const WorkingRows& working, Vector& x) {
  if (y_.size() != model_.E.rows()) y_ = Vector::Zero(model_.E.rows());
  if (model_.E.rows() == 0) return;
  const Vector off = model_.e - model_.E * x;
  const double size = 1.0 + model_.e.lpNorm<Eigen::Infinity>();
  if (!(off.lpNorm<Eigen::Infinity>() > parameters_.off_equalities * size)) return;
  x += OrthogonalFactor(model_.E).solve(off);
  working.rows.values(x, a_.head(rows_count_));
  scale_head(a_);
}

namespace {

// The mean distance. A row that hardly depends on x is as good as infinitely far away and would speak for all: distances
// count up to so many times the median.
double typical(const Vector& a) {
  constexpr double kFarAway = 1e6;
  Vector sorted = a.cwiseAbs();
  const auto middle = sorted.begin() + sorted.size() / 2;
  std::nth_element(sorted.begin(), middle, sorted.end());
  const double most = kFarAway * *middle;
  return a.cwiseAbs().maxCoeff() <= most || most == 0.0 ? a.cwiseAbs().mean() : a.cwiseAbs().cwiseMin(most).mean();
}

}  // namespace

// At first delta is the typical distance to the rows and xi the size of the gradient within it.
void PrimalPath::start_path(const Vector& x) {
  smooth_gradient(x);
  const double mean = a_.size() > 0 ? typical(a_) : 0.0;
  first_delta_ = std::max(mean, parameters_.least_first * (1.0 + x.lpNorm<Eigen::Infinity>()));
  smooth_hessian(x);
  xi_ = std::max(gradients_.col(0).norm(), first_delta_ * H_.diagonal().mean());
  if (!(xi_ > 0.0)) xi_ = 1.0;  // no objective: any penalty will do
  delta_ = first_delta_;
}

// Rows that did not hold the objective let x run to where the others are violated beyond all proportion to the first
// distances, and curved rows tell nothing of their boundary any more: such a point is no start, the first one is.
bool PrimalPath::strayed(double worst) const {
  const double first = std::max(first_delta_, 1.0 + origin_.lpNorm<Eigen::Infinity>());
  return first_delta_ > 0.0 && !(worst <= parameters_.strayed * first);
}

void PrimalPath::return_to_origin(const WorkingRows& working, Vector& x) {
  x = origin_;
  Vector values(rows_count_), norms(rows_count_), smoothness(rows_count_);
  working.rows.values_and_bounds(x, values, norms, smoothness);
  scale_rows({working.rows, values, norms, smoothness, working.caps});
  model_.coordinates.values(x, a_.tail(a_.size() - rows_count_));
}

// Later solves start at the delta that the worst violation asks for.
void PrimalPath::start(const WorkingRows& working, double eps, Vector& x) {
  scale_rows(working);
  size_memory(x.size());
  project_onto_equalities(working, x);
  model_.coordinates.values(x, a_.tail(a_.size() - rows_count_));
  const double worst = worst_hard();
  if (first_delta_ == 0.0) {
    origin_ = x;
    start_path(x);
  } else if (strayed(worst)) {
    return_to_origin(working, x);
    delta_ = first_delta_;
  } else {
    delta_ = std::clamp(std::max(parameters_.restart * worst, parameters_.further * delta_),
                        parameters_.least_restart * eps, first_delta_);
  }
  loose_ = working.loose && working.rows.has_cones();
  set_xi(xi_);
  ceiling_.tail(a_.size() - constraints_).setConstant(model_.coordinates.l1_weight());
  decrement_ = working.rows.has_cones() ? parameters_.decrement_of_cones : parameters_.decrement;
  curvature_ = -1.0;
  extrapolated_.resize(0);
  smallest_delta_ = std::max(parameters_.floor, parameters_.eps_floor * eps) * first_delta_;
  begin_ = x;
  read_ahead_ = false;
  polish_below_ = kInfinity;
  raised_at_ = 0.0;
  widened_ = runaways_ = polishes_in_vain_ = 0;
}

void PrimalPath::set_xi(double xi) {
  xi_ = xi;
  ceiling_.head(constraints_).setConstant(xi_);
  for (Index i = 0; i < caps_.size(); ++i) {
    if (!hard(i)) ceiling_[i] = caps_[i];
  }
}

double PrimalPath::worst_hard(Index first) const {
  double worst = 0.0;
  for (Index i = first; i < constraints_; ++i) {
    if (hard(i)) worst = std::max(worst, a_[i]);
  }
  return worst;
}

void PrimalPath::widen(double delta) { delta_ = std::min(std::max(delta, delta_), first_delta_); }

// A linear objective falls for ever where the penalty is too small for it, until x is far away, or so far beyond rows that
// no delta bends them any more: back to the start with a larger one.
bool PrimalPath::ran_away(RowSelection& rows, Newton end, Vector& x) {
  if (runaways_ >= parameters_.most_runaways || exhausted()) return false;
  const double limit = parameters_.runaway * (1.0 + begin_.lpNorm<Eigen::Infinity>());
  const bool beyond = end == Newton::singular && worst_hard() > parameters_.raise_above * first_delta_;
  if (x.lpNorm<Eigen::Infinity>() <= limit && !beyond) return false;
  x = begin_;
  values_at(rows, x);
  set_xi(parameters_.runaway_growth * xi_);
  delta_ = first_delta_;
  ++runaways_;
  return true;
}

// No row near enough to bend a linear objective: only a larger delta feels the rows again.
bool PrimalPath::lost_the_rows(Newton end) {
  if (end != Newton::singular || widened_ >= parameters_.most_widenings || delta_ >= first_delta_) return false;
  widen(parameters_.widening * delta_);
  ++widened_;
  return true;
}

// Only a converged stage of small delta says that xi is too small; x is far from the new path.
bool PrimalPath::needs_larger_penalty(const RowSelection& rows, Newton end) {
  if (end != Newton::converged || constraints_ == 0 || exhausted()) return false;
  const double worst = worst_hard();
  if (delta_ > parameters_.raise_from * first_delta_) return false;
  if (worst > parameters_.raise_above * delta_) return raised(worst);
  // Soft cones end on the path, and x is moved into its domain there: where their eigenvalues are no larger than that move,
  // their frames, with which multipliers become points of the dual cone, would not be those of the path any more. With
  // xi above twice the multipliers of the domain the path ends inside of it.
  if (!soft_cones(rows) || !(worst_hard(rows_count_) > 0.0)) return false;
  set_xi(parameters_.xi_growth * xi_);
  return true;
}

// Rows that crowd each other may all stay beyond their boundary by the same multiple of delta whatever xi is: then only a
// smaller delta helps. True: the stage is to be repeated, closer to the path or with a larger xi.
bool PrimalPath::raised(double worst) {
  if (decrement_ > parameters_.sure_decrement) {
    decrement_ = parameters_.sure_decrement;
    return true;
  }
  const double multiple = worst / delta_;
  const bool in_vain = raised_at_ > 0.0 && multiple < parameters_.raise_in_vain * raised_at_ &&
                       raised_at_ < parameters_.raise_in_vain * multiple;
  if (in_vain) return false;
  raised_at_ = multiple;
  set_xi(parameters_.xi_growth * xi_);
  widen(parameters_.restart * worst);
  return true;
}

bool PrimalPath::polished(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop) {
  // Loose solves of cones, to find more of them by, end on the path.
  if (loose_ || delta_ > parameters_.polish_from * std::sqrt(eps) * first_delta_) return false;
  const bool waits = polish_waits(rows, x, eps);
  if (!waits && extrapolate_and_polish(rows, eps, x, stop)) return true;
  // Rows with small multipliers are not told apart yet: look closer from now on.
  decrement_ = std::max(parameters_.decrement_fall * decrement_, parameters_.least_decrement);
  if (waits) return false;
  ++polishes_in_vain_;
  polish_below_ = std::pow(parameters_.polish_wait, static_cast<double>(polishes_in_vain_)) * delta_;
  return false;
}

// Cones that are nearly all tight are told apart at the end alone, where the path itself is nearly accurate.
bool PrimalPath::polish_waits(const RowSelection& rows, const Vector& x, double eps) {
  if (!rows.has_cones() || delta_ <= polish_below_) return false;
  residual_.setZero();
  double merit = 0.0;
  accurate(x, lambda_, residual_, eps, merit);
  return !(merit <= parameters_.polish_near * eps);
}

void PrimalPath::predict(RowSelection& rows, Vector& x, double next) {
  step_ = (next - delta_) * tangent_;
  const double room = parameters_.domain_fraction * model_.problem.max_step(x, step_);
  if (room < 1.0) step_ *= parameters_.domain_retreat * room;
  const double most = parameters_.astray * delta_;
  delta_ = next;
  before_ = a_;
  begin_of_step_ = x;
  model_.problem.prepare_smooth_line(x, step_, line_);
  if (rows.mostly_cones()) {
    x += step_;
    read_anew(rows, x);
    read_ahead_ = true;
  } else {
    move(rows, x, step_);
  }
  if ((a_.allFinite() && worst_hard() <= most) || !raises(begin_of_step_, step_, 1.0, a_)) return;
  x = begin_of_step_;
  a_ = before_;
  read_ahead_ = false;
}

// Soft cones end on the path (extrapolate_and_polish): where only what Newton left of the gradient is missing, more of its
// steps are asked for, or it is left as it is. A smaller delta would not help: at an apex directions of eigenvectors drown in
// rounding then.
PrimalPath::Stage PrimalPath::end_of_soft_cones(Newton end) {
  if (end != Newton::converged || decrement_ <= parameters_.finest_decrement) return Stage::failed;
  decrement_ = std::max(parameters_.decrement_fall * decrement_, parameters_.finest_decrement);
  return Stage::again;
}

PrimalPath::Stage PrimalPath::run_stage(RowSelection& rows, double eps, Vector& x, FunctionRef<bool()> stop) {
  const Newton end = minimize(rows, x, stop);
  if (end == Newton::stopped) return Stage::failed;
  if (ran_away(rows, end, x) || lost_the_rows(end)) return Stage::again;
  if (end == Newton::singular && tangent_.size() == 0) return Stage::failed;  // not one derivative could be had
  lagrangian_residual(gradient_);
  double merit = 0.0;
  if (accurate(x, lambda_, residual_, eps, merit)) return Stage::done;
  if (loose_ && end == Newton::converged && accurate_on_the_path(x, eps)) return Stage::done;
  if (needs_larger_penalty(rows, end)) return Stage::again;
  if (soft_cones(rows) && accurate_on_the_path(x, eps)) return end_of_soft_cones(end);
  if (polished(rows, eps, x, stop)) return Stage::done;
  return delta_ <= smallest_delta_ || exhausted() ? Stage::failed : Stage::next;
}

bool PrimalPath::solve(const WorkingRows& working, double eps, Vector& x, FunctionRef<bool()> stop) {
  start(working, eps, x);
  Stage stage = Stage::again;
  while (stage == Stage::again || stage == Stage::next) {
    stage = run_stage(working.rows, eps, x, stop);
    if (stage == Stage::next) predict(working.rows, x, std::max(parameters_.reduction * delta_, smallest_delta_));
  }
  keep(working.rows, x);
  return stage == Stage::done;
}

void PrimalPath::keep(const RowSelection& rows, const Vector& x) {
  row_multipliers_ = lambda_.head(rows_count_).cwiseProduct(scale_.head(rows_count_));
  dual_points_ = extrapolated_.size() > 0 || !rows.has_cones() ? extrapolated_ : rows.dual_points(x, row_multipliers_);
  row_values_ = a_.head(rows_count_).cwiseQuotient(scale_.head(rows_count_));
  equality_multipliers_ = y_;
}

}  // namespace pliant
