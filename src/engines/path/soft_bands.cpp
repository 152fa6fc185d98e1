#include "engines/path/soft_bands.hpp"

#include "engines/path/frozen_rows.hpp"
#include "parallel/long_vectors.hpp"
#include "random/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace pliant {
namespace {

// x farther away than this many times where it was: the problem on the band is unbounded.
constexpr double kRunaway = 1e6;

class BandLoop {
 public:
  BandLoop(Context& run, InnerPoint& point, const BandParameters& parameters)
      : run_(run),
        problem_(run.problem()),
        point_(point),
        parameters_(parameters),
        table_(problem_, run.system()),
        band_problem_(problem_, run.system(), table_),
        rows_(table_),
        x_(point.x) {}

  void run() {
    std::vector<SoftLevel> levels = samples();
    if (!levels.empty()) rows_.find_units(levels.front().sample);
    for (SoftLevel& level : levels) {
      level.linear = tied_linear_part(level);
      solve_level(std::move(level), target());
      if (stopped()) return evaluate();
    }
    SoftLevel all;
    all.count = table_.size();
    double eps = target();
    if (!solve_level(std::move(all), eps)) return give_up();
    while (!judge()) {
      eps *= parameters_.tightening;
      if (eps < parameters_.finest) break;
      if (!solve_rounds(eps, 0.0)) return give_up();
    }
    if (run_.verdict().reached()) return;
    run_.verdict().conclude(Status::numerical_error, "rounding stopped the bands short of the tolerances");
  }

 private:
  // ---- levels ----

  double target() const {
    const Settings& s = run_.settings();
    return parameters_.margin * std::min(s.tol_feas, s.tol_gap);
  }
  bool stopped() { return run_.verdict().reached() || run_.check_limits(); }

  void give_up() {
    evaluate();
    if (run_.verdict().reached()) return;
    run_.verdict().conclude(Status::numerical_error, "no band of soft rows holds the solution");
  }

  // From the smallest on; one row out of each of equal strata.
  std::vector<SoftLevel> samples() const {
    const auto m = static_cast<double>(table_.size());
    const auto least = static_cast<double>(parameters_.first_sample * problem_.dimension());
    const double largest = m / parameters_.sample_growth;
    std::vector<SoftLevel> out;
    if (largest < least) {
      if (m >= 2.0 * least) out.push_back(sample(static_cast<Index>(least), 0));
      return out;
    }
    const double steps = std::ceil(std::log(largest / least) / std::log(parameters_.sample_growth));
    const double growth = steps > 0.0 ? std::pow(largest / least, 1.0 / steps) : 1.0;
    for (double k = 0.0; k <= steps; ++k) {
      out.push_back(sample(static_cast<Index>(least * std::pow(growth, k)), out.size()));
    }
    return out;
  }

  SoftLevel sample(Index count, std::uint64_t label) const {
    const random::Stream stream(static_cast<std::uint64_t>(run_.settings().seed), label);
    SoftLevel level;
    level.count = count;
    level.scale = static_cast<double>(table_.size()) / static_cast<double>(count);
    for (Index k = 0; k < count; ++k) {
      const double place = (static_cast<double>(k) + stream.uniform(k)) * level.scale;
      level.sample.push_back(std::min(table_.size() - 1, static_cast<Index>(place)));
    }
    return level;
  }

  // rho_tau(r) = tau r + max(0, -r): the linear term of a quantile regression is -tau times the sum of all rows, and a
  // sample that is held against the sum of all of them instead of its own may have no solution. So where the sum of the
  // sample differs from the linear term, but for a factor, by no more than sampling explains, its own takes its place.
  Vector tied_linear_part(const SoftLevel& level) const {
    const Vector& q = band_problem_.linear();
    if (q.isZero(0.0)) return {};
    const auto [sum, squares] = table_.weighted_sums(level.sample, level.scale);
    const double share = sum.isZero(0.0) ? 0.0 : -q.dot(sum) / sum.squaredNorm();
    if (!(share > 0.0 && share < 1.0)) return {};
    double deviations = 0.0;
    for (Index j = 0; j < q.size(); ++j) {
      const double off = q[j] + share * sum[j];
      const double explained = std::max(share * share * squares[j], std::numeric_limits<double>::min());
      if (off != 0.0) deviations += off * off / explained;
    }
    const bool tied = deviations <= parameters_.sampling_error * static_cast<double>(q.size());
    return tied ? Vector(-share * sum) : Vector();
  }

