#include "engines/path/soft_bands.hpp"

#include "engines/path/band_rounds.hpp"
#include "engines/path/held_soft.hpp"
#include "parallel/long_vectors.hpp"
#include "parallel/stop.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace pliant {
namespace {

class BandLoop : private BandRounds {
 public:
  BandLoop(Context& run, InnerPoint& point, SoftMass& mass, const BandParameters& parameters,
           BandBudget* budget = nullptr)
      : BandRounds(run, mass, point.x, parameters, budget != nullptr ? &budget->budget : nullptr),
        point_(point),
        judge_of_budget_(budget) {}

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
    const auto samples =
        draw_samples(mass_.size(), problem_.dimension(), run_.settings().seed, mass_.most_sample(), parameters_);
    mass_.announce(samples);
    for (const std::vector<Index>& sample : samples) {
      SoftLevel level = copied(sample);
      if (budget_ == nullptr) level.linear = tied_linear_part(level, band_problem_.linear(), parameters_);
      solve_level(std::move(level), target());
      if (stopped()) return evaluate();
    }
    for (Index round = 0; round < parameters_.most_sharpened && sharpen(); ++round) {
      if (stopped()) return evaluate();
    }
    double eps = target();
    if (!solve_level(all_rows(), eps) || !settle_far(eps)) return give_up();
    while (!judge()) {
      eps *= parameters_.tightening;
      if (eps < parameters_.finest) break;
      if (!solve_rounds(eps) || !settle_far(eps)) return give_up();
    }
    if (run_.verdict().reached()) return;
    run_.verdict().conclude(Status::numerical_error, "rounding stopped the bands short of the tolerances");
  }

  // ---- levels ----

  void give_up() {
    if (judge() || run_.verdict().reached()) return;
    run_.verdict().conclude(Status::numerical_error, "no band of soft rows holds the solution");
  }

  SoftLevel copied(const std::vector<Index>& sample) {
    const Journal::Phase phase(run_.journal(), checks(false));
    SoftLevel level = sample_level(mass_, sample);
    if (mass_.units().size() > 0) return level;
    // The first sample shows the units of the variables that distances are measured in.
    mass_.set_units(level.copies->find_units());
    level.copies->set_units(mass_.units());
    return level;
  }

  // Where many rows are elsewhere that a band would have: a sample of these, beside the exact sum over all rows where x is, is
  // off by less than one of all rows. False: a band may have them.
  bool sharpen() {
    if (!width_.started()) return false;
    NearSample near;
    {
      const Journal::Phase phase(run_.journal(), checks(true));
      near = mass_.sample_near(x_, width_.wish(mass_.size()));
    }
    if (!near.copies) return false;
    solve_level(near_level(std::move(near), mass_.size(), rest_), target());
    return true;
  }

  SoftLevel all_rows() {
    const Journal::Phase phase(run_.journal(), checks(true));
    begin_ = x_;
    return whole_level(mass_.read(x_, width_.wish(mass_.size())), mass_.size());
  }

  // Reads the level at x, chooses a band and comes near to the solution on it; on all rows, goes there. False: no band does
  // it.
  bool solve_level(SoftLevel level, double eps) {
    read(std::move(level));
    begin_band();
    const Vector before = x_;
    const bool near = approach();
    if (rows_.level().all()) return !run_.verdict().reached() && solve_rounds(eps);
    if (!near) return false;
    width_.learn(rows_.rarest_side(), [&] { return rows_.root_mean_square(x_ - before, band_, parameters_.judged); });
    return true;
  }

  void read(SoftLevel level) {
    const Journal::Phase phase(run_.journal(), checks(level.all()));
    const FrozenSum* far = level.all() ? &mass_.far() : (level.part ? &rest_ : nullptr);
    const double reach = width_.wish(level.count()).reach;
    rows_.read(std::move(level), x_, far, reach);
  }

  // ---- rows elsewhere ----

  // Rows that are elsewhere are looked at once the problem without them is solved. Those on another side come here, and it
  // is solved again; where they are too many, from the beginning, with more rows around the point they were frozen at.
  bool settle_far(double eps) {
    for (Index round = 0; round < parameters_.max_rounds; ++round) {
      const Index here = rows_.level().count();
      const WrongRows wrong = check_far(x_);
      if (wrong.count == 0) return true;
      if (stopped()) return false;
      if (wrong.copies) {
        take(wrong.copies);
        std::vector<Index> came(static_cast<std::size_t>(rows_.level().count() - here));
        std::iota(came.begin(), came.end(), here);
        join_band(came);
        if (!solve_rounds(eps)) return false;
        continue;
      }
      x_ = begin_;
      const auto more = static_cast<Index>(std::ceil((parameters_.widening - 1.0) * static_cast<double>(here)));
      take(mass_.nearest(std::max(more, least_here())));
      read(rows_.release());
      begin_band();
      if (!approach() && stopped()) return false;
      if (!solve_rounds(eps)) return false;
    }
    return false;
  }

