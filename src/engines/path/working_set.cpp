#include "engines/path/working_set.hpp"

#include "engines/path/gathered_lagrangian.hpp"
#include "engines/path/path_choices.hpp"
#include "parallel/long_vectors.hpp"
#include "parallel/stop.hpp"
#include "pliant/theory.hpp"
#include "random/random.hpp"
#include "rows/device_rows.hpp"
#include "rows/local_rows.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// A gap is a difference of two sums; a computed 0 may be this much, relative to the objective.
constexpr double kGapRounding = 1e-12;
double gap_rounding(double objective) { return kGapRounding * (1.0 + std::abs(objective)); }

// Samples drawn from one seed.
enum class Sample : std::uint64_t { first = 0, level = 1, scaling = 2 };

// The rows a holder has are as much part of the problem as its own.
PathModel model_beside(const Problem& problem, const RowHolder& rows) {
  PathModel out(problem);
  out.linear_rows = out.linear_rows && rows.linear();
  return out;
}

class WorkingSetLoop {
 public:
  WorkingSetLoop(Context& run, InnerPoint& point, RowHolder& rows, RowsAre where,
                 const WorkingSetParameters& parameters)
      : run_(run),
        problem_(run.problem()),
        settings_(run.settings()),
        point_(point),
        rows_(rows),
        where_(where),
        parameters_(parameters),
        scaling_(choose_coordinates(problem_, rows, stream(Sample::scaling),
                                    parameters.scaling_rows * problem_.dimension())),
        model_(model_beside(scaling_ ? scaling_->problem() : problem_, rows)),
        form_(make_form(model_, settings_.path_form)),
        weight_(rows_behind_a_group(rows.layout(), parameters)),
        feasibility_(run.incumbent().feasibility_target()),
        warm_(where == RowsAre::here && point.at.multipliers.size() == run.system().size()) {
    x_ = point.x;
    if (scaling_) {
      x_ = warm_ && std::isfinite(problem_.objective(x_)) ? scaling_->to_scaled(x_) : scaling_->start();
      publish();
    }
  }

  void run() {
    if (!std::isfinite(model_.problem.objective(x_))) {
      throw InputError("start: outside the domain of the objective; --method path needs one inside");
    }
    if (start() == Next::done) return;
    for (round_ = 0; round_ < parameters_.max_rounds; ++round_) {
      if (!solved_ && solve_on_working_rows() == Next::done) return;
      const double worst = find_violated();
      if (note_progress(worst) == Next::done) return;
      if (advance(worst) == Next::done) return;
    }
    evaluate();
    run_.verdict().conclude(Status::numerical_error, "the working set did not settle");
  }

  // Stopped in the middle of a round: what is known by then is certified, undisturbed.
  void settle_for_latest() {
    run_.check_limits();
    point_.at = {};
    if (run_.incumbent().any()) return;
    if (!solution_.block) solution_ = {working_, Vector::Zero(working_->size()), {}, {}};
    publish();
    evaluate();
  }

 private:
  enum class Next { again, done };

  // ---- stages ----

  Next start() {
    if (warm_) {
      if (start_from_multipliers()) return Next::done;
    } else {
      start_from_sample();
    }
    const bool everything = !warm_ && working_->size() == rows_.rows();
    eps_ = everything ? target() : std::max(parameters_.loose, target());
    solved_ = warm_;
    return Next::again;
  }

  Next solve_on_working_rows() {
    const Journal::Phase phase(run_.journal(), "working rows");
    if (values_stale_) measure_working_rows();
    WorkingRows rows{working_->selection(), values_, norms_, smoothness_};
    rows.loose = eps_ > target();
    const bool done = form_->solve(rows, eps_, x_, [&] { return run_.tick(); });
    solved_ = true;
    solution_.block = working_;
    solution_.lambda = form_->multipliers().cwiseMax(0.0);
    solution_.nu = form_->equality_multipliers().head(model_.own_equalities());
    solution_.dual_points = form_->dual_points();
    values_ = form_->values();
    move_into_domain();
    publish();
    run_.journal().penalty(form_->xi(), form_->delta());
    if (!done) run_.note_failure(working_->rows());
    if (form_->exhausted()) run_.conclude_infeasible_perhaps();
    if (!run_.verdict().reached() && !run_.note_size(point_.x, working_->size() < rows_.rows())) return Next::again;
    evaluate();
    return Next::done;
  }