  // Reads the level at x, chooses a band and solves on it until the frozen rows agree. False: no band does it.
  bool solve_level(SoftLevel level, double eps) {
    read(std::move(level));
    const bool all = rows_.level().all();
    band_.clear();
    solved_band_.clear();
    join_band(rows_.nearest(band_size()));
    if (all && !started()) return solve_rounds(eps, 0.0);  // too few rows for samples
    const Vector before = x_;
    if (!solve_roughly(eps, started() ? parameters_.reduction : parameters_.first_reduction)) return false;
    if (!all) {
      learn_spread(before);
      return true;
    }
    // A band that had to be widened was too narrow for what was known of x: no more of that.
    for (Index k = 0; k < parameters_.most_shrinks && !widened_ && shrink_band(); ++k) {
      if (!solve_roughly(eps, parameters_.reduction)) return false;
    }
    return solve_rounds(eps, 0.0);
  }

  void read(SoftLevel level) {
    const Journal::Phase phase(run_.journal(), checks(level.all()));
    rows_.read(std::move(level), x_);
  }
  static std::string_view checks(bool all) { return all ? "full checks" : "sample checks"; }

  // Beside bounds and hard rows, whose slacks are on scales of their own, only the gap tells how far a solve has come.
  bool solve_roughly(double eps, double reduction) {
    if (band_problem_.soft_only()) return solve_rounds(eps, reduction, true);
    const double rough = started() ? std::min(parameters_.coarsest, parameters_.gap_reduction * undecided())
                                   : parameters_.first_accuracy;
    return solve_rounds(std::max(eps, rough), 0.0, true);
  }

  // What the rows of the band may cost more or less than they do on one side, relative to the objective.
  double undecided() const {
    double sum = 0.0;
    for (const Index k : band_) {
      const SoftRow row = rows_.row(k);
      sum += (row.above + row.below) * row.distance(rows_.value(k));
    }
    return 0.5 * rows_.level().scale * sum / (1.0 + std::abs(band_problem_.objective()));
  }

  // How far z moves, on average over rows near a kink, from the solution on one sample to that on the next.
  void learn_spread(const Vector& before) {
    if (previous_count_ == 0) return;
    const double samples = 1.0 / static_cast<double>(previous_count_) - 1.0 / static_cast<double>(solved_count_);
    if (samples > 0.0) spread_ = rows_.root_mean_square(x_ - before, band_, parameters_.judged) / std::sqrt(samples);
  }

  bool started() const { return solved_count_ > 0; }

  Index band_size() const {
    const Index rows = rows_.level().count, n = problem_.dimension();
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
    widened_ = true;
    return band_.size() > before;
  }

  // Only the rows nearest to a kink stay; the others are frozen to the side they are on. False: it is as small as can be.
  bool shrink_band() {
    const auto size = static_cast<Index>(band_.size());
    const Index wanted = std::max(parameters_.least_band * problem_.dimension(),
                                  static_cast<Index>(parameters_.shrinking * static_cast<double>(size)));
    if (wanted >= size) return false;
    std::vector<Index> near = rows_.nearest_of(band_, wanted), leaving;
    // Rows at equal distances stay together.
    if (static_cast<double>(near.size()) > parameters_.worth_shrinking * static_cast<double>(size)) return false;
    std::set_difference(band_.begin(), band_.end(), near.begin(), near.end(), std::back_inserter(leaving));
    rows_.freeze(x_, leaving);
    band_ = std::move(near);
    return true;
  }

