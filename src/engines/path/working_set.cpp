#include "engines/path/working_set.hpp"

#include "engines/path/elastic_newton.hpp"
#include "engines/path/lazy_check.hpp"
#include "engines/path/primal_path.hpp"
#include "engines/path/variable_scaling.hpp"
#include "pliant/theory.hpp"
#include "random/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

// One random row out of each of `count` equal strata: distinct, ascending, without a pass over the indices.
std::vector<Index> stratified_sample(Index total, Index count, const random::Stream& random) {
  std::vector<Index> rows(static_cast<std::size_t>(std::min(total, count)));
  if (count >= total) {
    std::iota(rows.begin(), rows.end(), Index{0});
    return rows;
  }
  const double width = static_cast<double>(total) / static_cast<double>(count);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const double place = (static_cast<double>(k) + random.uniform(static_cast<Index>(k))) * width;
    const Index low = k == 0 ? 0 : rows[k - 1] + 1;
    rows[k] = std::clamp(static_cast<Index>(place), low, total - static_cast<Index>(rows.size() - k));
  }
  return rows;
}

// A gap is a difference of two sums; a computed 0 may be this much, relative to the objective.
constexpr double kGapRounding = 1e-12;

// Rows behind a change of variables, as a multiple of n.
constexpr Index kScalingRows = 40;

void sort_unique(std::vector<Index>& rows) {
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
}

// LP and QP take the primal-dual form; curved rows and other objectives the primal one.
std::unique_ptr<PathForm> make_form(const PathModel& model, ConstraintSystem& system, PathKind wanted) {
  const bool primal_dual = model.quadratic && model.linear_rows;
  if (wanted == PathKind::primal_dual && !primal_dual) {
    throw InputError("--path-form primal-dual: takes linear and quadratic objectives with linear rows only");
  }
  if (primal_dual && wanted != PathKind::primal) return std::make_unique<ElasticNewton>(model);
  return std::make_unique<PrimalPath>(model, system);
}

class WorkingSetLoop {
 public:
  WorkingSetLoop(Context& run, InnerPoint& point, RowKnowledge& known, const WorkingSetParameters& parameters)
      : run_(run),
        point_(point),
        parameters_(parameters),
        scaling_(VariableScaling::applies(run.problem())
                     ? VariableScaling::create(run.problem(), run.system(), scaling_sample(run))
                     : nullptr),
        system_(scaling_ ? scaling_->system() : run.system()),
        model_(scaling_ ? scaling_->problem() : run.problem()),
        form_(make_form(model_, system_, run.settings().path_form)),
        working_(system_),
        level_(system_),
        lazy_(system_, in_present_coordinates(known), 1e-6 * (1.0 + run.problem().constant_scale())),
        feasibility_(run.incumbent().feasibility_target()) {
    x_ = point.x;
    if (scaling_) {
      const bool inside = std::isfinite(run.problem().objective(x_)) && point.at.multipliers.size() == system_.size();
      x_ = inside ? scaling_->to_scaled(x_) : scaling_->start();
      publish();
    }
  }

  void run() {
    if (!std::isfinite(model_.problem.objective(x_))) {
      throw InputError("start: outside the domain of the objective; --method path needs one inside");
    }
    const bool warm = point_.at.multipliers.size() == system_.size();
    if (warm && start_from_multipliers()) return;
    if (!warm) start_from_sample();
    double eps = !warm && working_.size() == system_.inequalities() ? target() : std::max(parameters_.loose, target());
    bool solved = warm;  // on the present working rows to the present eps
    for (round_ = 0; round_ < parameters_.max_rounds; ++round_) {
      if (!solved && !solve_on_working_rows(eps)) return;
      solved = true;
      const bool full = level_.size() == 0;
      const double worst = find_violated(full);
      run_.note(run_.problem().objective(point_.x), worst, working_.groups());
      if (run_.verdict().reached() || run_.next_stage()) {
        evaluate_everywhere();
        return;
      }
      if (worst > (full ? feasibility_ : std::max(feasibility_, eps))) {
        extend(eps);
        eps = next_accuracy(full, worst);
        solved = false;
      } else if (!full) {
        level_.select({});
      } else if (eps > target()) {
        eps = target();
        solved = false;
      } else {
        if (judge() || !tighten()) return;
        eps = target();
        solved = false;
      }
    }
    evaluate_everywhere();
    run_.verdict().conclude(Status::numerical_error, "the working set did not settle");
  }

