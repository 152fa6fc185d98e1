#include "engines/path/working_set.hpp"

#include "generate/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

// One random row out of each of `count` equal strata: distinct, ascending, without a pass over the indices.
std::vector<Index> stratified_sample(Index total, Index count, const generation::Stream& random) {
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

}  // namespace

void LazyCheck::read_everything(const Vector& x) {
  const Index m = system_.size();
  values_.resize(m);
  norms_.resize(m);
  system_.values_and_gradient_norms(x, values_, norms_);
  points_.assign(1, x);
  point_of_.assign(static_cast<std::size_t>(m), 0);
  selection_.select({});
}

// From the rows just read: the worst of them and those near it.
void LazyCheck::collect(double share) {
  const bool all = selection_.size() == 0;
  const Index count = all ? values_.size() : selection_.size();
  const auto row = [&](Index k) { return all ? k : selection_.rows()[static_cast<std::size_t>(k)]; };
  found_.worst = 0.0;
  found_.rows.clear();
  found_.values.clear();
  for (Index k = 0; k < count; ++k) found_.worst = std::max(found_.worst, values_[row(k)]);
  if (found_.worst <= 0.0) return;
  for (Index k = 0; k < count; ++k) {
    const Index i = row(k);
    if (values_[i] <= -share * found_.worst) continue;
    found_.rows.push_back(i);
    found_.values.push_back(values_[i]);
  }
}

// A hair longer than computed, against rounding.
Vector LazyCheck::distances(const Vector& x) const {
  Vector out(static_cast<Index>(points_.size()));
  for (std::size_t p = 0; p < points_.size(); ++p) out[static_cast<Index>(p)] = (x - points_[p]).norm() * (1.0 + 1e-12);
  return out;
}

void LazyCheck::upper_bounds(const Vector& x, Vector& out) const {
  const Vector distance = distances(x);
  out.resize(values_.size());
  for (Index i = 0; i < values_.size(); ++i) {
    out[i] = values_[i] + norms_[i] * distance[point_of_[static_cast<std::size_t>(i)]];
  }
}

