#include "engines/path/soft_bands.hpp"

#include "engines/path/frozen_rows.hpp"
#include "engines/path/soft_samples.hpp"
#include "parallel/long_vectors.hpp"
#include "parallel/stop.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace pliant {
namespace {

// x farther away than this many times where it was: the problem on the band is unbounded.
constexpr double kRunaway = 1e6;

class BandLoop {
 public:
  BandLoop(Context& run, InnerPoint& point, const BandParameters& parameters, BandBudget* budget = nullptr)
      : run_(run),
        problem_(run.problem()),
        point_(point),
        parameters_(parameters),
        budget_(budget),
        table_(problem_, run.system()),
        band_problem_(problem_, run.system(), budget != nullptr ? &budget->budget : nullptr),
        x_(point.x) {}

  void run() {
    try {
      solve();
    } catch (const parallel::Stopped&) {
      if (x_.allFinite()) point_.x = x_;
      throw;
    }
  }

 private:
  void solve() {
    x_ = band_problem_.on_equalities(x_);
    const Index n = problem_.dimension();
    for (const std::vector<Index>& sample : draw_samples(table_.size(), n, run_.settings().seed, parameters_)) {
      SoftLevel level = copied(sample);
      if (budget_ == nullptr) level.linear = tied_linear_part(level, band_problem_.linear(), parameters_);
      solve_level(std::move(level), target());
      if (stopped()) return evaluate();
    }
    double eps = target();
    if (!solve_level(whole_level(table_), eps)) return give_up();
    while (!judge()) {
      eps *= parameters_.tightening;
      if (eps < parameters_.finest) break;
      if (!solve_rounds(eps)) return give_up();
    }
    if (run_.verdict().reached()) return;
    run_.verdict().conclude(Status::numerical_error, "rounding stopped the bands short of the tolerances");
  }

  // ---- levels ----

  double target() const {
    const Settings& s = run_.settings();
    return parameters_.margin * std::min(s.tol_feas, s.tol_gap);
  }
  // Of what kinks leave open, as far as a target tells.
  double allowed_gap() const { return target() * (1.0 + std::abs(band_problem_.objective())); }
  bool stopped() { return run_.verdict().reached() || run_.check_limits(); }

  void give_up() {
    if (judge() || run_.verdict().reached()) return;
    run_.verdict().conclude(Status::numerical_error, "no band of soft rows holds the solution");
  }

  SoftLevel copied(const std::vector<Index>& sample) {
    const Journal::Phase phase(run_.journal(), checks(false));
    SoftLevel level = sample_level(table_, sample);
    if (table_.units().size() > 0) return level;
    // The first sample shows the units of the variables that distances are measured in.
    table_.set_units(level.sample->find_units());
    level.sample->set_units(table_.units());
    return level;
  }

  // Reads the level at x, chooses a band and comes near to the solution on it; on all rows, goes there. False: no band does
  // it.
  bool solve_level(SoftLevel level, double eps) {
    read(std::move(level));
    band_.clear();
    solved_band_.clear();
    solved_width_ = 0.0;
    join_band(rows_.nearest(band_size()));
    const Vector before = x_;
    const bool near = approach();
    if (rows_.level().all()) return !run_.verdict().reached() && solve_rounds(eps);
    if (!near) return false;
    learn_spread(before);
    return true;
  }

  void read(SoftLevel level) {
    const Journal::Phase phase(run_.journal(), checks(level.all()));
    rows_.read(std::move(level), x_);
  }
  static std::string_view checks(bool all) { return all ? "full checks" : "sample checks"; }

  // How far z moves, on average over rows near a kink, from the solution on one sample to that on the next.
  void learn_spread(const Vector& before) {
    const bool tells = std::exchange(tells_, rows_.rarest_side() >= parameters_.least_side * problem_.dimension());
    if (previous_count_ == 0) return;
    spread_ = 0.0;
    if (!tells) return;
    const double samples = 1.0 / static_cast<double>(previous_count_) - 1.0 / static_cast<double>(solved_count_);
    if (samples > 0.0) spread_ = rows_.root_mean_square(x_ - before, band_, parameters_.judged) / std::sqrt(samples);
  }

  bool started() const { return solved_count_ > 0; }

  Index band_size() const {
    const Index rows = rows_.level().count(), n = problem_.dimension();
    if (!started()) return rows;
    const Index least = parameters_.least_band * n;
    const auto count = static_cast<double>(rows), solved = static_cast<double>(solved_count_);
    if (spread_ == 0.0) {
      const double wanted = parameters_.width * std::sqrt(count / solved * static_cast<double>(n) * count);
      return std::max(static_cast<Index>(wanted), least);
    }
    const double reach = parameters_.spread * spread_ * std::sqrt(std::max(0.0, 1.0 / solved - 1.0 / count));
    return std::max(least, rows_.count_within(reach));
  }

  // ---- the band ----

  void join_band(const std::vector<Index>& added) {
    std::vector<Index> all;
    std::set_union(band_.begin(), band_.end(), added.begin(), added.end(), std::back_inserter(all));
    band_ = std::move(all);
  }

