#include "engines/path/band_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace pliant {
namespace {

// x farther away than this many times where it was: the problem on the band is unbounded.
constexpr double kRunaway = 1e6;

}  // namespace

BandRounds::BandRounds(Context& run, SoftMass& mass, Vector x, const BandParameters& parameters, PriceBudget* budget)
    : run_(run),
      problem_(run.problem()),
      mass_(mass),
      parameters_(parameters),
      budget_(budget),
      width_(problem_.dimension(), parameters),
      band_problem_(problem_, run.system(), budget),
      x_(std::move(x)) {}

double BandRounds::target() const {
  const Settings& s = run_.settings();
  return parameters_.margin * std::min(s.tol_feas, s.tol_gap);
}

// Where some rows are elsewhere, those that came are the band.
Index BandRounds::band_size() const {
  if (some_elsewhere()) return rows_.level().count();
  const NearWish wish = width_.wish(rows_.level().count());
  return wish.reach < 0.0 ? wish.count : std::max(wish.count, rows_.within_reach());
}

// ---- the band ----

void BandRounds::begin_band() {
  band_.clear();
  known_.forget();
  solved_band_.clear();
  solved_width_ = 0.0;
  join_band(rows_.nearest(band_size()));
}

void BandRounds::join_band(const std::vector<Index>& added) {
  std::vector<Index> all;
  std::set_union(band_.begin(), band_.end(), added.begin(), added.end(), std::back_inserter(all));
  if (all.size() != band_.size()) known_.forget();
  band_ = std::move(all);
}

// False: the rows that are left have no price or do not depend on x.
bool BandRounds::widen_band() {
  const std::size_t before = band_.size();
  const auto wanted = static_cast<Index>(std::ceil(parameters_.widening * static_cast<double>(before)));
  if (rows_.level().all() && wanted > rows_.level().count()) {
    const Journal::Phase phase(run_.journal(), checks(true));
    take(mass_.nearest(wanted - rows_.level().count()));
  }
  join_band(rows_.nearest(wanted));
  return band_.size() > before;
}

// Places in the band of rows within `reach` of a kink, no fewer than kinks become narrower, and than a band of this level has
// been too narrow with: rows that tie stay at their kinks.
std::vector<Index> BandRounds::near_kinks(double reach) const {
  const auto least = std::max({parameters_.last_band * problem_.dimension(), narrowest_,
                               static_cast<Index>(parameters_.narrowing * static_cast<double>(band_.size()))});
  return rows_.near_of(band_, known_, reach, least);
}

// Others are frozen to the side they are on.
void BandRounds::shrink_band(const std::vector<Index>& near) {
  std::vector<Index> staying, leaving;
  std::size_t next = 0;
  for (std::size_t i = 0; i < band_.size(); ++i) {
    const bool stays = next < near.size() && near[next] == static_cast<Index>(i);
    (stays ? staying : leaving).push_back(band_[i]);
    next += stays ? 1 : 0;
  }
  rows_.freeze(x_, leaving, known_of(leaving));
  known_ = known_of(staying);
  band_ = std::move(staying);
}

// Of some of the rows of the band, ascending.
BandProblem::BandRows BandRounds::known_of(const std::vector<Index>& rows) const {
  const auto count = static_cast<Index>(rows.size());
  BandProblem::BandRows out{Vector(count), Vector(count)};
  Index at = 0;
  for (Index k = 0; k < count; ++k, ++at) {
    while (band_[static_cast<std::size_t>(at)] != rows[static_cast<std::size_t>(k)]) ++at;
    out.values[k] = known_.values[at];
    out.norms[k] = known_.norms[at];
  }
  return out;
}

// ---- rough solves ----

// As wide as the band allows, or as rows are away from their kinks where it has all of them.
double BandRounds::first_width() const {
  std::vector<double> distances(band_.size());
  std::transform(band_.begin(), band_.end(), distances.begin(), [&](Index k) { return rows_.distance_read(k); });
  if (width_.started()) return *std::max_element(distances.begin(), distances.end()) / parameters_.kinks;
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle;
}

// Solves with smoothed kinks, narrower ones each time, on a band that becomes narrower with them. False: none of them
// got anywhere.
bool BandRounds::approach() {
  if (band_.empty()) return false;
  double delta = first_width();
  if (delta == 0.0) delta = parameters_.first_width * (1.0 + x_.lpNorm<Eigen::Infinity>());
  Ties ties;
  Index retries = 0;
  narrowest_ = 0;
  for (Index round = 0; round < parameters_.max_rounds && delta > 0.0; ++round) {
    const Vector before = x_;
    const double theta = band_problem_.theta();
    const bool solved = solve_smoothed(delta);
    if (stopped()) return false;
    if (!solved && whole() && !ran_away(before) && ++retries <= parameters_.most_retries) {
      keep_values();
      continue;
    }
    if (!holds(before, theta, solved)) {
      if (!widen_band()) return false;
      narrowest_ = static_cast<Index>(band_.size());
      delta *= parameters_.widening;
      continue;
    }
    const FrozenRows::Wrong wrong = check(before);
    if (note_and_stop()) return false;
    if (!cheap(wrong)) {
      join_band(wrong.rows);
      continue;
    }
    const std::vector<Index> near = near_kinks(reach_of(parameters_.kinks * parameters_.narrowing, delta));
    if (near_enough(delta, ties) || as_hard(near)) {
      if (rows_.level().all()) shrink_band(near);
      width_.remember(rows_.level().stands_for);
      solved_width_ = delta;
      return true;
    }
    delta *= parameters_.narrowing;
    shrink_band(near);
  }
  return false;
}