const LazyCheck::Found& LazyCheck::check(const Vector& x, double share, double dense_fraction) {
  std::vector<Index> doubtful;
  bool everything = points_.empty();
  if (!everything) {
    const Vector distance = distances(x);
    for (Index i = 0; i < values_.size(); ++i) {
      if (values_[i] + norms_[i] * distance[point_of_[static_cast<std::size_t>(i)]] > -slack_) doubtful.push_back(i);
    }
    everything = static_cast<double>(doubtful.size()) > dense_fraction * static_cast<double>(values_.size());
  }
  if (everything) {
    read_everything(x);
  } else if (!doubtful.empty()) {
    selection_.select(std::move(doubtful));
    lazy_values_.resize(selection_.size());
    selection_.values(x, lazy_values_);
    points_.push_back(x);
    for (Index k = 0; k < selection_.size(); ++k) {
      const Index i = selection_.rows()[static_cast<std::size_t>(k)];
      values_[i] = lazy_values_[k];
      point_of_[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(points_.size() - 1);
    }
  } else {
    found_ = Found{};
    return found_;
  }
  collect(share);
  return found_;
}

namespace {

class WorkingSetLoop {
 public:
  WorkingSetLoop(Run& run, InnerPoint& point, const WorkingSetParameters& parameters)
      : run_(run),
        system_(run.system()),
        point_(point),
        parameters_(parameters),
        model_(QuadraticModel::of(run.problem())),
        newton_(model_),
        working_(system_),
        level_(system_),
        lazy_(system_, 1e-6 * (1.0 + run.problem().constant_scale())),
        feasibility_(run.feasibility_target()),
        gap_(run.settings().tol_gap) {}

  void run() {
    const Index m = system_.size();
    const Index first = std::min(m, sized(parameters_.least_rows, parameters_.most_rows));
    const Index second = std::max(static_cast<Index>(std::sqrt(static_cast<double>(first) * static_cast<double>(m))),
                                  static_cast<Index>(parameters_.level_share * static_cast<double>(m)));
    const auto seed = static_cast<std::uint64_t>(run_.settings().seed);
    std::vector<Index> rows = stratified_sample(m, first, generation::Stream(seed, 0));
    if (point_.at.multipliers.size() == m) {  // a warm start: perhaps nothing is left to do
      const Vector given = point_.at.multipliers;
      evaluate_lagrangian(run_.problem(), system_, point_.x, given, point_.at);
      if (run_.judge(point_)) return;
      for (Index i = 0; i < m; ++i) {
        if (given[i] > 0.0) rows.push_back(i);
      }
      std::sort(rows.begin(), rows.end());
      rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    }
    set_working(std::move(rows));
    const bool middle_pays = static_cast<double>(second) > 1.5 * static_cast<double>(first);
    if (first < m && middle_pays) {
      level_.select(stratified_sample(m, second, generation::Stream(seed, 1)));
    }
    double eps = std::max(parameters_.loose, target());
    if (first == m) eps = target();
    bool solved = false;  // on the present working rows to the present eps
    for (Index round = 0; round < parameters_.max_rounds; ++round) {
      if (!solved && !solve_on_working_rows(eps)) return;
      solved = true;
      const bool full = level_.size() == 0;
      const double worst = find_violated(full);
      run_.note(run_.problem().objective(point_.x), worst, working_.size());
      if (run_.verdict() || run_.next_stage()) {
        evaluate_everywhere();
        return;
      }
      if (worst > (full ? feasibility_ : std::max(feasibility_, eps))) {
        extend(worst, eps);
        eps = next_accuracy(full, worst);
        solved = false;
      } else if (!full) {
        level_.select({});
      } else if (eps > target()) {
        eps = target();
        solved = false;
      } else {
        if (judge()) return;
        tighten_ *= 0.1;
        if (target() < parameters_.finest) {
          if (run_.latest().violation_linf > feasibility_) run_.conclude_infeasible_perhaps();
          run_.conclude(Status::numerical_error, "rounding stopped the path short of the tolerances");
          return;
        }
        eps = target();
        solved = false;
      }
    }
    evaluate_everywhere();
    run_.conclude(Status::numerical_error, "the working set did not settle");
  }

 private:
  // Half of what is asked for, so that rounding and the certificate have room.
  double target() const { return tighten_ * 0.5 * std::min(run_.settings().tol_feas, gap_); }

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
    const auto share = static_cast<Index>(parameters_.small_share * static_cast<double>(system_.size()));
    return std::clamp(share, least * n, most * n);
  }

  void set_working(std::vector<Index> rows) {
    working_.select(std::move(rows));
    norms_.resize(working_.size());
    values_.resize(working_.size());
    working_.values_and_gradient_norms(point_.x, values_, norms_);
  }

  bool solve_on_working_rows(double eps) {
    const bool done = newton_.solve(working_, norms_, eps, point_.x, [&] { return run_.tick(); });
    solved_rows_ = working_.rows();
    run_.phi().xi = newton_.xi();
    run_.phi().delta = newton_.delta();
    if (!done) run_.note_failure(working_.rows());
    if (newton_.exhausted()) run_.conclude_infeasible_perhaps();
    if (run_.verdict() || run_.check_size(point_.x)) {
      evaluate_everywhere();
      return false;
    }
    return true;
  }

  // Reads the level (or the rows a lazy check cannot exclude); returns the worst violation outside the working set
  // and keeps the rows near it as candidates.
  double find_violated(bool full) {
    if (full) {
      const LazyCheck::Found& found = lazy_.check(point_.x, parameters_.accept_share, parameters_.dense_check);
      candidates_ = found.rows;
      candidate_values_ = found.values;
    } else {
      Vector values(level_.size());
      level_.values(point_.x, values);
      candidates_ = level_.rows();
      candidate_values_.assign(values.begin(), values.end());
    }
    const std::vector<Index>& in = working_.rows();
    double worst = 0.0;
    std::size_t w = 0, kept = 0;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      while (w < in.size() && in[w] < candidates_[k]) ++w;
      if (w < in.size() && in[w] == candidates_[k]) continue;
      worst = std::max(worst, candidate_values_[k]);
      candidates_[kept] = candidates_[k];
      candidate_values_[kept++] = candidate_values_[k];
    }
    candidates_.resize(kept);
    candidate_values_.resize(kept);
    return worst;
  }

  // Adds the worst rows, drops those far below zero that carry no multiplier.
  void extend(double worst, double eps) {
    std::vector<std::pair<double, Index>> chosen;
    for (std::size_t k = 0; k < candidates_.size(); ++k) {
      const double value = candidate_values_[k];
      if (value > -parameters_.accept_share * worst) chosen.emplace_back(-value, candidates_[k]);
    }
    const auto limit = static_cast<std::size_t>(sized(parameters_.least_added, parameters_.most_added));
    if (chosen.size() > limit) {
      std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(limit), chosen.end());
      chosen.resize(limit);
    }
    const Vector& lambda = newton_.multipliers();
    const Vector& values = newton_.values();
    const double small = lambda.size() > 0 ? parameters_.kept_multiplier * lambda.maxCoeff() : 0.0;
    std::vector<Index> rows;
    for (const auto& [value, row] : chosen) rows.push_back(row);
    for (Index k = 0; k < working_.size(); ++k) {
      if (values[k] > -parameters_.keep_share * std::max(worst, eps) || lambda[k] > small) {
        rows.push_back(working_.rows()[static_cast<std::size_t>(k)]);
      }
    }
    std::sort(rows.begin(), rows.end());
    rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
    set_working(std::move(rows));
  }

  Vector all_multipliers() const {
    Vector multipliers = Vector::Zero(system_.size());
    const Vector& lambda = newton_.multipliers();
    for (std::size_t k = 0; k < solved_rows_.size(); ++k) {
      multipliers[solved_rows_[k]] = std::max(0.0, lambda[static_cast<Index>(k)]);
    }
    return multipliers;
  }

  // The plain way: one more pass.
  void evaluate_everywhere() {
    run_.problem().prox().project(point_.x);
    evaluate_lagrangian(run_.problem(), system_, point_.x, all_multipliers(), point_.at);
  }

  // The frugal way: rows that were not read are proven inactive, and multipliers live on the working rows alone.
  bool judge() {
    run_.problem().prox().project(point_.x);
    lazy_.check(point_.x, 0.0, parameters_.dense_check);
    LagrangianEvaluation& at = point_.at;
    lazy_.upper_bounds(point_.x, at.a);
    at.multipliers = all_multipliers();
    at.gradient = Vector::Zero(point_.x.size());
    at.smooth_value = run_.problem().add_smooth_gradient(point_.x, at.gradient);
    at.smooth_gradient_inf = at.gradient.lpNorm<Eigen::Infinity>();
    const Vector lambda = newton_.multipliers().cwiseMax(0.0);
    working_.values(point_.x, values_);
    working_.add_weighted_gradient(point_.x, lambda, at.gradient);
    // The Lagrangian needs the working rows exactly, not a bound.
    for (Index k = 0; k < working_.size(); ++k) at.a[working_.rows()[static_cast<std::size_t>(k)]] = values_[k];
    return run_.judge(point_);
  }

  Run& run_;
  ConstraintSystem& system_;
  InnerPoint& point_;
  const WorkingSetParameters& parameters_;
  QuadraticModel model_;
  ElasticNewton newton_;
  RowSelection working_, level_;
  LazyCheck lazy_;
  double feasibility_, gap_;
  double tighten_ = 1.0;
  Vector norms_, values_;
  std::vector<Index> solved_rows_;  // the rows newton_ holds multipliers of
  std::vector<Index> candidates_;
  std::vector<double> candidate_values_;
};

}  // namespace

void solve_with_working_sets(Run& run, InnerPoint& point, const WorkingSetParameters& parameters) {
  WorkingSetLoop(run, point, parameters).run();
}

}  // namespace pliant