  // False: the rows that are left have no price or do not depend on x.
  bool widen_band() {
    const std::size_t before = band_.size();
    join_band(rows_.nearest(static_cast<Index>(std::ceil(parameters_.widening * static_cast<double>(before)))));
    return band_.size() > before;
  }

  // Only rows within `reach` of a kink stay, and no fewer than kinks have become narrower; the others are frozen to the
  // side they are on.
  void shrink_band(double reach) {
    const auto least = std::max(parameters_.last_band * problem_.dimension(),
                                static_cast<Index>(parameters_.narrowing * static_cast<double>(band_.size())));
    std::vector<Index> near = rows_.near_of(band_, reach, least), leaving;
    std::set_difference(band_.begin(), band_.end(), near.begin(), near.end(), std::back_inserter(leaving));
    rows_.freeze(x_, leaving);
    band_ = std::move(near);
  }

  // ---- rough solves ----

  // Rows that lie at one kink together stay open however narrow it becomes.
  struct Ties {
    double open = 0.0;
    Index widths = 0, stalls = 0;
  };

  // As wide as the band allows, or as rows are away from their kinks where it has all of them.
  double first_width() const {
    std::vector<double> distances(band_.size());
    std::transform(band_.begin(), band_.end(), distances.begin(), [&](Index k) { return rows_.distance(k); });
    if (started()) return *std::max_element(distances.begin(), distances.end()) / parameters_.kinks;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::nth_element(distances.begin(), middle, distances.end());
    return *middle;
  }

  // Solves with smoothed kinks, narrower ones each time, on a band that becomes narrower with them. False: none of them
  // got anywhere.
  bool approach() {
    if (band_.empty()) return false;
    double delta = first_width();
    if (delta == 0.0) delta = parameters_.first_width * (1.0 + x_.lpNorm<Eigen::Infinity>());
    Ties ties;
    Index retries = 0;
    for (Index round = 0; round < parameters_.max_rounds && delta > 0.0; ++round) {
      const Vector before = x_;
      const double theta = band_problem_.theta();
      const bool solved = solve_smoothed(delta);
      if (stopped()) return false;
      if (!solved && whole() && !ran_away(before) && ++retries <= parameters_.most_retries) {
        rows_.set_values(band_, band_problem_.band_values());
        continue;
      }
      if (!holds(before, theta, solved)) {
        if (!widen_band()) return false;
        delta *= parameters_.widening;
        continue;
      }
      const FrozenRows::Wrong wrong = check(before);
      if (note_and_stop()) return false;
      if (!cheap(wrong)) {
        join_band(wrong.rows);
        continue;
      }
      if (near_enough(delta, ties)) {
        if (rows_.level().all()) shrink_band(parameters_.kinks * parameters_.narrowing * delta);
        remember_level();
        solved_width_ = delta;
        return true;
      }
      delta *= parameters_.narrowing;
      shrink_band(parameters_.kinks * delta);
    }
    return false;
  }

  bool solve_smoothed(double delta) {
    const Journal::Phase phase(run_.journal(), "working rows");
    const bool solved =
        band_problem_.solve_smoothed(rows_.level(), band_, rows_.known(), delta, x_, [&] { return run_.tick(); });
    run_.journal().penalty(table_.largest_price(), delta);
    return solved;
  }

  // Where sampling is off by as much as smoothing, or the rows that are still open are those that stay at a kink.
  bool near_enough(double delta, Ties& ties) const {
    const auto n = static_cast<double>(problem_.dimension()), rows = static_cast<double>(rows_.level().count());
    const auto open = static_cast<double>(rows_.near_of(band_, parameters_.undecided * delta).size());
    const bool stalls = ++ties.widths > parameters_.least_widths && open > parameters_.stalled * ties.open;
    ties.stalls = stalls ? ties.stalls + 1 : 0;
    ties.open = open;
    if (ties.stalls >= parameters_.most_stalls) return true;
    // For a fixed multiplier of a budget x jumps where kinks are narrow; the exact solve looks for both.
    if (budget_ != nullptr && rows_.level().all() && band_problem_.open_gap() <= allowed_gap()) return true;
    return open <= (rows_.level().all() ? parameters_.last_open * n : parameters_.blur * std::sqrt(n * rows));
  }

  // Of a rough solve: a wrong row costs little where it is near its kink.
  bool cheap(const FrozenRows::Wrong& wrong) const {
    if (!rows_.level().all()) {
      return static_cast<double>(wrong.rows.size()) <= parameters_.wrong_share * static_cast<double>(band_.size());
    }
    return band_problem_.theta() * wrong.cost <= parameters_.wrong_cost * band_problem_.open_gap();
  }

  // ---- exact solves ----

  bool whole() const { return static_cast<Index>(band_.size()) >= rows_.level().count(); }
  bool ran_away(const Vector& before) const {
    return !x_.allFinite() || x_.norm() > kRunaway * (1.0 + before.norm()) || !std::isfinite(band_problem_.theta());
  }