  Next note_progress(double worst) {
    if (worst > 0.0 || !run_.note_size(point_.x)) {  // another row may hold x back
      run_.note(problem_.objective(point_.x), worst, working_->selection().groups());
      if (!run_.verdict().reached() && !run_.next_stage()) return Next::again;
    }
    evaluate();
    return Next::done;
  }

  // More rows, then more of them to check, then more accuracy, then the certificate.
  Next advance(double worst) {
    const double allowed = checks_everything() ? feasibility_ : std::max(feasibility_, eps_);
    if (worst > allowed || (checks_everything() && far_beyond_a_row(model_, candidates_, x_, settings_.tol_feas))) {
      const double eps = next_accuracy(worst);
      extend();
      if (!checks_everything() && ++looks_ >= most_looks_) level_ = RowSample();
      return solve_again(eps);
    }
    if (!checks_everything()) {
      level_ = RowSample();
      if (!first_rows_suffice()) return Next::again;
      return solve_again(target());
    }
    if (eps_ > target()) return solve_again(target());
    if (judge() || !tighten()) return Next::done;
    return solve_again(target());
  }

  Next solve_again(double eps) {
    eps_ = eps;
    solved_ = false;
    return Next::again;
  }

  // Cones that are tight everywhere make every check a full read: where the first look at a sample of them finds nothing
  // worth adding, a look at everything is worth more at a better point.
  bool first_rows_suffice() const { return rows_.layout().grouped() && looks_ == 0 && eps_ > target(); }

  // ---- rows ----

  // A sample to solve on, and a larger one to check before everything is read.
  void start_from_sample() {
    const auto m = static_cast<double>(rows_.rows());
    const Index first = std::min(rows_.rows(), sized(parameters_.least_rows, parameters_.most_rows));
    const Index second =
        std::min(parameters_.most_level_rows, std::max(static_cast<Index>(std::sqrt(static_cast<double>(first) * m)),
                                                       static_cast<Index>(parameters_.level_share * m)));
    std::vector<Index> rows = sample(first, Sample::first);
    add_small_batches(rows_.layout(), parameters_.least_rows * problem_.dimension(), rows);
    set_working(std::move(rows));
    const bool worth_it = static_cast<double>(second) > parameters_.level_growth * static_cast<double>(first);
    if (worth_it && second < rows_.rows()) level_ = sample_of(second, Sample::level);
    most_looks_ = parameters_.most_looks;
    // Of the others a sample of N cones leaves the share n/N violated: one that is small beside n is soon learnt by heart.
    const double cones = static_cast<double>(second) * static_cast<double>(rows_.layout().groups()) / m;
    const auto many = static_cast<double>(parameters_.level_of_cones * problem_.dimension());
    if (rows_.layout().grouped() && cones < many) most_looks_ = 1;
  }

  // The rows that carried multipliers before, and a few others. True: the given point is a solution already.
  bool start_from_multipliers() {
    const Vector& given = point_.at.multipliers;
    std::vector<Index> rows = sample(parameters_.least_rows * problem_.dimension(), Sample::first);
    for (Index i = 0; i < rows_.rows(); ++i) {
      if (given[i] > 0.0) rows.push_back(i);
    }
    gather(std::move(rows));
    solution_.block = working_;
    solution_.lambda.resize(working_->size());
    for (Index k = 0; k < working_->size(); ++k) {
      solution_.lambda[k] = given[working_->rows()[static_cast<std::size_t>(k)]];
    }
    if (model_.own_equalities() > 0) solution_.nu = run_.system().split(given).nu;
    if (working_->original().has_cones()) {
      solution_.dual_points = rows_.layout().gather_dual_points(working_->rows(), point_.at.cones.multipliers);
    }
    const bool done = judge();
    measure_working_rows();
    return done;
  }

  std::vector<Index> sample(Index count, Sample which) const { return sample_of(count, which).of(rows_.layout()); }

  RowSample sample_of(Index count, Sample which) const {
    return {count, static_cast<std::uint64_t>(settings_.seed), static_cast<std::uint64_t>(which)};
  }