  // At the point that is certified.
  WrongRows check_far(Vector x) {
    const Journal::Phase phase(run_.journal(), checks(true));
    problem_.prox().project(x);
    const double most = parameters_.too_many_wrong * static_cast<double>(rows_.level().count());
    return mass_.check(x, std::max(static_cast<Index>(most), least_here()));
  }
  // So few rows are worth no thought.
  Index least_here() const { return parameters_.last_band * problem_.dimension(); }

  // ---- certificate ----

  // Frozen rows are exactly at an end of their range of slopes, those of the band where their multipliers are.
  Vector slopes() const {
    Vector out;
    const double theta = band_problem_.theta();
    const SoftLevel& level = rows_.level();
    parallel::resize(out, level.count());
    parallel::for_range(level.count(), [&](Index begin, Index end) {
      for (Index r = begin; r < end; ++r) out[r] = theta * level.row(r).slope(level.state(r));
    });
    const Vector& solved = band_problem_.band_slopes();
    for (std::size_t i = 0; i < solved_band_.size(); ++i) out[solved_band_[i]] = solved[static_cast<Index>(i)];
    return out;
  }

  Vector multipliers() const {
    const bool known = rows_.level().all() && !solved_band_.empty();
    if (!known) return parallel::constant(run_.system().size(), 0.0);
    const ConstraintSystem& system = run_.system();
    const SoftTable& table = *rows_.level().table;
    Vector out;
    parallel::resize(out, system.size());
    for (Index s = 0; s < system.segments(); ++s) {
      if (table.in_place() && !system.caps(s).empty()) continue;  // written below
      parallel::fill(out.segment(system.segment_begin(s), system.batch(s).size()), 0.0);
    }
    if (table.in_place()) {
      table.spread({rows_.level().states, solved_band_, band_problem_.band_slopes()}, band_problem_.theta(), out);
    }
    band_problem_.spread_hard(out);
    return out;
  }

  // Rows elsewhere that have not been looked at since x moved may be on other sides: then they are frozen again where it is,
  // and nothing is known of multipliers.
  void evaluate_far(const Vector& multipliers) {
    const bool known = rows_.level().all() && check_far(point_.x).count == 0;
    if (known) return evaluate_held_soft(run_, mass_, {*rows_.level().table, slopes(), multipliers}, point_);
    const RowsHere none = mass_.read(point_.x, {});
    evaluate_held_soft(run_, mass_, {*none.copies, Vector(), Vector::Zero(multipliers.size())}, point_);
  }

  void evaluate() {
    const parallel::StopScope undisturbed(nullptr);  // a limit that was met does not cut off what is kept of it
    const Journal::Phase phase(run_.journal(), "certificate");
    point_.x = x_;  // frozen rows know where x_ is: it stays there
    problem_.prox().project(point_.x);
    if (budget_ != nullptr) {
      accepted_ = judge_of_budget_->judge(point_.x, multipliers(), band_problem_.theta());
      return;
    }
    if (mass_.held_elsewhere()) return evaluate_far(multipliers());
    evaluate_lagrangian(problem_, run_.system(), point_.x, multipliers(), point_.at);
  }

  bool judge() {
    evaluate();
    if (budget_ == nullptr) return run_.judge(std::move(point_));  // rows are evaluated anew for another certificate
    if (accepted_) run_.verdict().conclude(Status::optimal, "");
    return accepted_ || stopped();
  }

  InnerPoint& point_;
  BandBudget* judge_of_budget_;  // null: none
  bool accepted_ = false;
  Vector begin_;    // where all rows were read
  FrozenSum rest_;  // beside a sample of rows near a kink
};

}  // namespace

void solve_with_bands(Context& run, InnerPoint& point, const BandParameters& parameters) {
  LocalSoft rows(run.problem(), run.system());
  solve_with_bands(run, point, rows, parameters);
}

void solve_with_bands(Context& run, InnerPoint& point, SoftMass& rows, const BandParameters& parameters) {
  BandLoop(run, point, rows, parameters).run();
}

void solve_with_budget(Context& run, InnerPoint& point, BandBudget& budget, const BandParameters& parameters) {
  LocalSoft rows(run.problem(), run.system());
  BandLoop(run, point, rows, parameters, &budget).run();
}

}  // namespace pliant
