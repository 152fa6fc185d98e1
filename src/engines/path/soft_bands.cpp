#include "engines/path/soft_bands.hpp"

#include "engines/path/band_problem.hpp"
#include "linalg/sums.hpp"
#include "parallel/long_vectors.hpp"
#include "random/random.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace pliant {
namespace {

// A frozen row is certain of its side while x has moved less than its distance from a kink, rounding allowed for.
constexpr double kCertain = 1.0 - 1e-9;
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
        x_(point.x) {}

  void run() {
    std::vector<SoftLevel> levels = samples();
    if (!levels.empty()) {
      units_ = table_.find_units(levels.front().sample);
      table_.set_units(units_);
    }
    for (SoftLevel& level : levels) {
      level_ = std::move(level);
      solve_level(target());
      if (stopped()) return evaluate();
    }
    level_ = SoftLevel{};
    level_.count = table_.size();
    double eps = target();
    if (!solve_level(eps)) return give_up();
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

  // Reads the level at x, chooses a band and solves on it until the frozen rows agree. False: no band does it.
  bool solve_level(double eps) {
    read_level();
    band_.clear();
    solved_band_.clear();
    widen_band(band_size());
    if (level_.all() && !started()) return solve_rounds(eps, 0.0);  // too few rows for samples
    const Vector before = x_;
    const double reduction = started() ? parameters_.reduction : parameters_.first_reduction;
    if (!solve_roughly(eps, reduction)) return false;
    if (!level_.all()) {
      learn_spread(before);
      return true;
    }
    // A band that had to be widened was too narrow for what was known of x: no more of that.
    while (!widened_ && shrink_band()) {
      if (!solve_roughly(eps, parameters_.reduction)) return false;
    }
    return solve_rounds(eps, 0.0);
  }

  // Beside bounds and hard rows, whose slacks are on scales of their own, only the gap tells how far a solve has come.
  bool solve_roughly(double eps, double reduction) {
    if (band_problem_.soft_only()) return solve_rounds(eps, reduction);
    const double rough = started() ? std::min(parameters_.coarsest, parameters_.gap_reduction * undecided())
                                   : parameters_.first_accuracy;
    return solve_rounds(std::max(eps, rough), 0.0);
  }

  // What the rows of the band may cost more or less than they do on one side, relative to the objective.
  double undecided() const {
    double sum = 0.0;
    for (const Index k : band_) {
      const SoftRow row = table_.row(level_.row(k));
      sum += (row.above + row.below) * row.distance(values_[k]);
    }
    return 0.5 * level_.scale * sum / (1.0 + std::abs(band_problem_.objective()));
  }

  // How far z moves, on average over rows, from the solution on one sample to that on the next.
  void learn_spread(const Vector& before) {
    if (previous_count_ == 0) return;
    const auto stride = std::max<std::size_t>(1, level_.sample.size() / static_cast<std::size_t>(parameters_.judged));
    std::vector<Index> rows;
    for (std::size_t i = 0; i < level_.sample.size(); i += stride) rows.push_back(level_.sample[i]);
    Vector z(static_cast<Index>(rows.size())), unused = Vector::Zero(x_.size());
    const Vector step = x_ - before;
    table_.read(
        step, rows, z.data(), nullptr, [](Index, double) { return 0.0; }, unused);
    const double variance = z.squaredNorm() / static_cast<double>(z.size());
    const double samples = 1.0 / static_cast<double>(previous_count_) - 1.0 / static_cast<double>(solved_count_);
    if (samples > 0.0) spread_ = std::sqrt(variance / samples);
  }

  bool started() const { return solved_count_ > 0; }

  Index band_size() const {
    const auto n = static_cast<double>(problem_.dimension());
    if (!started()) return level_.count;
    const Index least = parameters_.least_band * problem_.dimension();
    const auto count = static_cast<double>(level_.count), solved = static_cast<double>(solved_count_);
    if (spread_ == 0.0) {
      return std::max(static_cast<Index>(parameters_.width * std::sqrt(count / solved * n * count)), least);
    }
    const double reach = parameters_.spread * spread_ * std::sqrt(std::max(0.0, 1.0 / solved - 1.0 / count));
    return std::max(least, parallel::count_if(level_.count, [&](Index k) {
                      return table_.row(level_.row(k)).distance(values_[k]) <= reach;
                    }));
  }

  void read_level() {
    const Journal::Phase phase(run_.journal(), level_.all() ? "full checks" : "sample checks");
    for (Vector* v : {&values_, &norms_, &keys_}) parallel::resize(*v, level_.count);
    level_.states.resize(static_cast<std::size_t>(level_.count));
    level_.gradient = Vector::Zero(x_.size());
    moved_ = 0.0;
    const auto weight = [&](Index k, double z) {
      const SoftRow row = table_.row(level_.row(k));
      SoftState& state = level_.states[static_cast<std::size_t>(k)];
      state = row.state(z);
      return level_.scale * row.slope(state);
    };
    if (level_.all()) {
      table_.read_all(x_, values_.data(), norms_.data(), weight, level_.gradient);
    } else {
      table_.read(x_, level_.sample, values_.data(), norms_.data(), weight, level_.gradient);
    }
    level_.constant = level_.scale * long_pairwise_sum(level_.count, [&](Index k) {
                        return table_.row(level_.row(k)).constant(level_.state(k));
                      });
    parallel::for_range(level_.count, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) keys_[k] = distance(k);
    });
  }

  // In the units of the table.
  double distance_between(const Vector& x, const Vector& y) const {
    return units_.size() > 0 ? (x - y).cwiseQuotient(units_).norm() : (x - y).norm();
  }

  // In x, of the nearest kink of row k.
  double distance(Index k) const {
    const double from_kink = table_.row(level_.row(k)).distance(values_[k]);
    return norms_[k] > 0.0 ? from_kink / norms_[k] : kInfinity;
  }

  // ---- the band ----

  // The rows nearest to a kink join it, until there are so many.
  void widen_band(Index wanted) {
    wanted = std::min(wanted, level_.count);
    std::vector<double> sorted(keys_.begin(), keys_.end());
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
    std::nth_element(sorted.begin(), last, sorted.end());
    join_band(parallel::positions(level_.count,
                                  [&, reach = *last](Index k) { return keys_[k] <= reach && keys_[k] < kInfinity; }));
  }

  // Only the rows nearest to a kink stay; the others are frozen to the side they are on. False: it is as small as can be.
  bool shrink_band() {
    const Index least = parameters_.least_band * problem_.dimension();
    const auto wanted = std::max(least, static_cast<Index>(parameters_.shrinking * static_cast<double>(band_.size())));
    if (wanted >= static_cast<Index>(band_.size())) return false;
    std::vector<double> sorted;
    for (const Index k : band_) sorted.push_back(distance(k));
    const auto last = sorted.begin() + static_cast<std::ptrdiff_t>(wanted) - 1;
    std::nth_element(sorted.begin(), last, sorted.end());
    std::vector<Index> near, changed, rows;
    for (const Index k : band_) {
      if (distance(k) <= *last) {
        near.push_back(k);
        continue;
      }
      keys_[k] = moved_ + distance(k);
      if (table_.row(level_.row(k)).state(values_[k]) == level_.state(k)) continue;
      changed.push_back(k);
      rows.push_back(level_.row(k));
    }
    freeze_again(changed, rows);
    band_ = std::move(near);
    return true;
  }

  template <class List>
  void join_band(const List& added) {
    std::vector<Index> all;
    std::set_union(band_.begin(), band_.end(), added.begin(), added.end(), std::back_inserter(all));
    band_ = std::move(all);
  }

  struct Wrong {
    std::vector<Index> rows;  // frozen to a slope that was not theirs at x
    double cost = 0.0;        // what the objective missed
  };

  bool solve_rounds(double eps, double reduction) {
    widened_ = false;
    for (Index round = 0; round < parameters_.max_rounds; ++round) {
      const Vector before = x_;
      solve_band(eps, reduction);
      if (stopped()) return false;
      const auto band = static_cast<double>(band_.size());
      if (!x_.allFinite() || x_.norm() > kRunaway * (1.0 + before.norm())) {
        x_ = before;
        if (static_cast<Index>(band_.size()) >= level_.count) return false;
        widen_band(static_cast<Index>(parameters_.widening * band));
        widened_ = true;
        continue;
      }
      const double step = distance_between(x_, before);
      const bool whole = static_cast<Index>(band_.size()) >= level_.count;
      if (!whole && wrong_rows(moved_ + step) > parameters_.too_many_wrong * band) {
        x_ = before;
        widen_band(static_cast<Index>(parameters_.widening * band));
        widened_ = true;
        continue;
      }
      moved_ += step;
      const Wrong wrong = check();
      run_.note(band_problem_.objective(), band_problem_.hard_violation(), static_cast<Index>(band_.size()));
      if (run_.verdict().reached() || run_.next_stage()) return false;
      if (acceptable(wrong, eps)) {
        if (solved_count_ != level_.count) previous_count_ = solved_count_;
        solved_count_ = level_.count;
        return true;
      }
      join_band(wrong.rows);
    }
    return false;
  }

  // About how many frozen rows are on another side at x, from some of those that may be.
  double wrong_rows(double moved) const {
    const std::vector<Index> places = doubtful(moved);
    const auto stride = std::max<std::size_t>(1, places.size() / static_cast<std::size_t>(parameters_.judged));
    std::vector<Index> some, rows;
    for (std::size_t i = 0; i < places.size(); i += stride) {
      some.push_back(places[i]);
      rows.push_back(level_.row(places[i]));
    }
    if (rows.empty()) return 0.0;
    Vector z(static_cast<Index>(rows.size())), unused = Vector::Zero(x_.size());
    table_.read(
        x_, rows, z.data(), nullptr, [](Index, double) { return 0.0; }, unused);
    Index wrong = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      wrong += table_.row(rows[i]).state(z[static_cast<Index>(i)]) != level_.state(some[i]) ? 1 : 0;
    }
    return static_cast<double>(wrong) / static_cast<double>(rows.size()) * static_cast<double>(places.size());
  }

  bool acceptable(const Wrong& wrong, double eps) const {
    if (!level_.all()) {
      return static_cast<double>(wrong.rows.size()) <= parameters_.wrong_share * static_cast<double>(band_.size());
    }
    const double allowed = parameters_.wrong_cost / parameters_.margin * eps;
    return wrong.cost <= std::max(allowed * (1.0 + std::abs(band_problem_.objective())),
                                  parameters_.wrong_cost * band_problem_.open_gap());
  }

  void solve_band(double eps, double reduction) {
    const Journal::Phase phase(run_.journal(), "working rows");
    band_problem_.solve(level_, band_, eps, reduction, x_, [&] { return run_.tick(); });
    solved_band_ = band_;
    run_.journal().penalty(std::max(table_.largest_price(), band_problem_.xi()), band_problem_.delta());
    const Vector& z = band_problem_.band_values();
    for (std::size_t i = 0; i < band_.size(); ++i) values_[band_[i]] = z[static_cast<Index>(i)];
  }

  // Positions of frozen rows that may have changed sides when x has moved so far since the level was read.
  std::vector<Index> doubtful(double moved) const {
    std::vector<Index> out;
    const auto in_doubt = parallel::positions(level_.count, [&](Index k) { return !(keys_[k] * kCertain > moved); });
    std::set_difference(in_doubt.begin(), in_doubt.end(), band_.begin(), band_.end(), std::back_inserter(out));
    return out;
  }

  Wrong check() {
    const Journal::Phase phase(run_.journal(), level_.all() ? "full checks" : "sample checks");
    const std::vector<Index> places = doubtful(moved_);
    std::vector<Index> rows(places.size());
    std::transform(places.begin(), places.end(), rows.begin(), [&](Index k) { return level_.row(k); });
    return freeze_again(places, rows);
  }

  // Reads rows at x and freezes them to the side they are on.
  Wrong freeze_again(const std::vector<Index>& places, const std::vector<Index>& rows) {
    Vector z(static_cast<Index>(rows.size()));
    const auto weight = [&](Index i, double value) {
      const auto at = static_cast<std::size_t>(i);
      const SoftRow row = table_.row(rows[at]);
      return level_.scale * (row.slope(row.state(value)) - row.slope(level_.state(places[at])));
    };
    table_.read(x_, rows, z.data(), nullptr, weight, level_.gradient);
    Wrong out;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Index k = places[i];
      const SoftRow row = table_.row(rows[i]);
      SoftState& state = level_.states[static_cast<std::size_t>(k)];
      values_[k] = z[static_cast<Index>(i)];
      keys_[k] = moved_ + distance(k);
      const SoftState now = row.state(values_[k]);
      if (state == now) continue;
      out.rows.push_back(k);
      out.cost += level_.scale * (row.value(values_[k]) - row.extended(state, values_[k]));
      level_.constant += level_.scale * (row.constant(now) - row.constant(state));
      state = now;
    }
    return out;
  }

  // ---- certificate ----

  // Frozen rows are exactly at an end of their range of slopes, those of the band where their multipliers are.
  Vector slopes() const {
    Vector out;
    parallel::resize(out, level_.count);
    parallel::for_range(level_.count, [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) out[r] = table_.row(r).slope(level_.state(r));
    });
    const Vector& solved = band_problem_.band_slopes();
    for (std::size_t i = 0; i < solved_band_.size(); ++i) out[solved_band_[i]] = solved[static_cast<Index>(i)];
    return out;
  }

  void evaluate() {
    const Journal::Phase phase(run_.journal(), "certificate");
    problem_.prox().project(x_);
    Vector multipliers = parallel::constant(run_.system().size(), 0.0);
    if (level_.all() && !solved_band_.empty()) {
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
  Vector x_, units_;
  SoftLevel level_;
  Vector values_, norms_;                        // z and |g| of the rows of the level, where they were read last
  Vector keys_;                                  // and the length of the path of x at which they may leave their side
  double moved_ = 0.0;                           // that length so far
  bool widened_ = false;                         // the band, in the latest rounds
  Index solved_count_ = 0, previous_count_ = 0;  // x is the solution on so many rows, the one before it on so many
  double spread_ = 0.0;  // of g'(x - x') over rows, x and x' of samples, times the root of their size; 0: not known
  std::vector<Index> band_, solved_band_;
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