bool BandRounds::solve_smoothed(double delta) {
  const Journal::Phase phase(run_.journal(), "working rows");
  const bool solved =
      band_problem_.solve_smoothed(rows_.level(), band_, known_, delta, x_, [&] { return run_.tick(); });
  run_.journal().penalty(mass_.largest_price(), delta);
  return solved;
}

// So many widths of smoothed kinks. A multiplier that is small beside its price, lambda = c exp(-t), has its row t widths
// away from the kink: where prices are high for all rows, those that are undecided are that much farther away.
double BandRounds::reach_of(double widths, double delta) const {
  return (widths + std::max(0.0, band_problem_.depth() - parameters_.usual_depth)) * delta;
}

// Where sampling is off by as much as smoothing, or the rows that are still open are those that stay at a kink.
bool BandRounds::near_enough(double delta, Ties& ties) const {
  const auto n = static_cast<double>(problem_.dimension()), rows = static_cast<double>(rows_.level().count());
  const auto open = static_cast<double>(rows_.near_of(band_, known_, reach_of(parameters_.undecided, delta)).size());
  const bool stalls = ++ties.widths > parameters_.least_widths && open > parameters_.stalled * ties.open;
  ties.stalls = stalls ? ties.stalls + 1 : 0;
  ties.open = open;
  if (ties.stalls >= parameters_.most_stalls) return true;
  // For a fixed multiplier of a budget x jumps where kinks are narrow; the exact solve looks for both.
  if (budget_ != nullptr && rows_.level().all() && band_problem_.open_gap() <= allowed_gap()) return true;
  return open <= (rows_.level().all() ? parameters_.last_open * n : parameters_.blur * std::sqrt(n * rows));
}

// Of a rough solve: a wrong row costs little where it is near its kink.
bool BandRounds::cheap(const FrozenRows::Wrong& wrong) const {
  if (!rows_.level().all()) {
    return static_cast<double>(wrong.rows.size()) <= parameters_.wrong_share * static_cast<double>(band_.size());
  }
  return band_problem_.theta() * wrong.cost <= parameters_.wrong_cost * band_problem_.open_gap();
}

// Where prices are far above multipliers, rows at their kinks are as good as hard ones, of which the elastic method makes
// less: kinks become narrower for nothing once the band does not.
bool BandRounds::as_hard(const std::vector<Index>& near) const {
  return rows_.level().all() && band_problem_.depth() > parameters_.usual_depth + parameters_.deeper &&
         static_cast<double>(near.size()) > parameters_.hardly_less * static_cast<double>(band_.size());
}

// ---- exact solves ----

bool BandRounds::whole() const {
  return static_cast<Index>(band_.size()) >= rows_.level().count() && !some_elsewhere();
}

bool BandRounds::ran_away(const Vector& before) const {
  return !x_.allFinite() || x_.norm() > kRunaway * (1.0 + before.norm()) || !std::isfinite(band_problem_.theta());
}

// Whether the band held the solution, as far as that can be told without a check of all rows; else everything is as
// before.
bool BandRounds::holds(const Vector& before, double theta, bool solved) {
  const bool lost = !solved || ran_away(before);
  if (!lost && (whole() || !misses_too_many(before))) return true;
  x_ = before;
  known_.forget();
  band_problem_.set_theta(theta);
  return false;
}

bool BandRounds::solve_rounds(double eps) {
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

bool BandRounds::note_and_stop() {
  run_.note(band_problem_.objective(), band_problem_.hard_violation(), static_cast<Index>(band_.size()));
  return run_.verdict().reached() || run_.next_stage();
}

void BandRounds::solve_band(double eps) {
  const Journal::Phase phase(run_.journal(), "working rows");
  band_problem_.solve(rows_.level(), band_, known_, eps, solved_width_, x_, [&] { return run_.tick(); });
  solved_width_ = 0.0;
  solved_band_ = band_;
  run_.journal().penalty(std::max(mass_.largest_price(), band_problem_.xi()), band_problem_.delta());
}

bool BandRounds::misses_too_many(const Vector& before) {
  const Journal::Phase phase(run_.journal(), checks(rows_.level().all()));
  const double wrong = rows_.estimate_wrong(x_, rows_.distance_between(x_, before), band_, parameters_.judged);
  return wrong > parameters_.too_many_wrong * static_cast<double>(band_.size());
}

FrozenRows::Wrong BandRounds::check(const Vector& before) {
  const Journal::Phase phase(run_.journal(), checks(rows_.level().all()));
  keep_values();
  return rows_.check(x_, rows_.distance_between(x_, before), band_);
}

// ---- rows elsewhere ----

// They join the others of the level, which is read again where x is.
void BandRounds::take(const std::unique_ptr<SoftTable>& rows) {
  if (!rows) return;
  SoftLevel level = rows_.release();
  level.copies->append(*rows);
  rows_.read(std::move(level), x_, &mass_.far());  // those that came are the band: nothing is counted
}

}  // namespace pliant