 private:
  // Distances between points in different coordinates mean nothing: what was known is forgotten.
  RowKnowledge& in_present_coordinates(RowKnowledge& known) const {
    const Matrix R = scaling_ ? scaling_->coordinates() : Matrix();
    const bool same = R.rows() == known.coordinates.rows() && R == known.coordinates;
    if (!same) known = RowKnowledge{};
    known.coordinates = R;
    return known;
  }

  static std::vector<Index> scaling_sample(Context& run) {
    const Index wanted = kScalingRows * run.problem().dimension();
    return stratified_sample(run.system().inequalities(), wanted, {static_cast<std::uint64_t>(run.settings().seed), 2});
  }

  // x_ in original coordinates.
  void publish() { point_.x = scaling_ ? scaling_->to_original(x_) : x_; }

  // A sample to solve on, and a larger one to check before everything is read.
  void start_from_sample() {
    const Index m = system_.inequalities();
    const Index first = std::min(m, sized(parameters_.least_rows, parameters_.most_rows));
    const Index second = std::max(static_cast<Index>(std::sqrt(static_cast<double>(first) * static_cast<double>(m))),
                                  static_cast<Index>(parameters_.level_share * static_cast<double>(m)));
    set_working(sample(first, 0));
    if (static_cast<double>(second) > 1.5 * static_cast<double>(first) && second < m) level_.select(sample(second, 1));
  }

  // The rows that carried multipliers before, and a few others. True: the given point is a solution already.
  bool start_from_multipliers() {
    const Index m = system_.inequalities();
    const Vector& given = point_.at.multipliers;
    std::vector<Index> rows = sample(parameters_.least_rows * run_.problem().dimension(), 0);
    for (Index i = 0; i < m; ++i) {
      if (given[i] > 0.0) rows.push_back(i);
    }
    sort_unique(rows);
    system_.complete_groups(rows);
    solved_rows_ = rows;
    lambda_.resize(static_cast<Index>(rows.size()));
    for (Index k = 0; k < lambda_.size(); ++k) lambda_[k] = given[rows[static_cast<std::size_t>(k)]];
    if (model_.own_equalities() > 0) nu_ = system_.split(given).nu;
    working_.select(std::move(rows));
    for (Vector* v : {&norms_, &values_, &smoothness_}) v->resize(working_.size());
    if (working_.has_cones()) dual_points_ = working_.gather_dual_points(point_.at.cones.multipliers);
    const bool done = judge();
    measure_working_rows();
    return done;
  }

  // About `count` rows, whole groups of them.
  std::vector<Index> sample(Index count, std::uint64_t stream_index) const {
    const Index m = system_.inequalities();
    const Index groups = system_.grouped() ? std::max<Index>(1, count * system_.groups() / m) : count;
    std::vector<Index> rows = stratified_sample(m, groups, stream(stream_index));
    system_.complete_groups(rows);
    return rows;
  }

  random::Stream stream(std::uint64_t index) const { return {static_cast<std::uint64_t>(run_.settings().seed), index}; }

  // Half of what is asked for, so that rounding and the certificate have room.
  double target() const { return tighten_ * 0.5 * std::min(run_.settings().tol_feas, run_.settings().tol_gap); }

  // The certificate of everything asks for more than the working rows were solved to.
  bool tighten() {
    tighten_ *= 0.1;
    if (target() >= parameters_.finest) return true;
    if (run_.incumbent().latest().violation_linf > feasibility_) run_.conclude_infeasible_perhaps();
    run_.verdict().conclude(Status::numerical_error, "rounding stopped the path short of the tolerances");
    return false;
  }

  // Far from the solution, and on samples, accuracy is wasted.
  double next_accuracy(bool full, double worst) const {
    if (!full || worst > parameters_.far) {
      return std::max(target(), std::min(parameters_.loose, parameters_.accuracy_share * worst));
    }
    return target();
  }

  // Between least and most times n, as large as a small share of all rows allows.
  Index sized(Index least, Index most) const {
    const Index n = run_.problem().dimension();
    const auto share = static_cast<Index>(parameters_.small_share * static_cast<double>(system_.inequalities()));
    return std::clamp(share, least * n, most * n);
  }

  void set_working(std::vector<Index> rows) {
    working_.select(std::move(rows));
    for (Vector* v : {&norms_, &values_, &smoothness_}) v->resize(working_.size());
    measure_working_rows();
  }

  void measure_working_rows() { working_.values_and_bounds(x_, values_, norms_, smoothness_); }