  // Whether the band held the solution, as far as that can be told without a check of all rows; else everything is as
  // before.
  bool holds(const Vector& before, double theta, bool solved) {
    const bool lost = !solved || ran_away(before);
    if (!lost && (whole() || !misses_too_many(before))) return true;
    x_ = before;
    band_problem_.set_theta(theta);
    return false;
  }

  bool solve_rounds(double eps) {
    // No row with a price depends on x: nothing to do here.
    if (band_.empty() && band_problem_.soft_only()) return false;
    for (Index round = 0; round < parameters_.max_rounds; ++round) {
      const Vector before = x_;
      const double theta = band_problem_.theta();
      solve_band(eps);
      if (stopped()) return false;
      // The certificate tells what a solve that got stuck is worth.
      if (!holds(before, theta, true)) {
        if (!widen_band()) return false;
        continue;
      }
      const FrozenRows::Wrong wrong = check(before);
      if (note_and_stop()) return false;
      // A wrong row costs little where it is near its kink, but its slope is off by its whole price: multipliers for a
      // certificate need every row on its side.
      if (wrong.rows.empty()) return true;
      join_band(wrong.rows);
    }
    return false;
  }

  bool note_and_stop() {
    run_.note(band_problem_.objective(), band_problem_.hard_violation(), static_cast<Index>(band_.size()));
    return run_.verdict().reached() || run_.next_stage();
  }

  void remember_level() {
    if (solved_count_ != rows_.level().count()) previous_count_ = solved_count_;
    solved_count_ = rows_.level().count();
  }

  void solve_band(double eps) {
    const Journal::Phase phase(run_.journal(), "working rows");
    band_problem_.solve(rows_.level(), band_, rows_.known(), eps, solved_width_, x_, [&] { return run_.tick(); });
    solved_width_ = 0.0;
    solved_band_ = band_;
    run_.journal().penalty(std::max(table_.largest_price(), band_problem_.xi()), band_problem_.delta());
  }

  bool misses_too_many(const Vector& before) {
    const Journal::Phase phase(run_.journal(), checks(rows_.level().all()));
    const double wrong = rows_.estimate_wrong(x_, rows_.distance_between(x_, before), band_, parameters_.judged);
    return wrong > parameters_.too_many_wrong * static_cast<double>(band_.size());
  }

  FrozenRows::Wrong check(const Vector& before) {
    const Journal::Phase phase(run_.journal(), checks(rows_.level().all()));
    rows_.set_values(band_, band_problem_.band_values());
    return rows_.check(x_, rows_.distance_between(x_, before), band_);
  }

  // ---- certificate ----

  // Frozen rows are exactly at an end of their range of slopes, those of the band where their multipliers are.
  Vector multipliers() const {
    Vector out = parallel::constant(run_.system().size(), 0.0);
    if (rows_.level().all() && !solved_band_.empty()) {
      table_.spread({rows_.level().states, solved_band_, band_problem_.band_slopes()}, band_problem_.theta(), out);
      band_problem_.spread_hard(out);
    }
    return out;
  }

  void evaluate() {
    const parallel::StopScope undisturbed(nullptr);  // a limit that was met does not cut off what is kept of it
    const Journal::Phase phase(run_.journal(), "certificate");
    point_.x = x_;  // frozen rows know where x_ is: it stays there
    problem_.prox().project(point_.x);
    if (budget_ != nullptr) {
      accepted_ = budget_->judge(point_.x, multipliers(), band_problem_.theta());
      return;
    }
    evaluate_lagrangian(problem_, run_.system(), point_.x, multipliers(), point_.at);
  }

  bool judge() {
    evaluate();
    if (budget_ == nullptr) return run_.judge(point_);
    if (accepted_) run_.verdict().conclude(Status::optimal, "");
    return accepted_ || stopped();
  }

  Context& run_;
  const Problem& problem_;
  InnerPoint& point_;
  const BandParameters& parameters_;
  BandBudget* budget_;  // null: none
  bool accepted_ = false;
  SoftTable table_;
  BandProblem band_problem_;
  FrozenRows rows_;
  Vector x_;
  std::vector<Index> band_, solved_band_;
  Index solved_count_ = 0, previous_count_ = 0;  // x is the solution on so many rows, the one before it on so many
  double solved_width_ = 0.0;                    // and, on this level, with kinks so wide; 0: it is not, or exactly
  bool tells_ = false;   // whether the last level had enough rows on each side for what it says of the spread
  double spread_ = 0.0;  // of g'(x - x') over rows, x and x' of samples, times the root of their size; 0: not known
};

}  // namespace

void solve_with_bands(Context& run, InnerPoint& point, const BandParameters& parameters) {
  BandLoop(run, point, parameters).run();
}

void solve_with_budget(Context& run, InnerPoint& point, BandBudget& budget, const BandParameters& parameters) {
  BandLoop(run, point, parameters, &budget).run();
}

}  // namespace pliant