  bool solve_rounds(double eps, double reduction, bool rough = false) {
    widened_ = false;
    // No row with a price depends on x: nothing to do here.
    if (band_.empty() && band_problem_.soft_only()) return false;
    for (Index round = 0; round < parameters_.max_rounds; ++round) {
      const Vector before = x_;
      const bool whole = static_cast<Index>(band_.size()) >= rows_.level().count;
      const bool solved = solve_band(eps, reduction);
      if (stopped()) return false;
      // On all rows the certificate tells what a solve that got stuck is worth; a sample that did is worth nothing.
      const bool unbounded =
          !x_.allFinite() || x_.norm() > kRunaway * (1.0 + before.norm()) || (!solved && !rows_.level().all());
      if (unbounded && whole) {
        x_ = before;
        return false;
      }
      if (!whole && (unbounded || misses_too_many(before))) {
        x_ = before;
        if (!widen_band()) return false;
        continue;
      }
      const FrozenRows::Wrong wrong = check(before);
      run_.note(band_problem_.objective(), band_problem_.hard_violation(), static_cast<Index>(band_.size()));
      if (run_.verdict().reached() || run_.next_stage()) return false;
      if (acceptable(wrong, rough)) {
        if (solved_count_ != rows_.level().count) previous_count_ = solved_count_;
        solved_count_ = rows_.level().count;
        return true;
      }
      join_band(wrong.rows);
    }
    return false;
  }

  bool solve_band(double eps, double reduction) {
    const Journal::Phase phase(run_.journal(), "working rows");
    const bool solved = band_problem_.solve(rows_.level(), band_, eps, reduction, x_, [&] { return run_.tick(); });
    solved_band_ = band_;
    run_.journal().penalty(std::max(table_.largest_price(), band_problem_.xi()), band_problem_.delta());
    return solved;
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

  // A wrong row costs little where it is near its kink, but its slope is off by its whole price: multipliers for a
  // certificate need every row on its side.
  bool acceptable(const FrozenRows::Wrong& wrong, bool rough) const {
    if (!rough) return wrong.rows.empty();
    if (!rows_.level().all()) {
      return static_cast<double>(wrong.rows.size()) <= parameters_.wrong_share * static_cast<double>(band_.size());
    }
    return wrong.cost <= parameters_.wrong_cost * band_problem_.open_gap();
  }

  // ---- certificate ----

  // Frozen rows are exactly at an end of their range of slopes, those of the band where their multipliers are.
  Vector slopes() const {
    Vector out;
    parallel::resize(out, table_.size());
    parallel::for_range(table_.size(), [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) out[r] = table_.row(r).slope(rows_.level().state(r));
    });
    const Vector& solved = band_problem_.band_slopes();
    for (std::size_t i = 0; i < solved_band_.size(); ++i) out[solved_band_[i]] = solved[static_cast<Index>(i)];
    return out;
  }

  void evaluate() {
    const Journal::Phase phase(run_.journal(), "certificate");
    problem_.prox().project(x_);
    Vector multipliers = parallel::constant(run_.system().size(), 0.0);
    if (rows_.level().all() && !solved_band_.empty()) {
      table_.spread(slopes(), multipliers);
      band_problem_.spread_hard(multipliers);
    }
    point_.x = x_;
    evaluate_lagrangian(problem_, run_.system(), x_, multipliers, point_.at);
  }

  bool judge() {
    evaluate();
    return run_.judge(point_);
  }

  Context& run_;
  const Problem& problem_;
  InnerPoint& point_;
  const BandParameters& parameters_;
  SoftTable table_;
  BandProblem band_problem_;
  FrozenRows rows_;
  Vector x_;
  std::vector<Index> band_, solved_band_;
  bool widened_ = false;                         // the band, in the latest rounds
  Index solved_count_ = 0, previous_count_ = 0;  // x is the solution on so many rows, the one before it on so many
  double spread_ = 0.0;  // of g'(x - x') over rows, x and x' of samples, times the root of their size; 0: not known
};

}  // namespace

std::string soft_bands_obstacle(const Problem& problem, const BandParameters& parameters) {
  if (std::string why = PathModel::obstacle(problem); !why.empty()) return why;
  if (!problem.conic().empty()) return "cones beside soft rows";
  Index hard = 0;
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    if (batch.linear_rows() == nullptr) return fmt::format("rows of the family {}", batch.family());
    if (problem.caps(static_cast<Index>(b)).empty()) hard += batch.size();
  }
  if (hard > parameters.most_hard_rows * problem.dimension()) {
    return fmt::format("{} hard rows, but bands keep all of them at hand and take {} at most", hard,
                       parameters.most_hard_rows * problem.dimension());
  }
  if (!PathModel(problem).quadratic) return "the objective is not quadratic";
  return {};
}

void solve_with_bands(Context& run, InnerPoint& point, const BandParameters& parameters) {
  BandLoop(run, point, parameters).run();
}

}  // namespace pliant