  random::Stream stream(Sample which) const {
    return {static_cast<std::uint64_t>(settings_.seed), static_cast<std::uint64_t>(which)};
  }

  // Between least and most times n, as large as a small share of all rows allows.
  Index sized(Index least, Index most) const {
    const Index n = problem_.dimension();
    const auto share = static_cast<Index>(parameters_.small_share * static_cast<double>(rows_.rows()));
    return std::clamp(share, least * n, most * n);
  }

  void gather(std::vector<Index> rows) {
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    rows_.layout().complete_groups(rows);
    working_ = rows_.gather(std::move(rows));
    for (Vector* v : {&norms_, &values_, &smoothness_}) v->resize(working_->size());
  }

  void set_working(std::vector<Index> rows) {
    gather(std::move(rows));
    measure_working_rows();
  }

  void measure_working_rows() {
    working_->selection().values_and_bounds(x_, values_, norms_, smoothness_);
    values_stale_ = false;
  }

  bool checks_everything() const { return level_.count == 0; }

  // Reads the level (or the rows a lazy check cannot exclude); returns the worst violation outside the working set
  // and keeps the rows near it as candidates.
  double find_violated() {
    const Journal::Phase phase(run_.journal(), checks_everything() ? "full checks" : "sample checks");
    candidates_ = rows_.candidates({x_, level_, working_->rows(), most_added(), parameters_.accept_share,
                                    parameters_.dense_check, radius_ahead()});
    return candidates_.worst;
  }

  // Adds the worst rows, drops those far below zero that carry no multiplier; both by distance, which no scaling of the
  // rows changes.
  void extend() {
    const double worst = *std::max_element(candidates_.distances.begin(), candidates_.distances.end());
    std::vector<Index> rows = farthest_candidates(candidates_, -parameters_.accept_share * worst, most_added());
    const Vector& lambda = solution_.lambda;
    const double small = lambda.size() > 0 ? parameters_.kept_multiplier * lambda.maxCoeff() : 0.0;
    const double impatience = std::exp2(static_cast<double>(std::max<Index>(0, round_ - parameters_.patient_rounds)));
    const double floor = -parameters_.keep_share * impatience * std::max({worst, eps_, form_->reach()});
    for (Index k = 0; k < working_->size(); ++k) {
      if (row_distance(values_[k], norms_[k], smoothness_[k]) > floor || lambda[k] > small) {
        rows.push_back(working_->rows()[static_cast<std::size_t>(k)]);
      }
    }
    set_working(std::move(rows));
  }

  Index most_added() const { return sized(parameters_.least_added, parameters_.most_added) / weight_; }

  // ---- accuracy ----
  double target() const { return tighten_ * parameters_.margin * std::min(settings_.tol_feas, settings_.tol_gap); }

  // The certificate of everything asks for more than the working rows were solved to.
  bool tighten() {
    tighten_ *= parameters_.tightening;
    if (target() >= parameters_.finest) return true;
    if (run_.incumbent().latest().violation_linf > feasibility_) run_.conclude_infeasible_perhaps();
    run_.verdict().conclude(Status::numerical_error, "rounding stopped the path short of the tolerances");
    return false;
  }

  // Far from the solution, and on samples, accuracy is wasted.
  double next_accuracy(double worst) const {
    if (checks_everything() && worst <= parameters_.far) return target();
    return std::max(target(), std::min(parameters_.loose, parameters_.accuracy_share * worst));
  }

  // ---- certificate ----

  // Onto the domain of psi (a scaling has none): what is checked is what will be certified, without a check of its own.
  void move_into_domain() {
    if (scaling_) return;
    const Vector before = x_;
    problem_.prox().project(x_);
    values_stale_ = values_stale_ || x_ != before;
  }

  // x_ in original coordinates.
  void publish() { point_.x = scaling_ ? scaling_->to_original(x_) : x_; }