  bool solve_on_working_rows(double eps) {
    const Journal::Phase phase(run_.journal(), "working rows");
    const bool done = form_->solve({working_, values_, norms_, smoothness_}, eps, x_, [&] { return run_.tick(); });
    solved_rows_ = working_.rows();
    lambda_ = form_->multipliers().cwiseMax(0.0);
    nu_ = form_->equality_multipliers().head(model_.own_equalities());
    dual_points_ = form_->dual_points();
    values_ = form_->values();
    publish();
    run_.journal().penalty(form_->xi(), form_->delta());
    if (!done) run_.note_failure(working_.rows());
    if (form_->exhausted()) run_.conclude_infeasible_perhaps();
    if (run_.verdict().reached() || run_.note_size(point_.x)) {
      evaluate_everywhere();
      return false;
    }
    return true;
  }

  // Reads the level (or the rows a lazy check cannot exclude); returns the worst violation outside the working set
  // and keeps the rows near it as candidates.
  double find_violated(bool full) {
    const Journal::Phase phase(run_.journal(), full ? "full checks" : "sample checks");
    if (full) {
      const LazyCheck::Found& found = lazy_.check(x_, parameters_.accept_share, parameters_.dense_check);
      candidates_ = found.rows;
      candidate_values_ = found.values;
      candidate_distances_ = found.distances;
    } else {
      Vector values(level_.size()), norms(level_.size()), smoothness(level_.size());
      level_.values_and_bounds(x_, values, norms, smoothness);
      candidates_ = level_.rows();
      candidate_values_.assign(values.begin(), values.end());
      candidate_distances_.resize(candidates_.size());
      for (Index k = 0; k < values.size(); ++k) {
        candidate_distances_[static_cast<std::size_t>(k)] = row_distance(values[k], norms[k], smoothness[k]);
      }
    }
    const std::vector<Index>& in = working_.rows();
    double worst = 0.0;
    std::size_t w = 0, kept = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      while (w < in.size() && in[w] < candidates_[k]) ++w;
      if (w < in.size() && in[w] == candidates_[k]) continue;
      worst = std::max(worst, candidate_values_[k]);
      candidates_[kept] = candidates_[k];
      candidate_distances_[kept++] = candidate_distances_[k];
    }
    candidates_.resize(kept);
    candidate_distances_.resize(kept);
    return worst;
  }

  // Adds the worst rows, drops those far below zero that carry no multiplier; both by distance, which no scaling of the
  // rows changes.
  void extend(double eps) {
    std::vector<std::pair<double, Index>> chosen;
    const double worst = *std::max_element(candidate_distances_.begin(), candidate_distances_.end());
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      const double distance = candidate_distances_[k];
      if (distance > -parameters_.accept_share * worst) chosen.emplace_back(-distance, candidates_[k]);
    }
    const auto limit = static_cast<std::size_t>(sized(parameters_.least_added, parameters_.most_added));
    if (chosen.size() > limit) {
      std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(limit), chosen.end());
      chosen.resize(limit);
    }
    const double small = lambda_.size() > 0 ? parameters_.kept_multiplier * lambda_.maxCoeff() : 0.0;
    const double impatience = std::exp2(static_cast<double>(std::max<Index>(0, round_ - parameters_.patient_rounds)));
    const double floor = -parameters_.keep_share * impatience * std::max({worst, eps, form_->reach()});
    std::vector<Index> rows;
    for (const auto& [value, row] : chosen) rows.push_back(row);
    for (Index k = 0; k < working_.size(); ++k) {
      if (row_distance(values_[k], norms_[k], smoothness_[k]) > floor || lambda_[k] > small) {
        rows.push_back(working_.rows()[static_cast<std::size_t>(k)]);
      }
    }
    sort_unique(rows);
    system_.complete_groups(rows);
    set_working(std::move(rows));
  }

  // Multipliers of everything: the last solve's on its rows (those of cones are dual points), those of the equalities,
  // zero elsewhere.
  Vector all_multipliers() const {
    Vector multipliers = Vector::Zero(system_.size());
    const Vector lambda = multipliers_of_rows();
    for (std::size_t k = 0; k < solved_rows_.size(); ++k) {
      multipliers[solved_rows_[k]] = lambda[static_cast<Index>(k)];
    }
    if (nu_.size() > 0) {
      const ConstraintBatch& equalities = *run_.problem().equality_batch();
      equalities.duals_to_multipliers(nu_, multipliers.segment(system_.inequalities(), equalities.size()));
    }
    return multipliers;
  }

  Vector multipliers_of_rows() const {
    Vector lambda = lambda_;
    RowSelection solved(run_.system());
    solved.select(solved_rows_);
    solved.clear_cones(lambda);
    return lambda;
  }

  // The part of the cones in the Lagrangian.
  void add_cones() {
    if (dual_points_.size() == 0) return;
    LagrangianEvaluation& at = point_.at;
    RowSelection solved(run_.system());
    solved.select(solved_rows_);
    at.cones.product = solved.add_dual_points(point_.x, dual_points_, at.gradient);
    at.cones.multipliers = solved.spread_dual_points(dual_points_);
  }

  // Onto the domain of psi (where there is a scaling there is no psi).
  void project() {
    if (scaling_) return;
    run_.problem().prox().project(x_);
    publish();
  }

  // The plain way: one more pass.
  void evaluate_everywhere() {
    const Journal::Phase phase(run_.journal(), "certificate");
    project();
    evaluate_lagrangian(run_.problem(), run_.system(), point_.x, all_multipliers(), point_.at);
    add_cones();
  }

  // The frugal way: rows that were not read are proven inactive, and multipliers live on the working rows alone.
  bool judge() {
    const Journal::Phase phase(run_.journal(), "certificate");
    project();
    if (!lazy_.checked(x_)) lazy_.check(x_, 0.0, parameters_.dense_check);
    const Index m = system_.inequalities();
    LagrangianEvaluation& at = point_.at;
    at.a.resize(system_.size());
    at.bounded = lazy_.upper_bounds(x_, at.a.head(m));
    at.multipliers = all_multipliers();
    at.gradient = Vector::Zero(point_.x.size());
    at.smooth_value = run_.problem().add_smooth_gradient(point_.x, at.gradient);
    at.smooth_gradient_inf = at.gradient.lpNorm<Eigen::Infinity>();
    Vector unused(working_.size());
    const Vector lambda = multipliers_of_rows();
    const auto weights = [&](Index first, Index count, const double*, double* w) {
      std::copy_n(lambda.data() + first, count, w);
    };
    RowSelection rows(run_.system());
    rows.select(working_.rows());
    rows.sweep(point_.x, weights, values_, unused, at.gradient);
    // The Lagrangian needs the working rows exactly, not a bound.
    for (Index k = 0; k < working_.size(); ++k) at.a[working_.rows()[static_cast<std::size_t>(k)]] = values_[k];
    add_cones();
    run_.system().add_equalities(point_.x, at.multipliers, at.a, at.gradient);
    const bool done = run_.judge(point_);
    screen();
    return done;
  }

  // Safe screening: rows that are negative as far around x as the solution may be are inactive there.
  void screen() {
    const std::optional<double> radius = solution_radius(run_.incumbent().latest(), model_.mu);
    if (!radius) return;
    const std::vector<Index> inactive = lazy_.inactive_within(x_, *radius);
    run_.journal().screened(std::count_if(inactive.begin(), inactive.end(), [&](Index i) { return system_.leads(i); }));
  }

  Context& run_;
  InnerPoint& point_;  // the original problem's
  const WorkingSetParameters& parameters_;
  std::unique_ptr<VariableScaling> scaling_;  // null: none
  ConstraintSystem& system_;                  // in the coordinates of x_
  PathModel model_;
  Vector x_;
  std::unique_ptr<PathForm> form_;
  RowSelection working_, level_;
  LazyCheck lazy_;
  double feasibility_;
  double tighten_ = 1.0;
  Index round_ = 0;
  Vector norms_, values_, smoothness_;  // of the working rows
  std::vector<Index> solved_rows_;      // the rows with multipliers lambda_
  Vector lambda_, nu_;                  // nu: of the problem's own equalities
  Vector dual_points_;                  // of the cones among these rows
  std::vector<Index> candidates_;
  std::vector<double> candidate_values_, candidate_distances_;
};

}  // namespace

std::optional<double> solution_radius(const Certificate& c, double mu) {
  const bool feasible = c.violation_linf <= 0.0 && c.equality_residual <= 0.0 && c.domain_violation <= 0.0;
  if (!feasible || !c.lower_bound_rigorous || !(mu > 0.0)) return std::nullopt;
  const double gap = std::max(0.0, c.gap_abs()) + kGapRounding * (1.0 + std::abs(c.objective));
  return theory::screening_radius(0.0, mu, gap);
}

void solve_with_working_sets(Context& run, InnerPoint& point, RowKnowledge* known,
                             const WorkingSetParameters& parameters) {
  RowKnowledge own;
  WorkingSetLoop(run, point, known != nullptr ? *known : own, parameters).run();
}

}  // namespace pliant