  // Everything known at x: rows that were not read are proven inactive, and multipliers live on gathered rows alone.
  void evaluate() {
    const parallel::StopScope undisturbed(nullptr);  // a limit that was met does not cut off what is kept of it
    const Journal::Phase phase(run_.journal(), "certificate");
    move_into_domain();
    publish();
    if (!rows_.checked(x_)) {
      rows_.candidates({x_, RowSample(), working_->rows(), 0, 0.0, parameters_.dense_check});
    }
    if (where_ == RowsAre::elsewhere) {
      evaluate_held(problem_, run_.view(), rows_, point_.x, x_, solution_, point_.at);
      return;
    }
    Vector& values = solution_.block == working_ ? values_ : solved_values_;
    evaluate_gathered(problem_, run_.system(), rows_, point_.x, x_, solution_, values, point_.at);
  }

  bool judge() {
    evaluate();
    const bool done = run_.judge(std::move(point_));  // rows are evaluated anew for another certificate
    screen();
    return done;
  }

  // Safe screening: rows that are negative as far around x as the solution may be are inactive there.
  void screen() {
    const std::optional<double> radius = solution_radius(run_.incumbent().latest(), model_.mu);
    if (radius) run_.journal().screened(rows_.inactive_within(x_, *radius));
  }

  // How far the screening of a solution looks at most: its gap is what is asked for, or less.
  double radius_ahead() const {
    if (eps_ > target() || !(model_.mu > 0.0)) return 0.0;
    const double objective = problem_.objective(point_.x);
    return theory::screening_radius(0.0, model_.mu, run_.incumbent().gap_target(objective) + gap_rounding(objective));
  }

  Context& run_;
  const Problem& problem_;
  const Settings& settings_;
  InnerPoint& point_;  // the original problem's
  RowHolder& rows_;
  RowsAre where_;
  const WorkingSetParameters& parameters_;
  std::unique_ptr<VariableScaling> scaling_;  // null: none
  PathModel model_;
  Vector x_;  // in the coordinates of the holder
  std::unique_ptr<PathForm> form_;
  Index weight_;  // of a group, in rows
  double feasibility_;
  bool warm_;
  double eps_ = 0.0;                            // accuracy of solves on working rows
  bool solved_ = false, values_stale_ = false;  // to this accuracy on these rows; x_ has moved since their values
  double tighten_ = 1.0;
  Index round_ = 0;
  std::shared_ptr<RowBlock> working_;
  Vector norms_, values_, smoothness_;  // of the working rows
  GatheredMultipliers solution_;        // of the latest solve
  Vector solved_values_;
  RowSample level_;  // the sample to check; none: everything is checked
  Index looks_ = 0, most_looks_ = 0;
  Candidates candidates_;
};

}  // namespace

std::optional<double> solution_radius(const Certificate& c, double mu) {
  const bool feasible = c.violation_linf <= 0.0 && c.equality_residual <= 0.0 && c.domain_violation <= 0.0;
  if (!feasible || c.lower_bound_kind == BoundKind::estimate || !(mu > 0.0)) return std::nullopt;
  const double gap = std::max(0.0, c.gap_abs()) + gap_rounding(c.objective);
  return theory::screening_radius(0.0, mu, gap);
}

double check_slack(const Problem& problem, const WorkingSetParameters& parameters) {
  return parameters.check_slack * (1.0 + problem.constant_scale());
}

void solve_with_working_sets(Context& run, InnerPoint& point, RowHolder& rows, RowsAre where,
                             const WorkingSetParameters& parameters) {
  WorkingSetLoop loop(run, point, rows, where, parameters);
  try {
    loop.run();
  } catch (const parallel::Stopped&) {
    if (where == RowsAre::here) throw;  // what is known of the rows may be half of what it should be
    loop.settle_for_latest();
  }
}

void solve_with_working_sets(Context& run, InnerPoint& point, RowKnowledge* known,
                             const WorkingSetParameters& parameters) {
  const double slack = check_slack(run.problem(), parameters);
  if (run.settings().device.on_card()) {
    DeviceRows rows(run.problem(), run.system(), run.settings().device.card, slack);
    return solve_with_working_sets(run, point, rows, RowsAre::here, parameters);
  }
  RowKnowledge own;
  LocalRows rows(run.problem(), run.system(), known != nullptr ? *known : own, slack);
  solve_with_working_sets(run, point, rows, RowsAre::here, parameters);
}

}  // namespace pliant
