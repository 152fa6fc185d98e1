#include "engines/stochastic/sdca.hpp"

#include "engines/stochastic/dual_coordinates.hpp"
#include "engines/stochastic/dual_extrapolation.hpp"
#include "linalg/no_allocation.hpp"
#include "penalty/initial_penalty.hpp"
#include "random/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace pliant {
namespace {

constexpr std::uint64_t kOrderStream = 0x5dca;  // apart from the streams of generated instances

class DualAscent {
 public:
  DualAscent(Context& run, InnerPoint& point, const SdcaParameters& parameters)
      : run_(run),
        point_(point),
        parameters_(parameters),
        dual_(run.problem(), run.system()),
        stream_(static_cast<std::uint64_t>(run.settings().seed), kOrderStream),
        order_(static_cast<std::size_t>(dual_.size())) {
    std::iota(order_.begin(), order_.end(), Index{0});
    multipliers_ = Vector::Zero(run.system().size());
    for (Index s = 0; s < run.system().segments(); ++s) {
      row_bytes_ += static_cast<double>(run.system().batch(s).bytes(Rows::range(0, run.system().batch(s).size())));
    }
  }

  void start() {
    run_.incumbent().use_slater_point();
    xi_ = initial_penalty(run_.problem(), run_.system(), run_.settings(), point_.x).xi;
    const Vector& given = point_.at.multipliers;
    if (given.size() == multipliers_.size() && given.size() > 0) {
      multipliers_ = given;
      if (!run_.settings().xi) xi_ = std::max(xi_, 2.0 * given.maxCoeff());
      if (judge(point_.x)) return;
      dual_.adopt(point_.x, multipliers_.cwiseMin(xi_));
      run_.journal().objective_components += dual_.objective();
    }
  }

  void iterate() {
    Index since_judged = 0, wait = 1, stuck = 0;
    while (!run_.verdict().reached()) {
      const Epoch found = epoch();
      const bool stop = run_.tick();
      ++since_judged;
      stuck = found.saturated ? stuck + 1 : 0;
      if (stuck >= parameters_.patience && !run_.settings().xi) {
        stuck = 0;
        extrapolation_.restart();
        const double before = std::exchange(xi_, xi_ * parameters_.xi_growth);
        if (run_.note_xi(before, xi_)) {
          judge(dual_.x());
          break;
        }
      }
      const bool promising =
          found.violation <= parameters_.look_ahead * run_.incumbent().feasibility_target() &&
          found.gap <= parameters_.look_ahead * run_.incumbent().gap_target(run_.incumbent().latest().objective);
      if (!stop && since_judged < (promising ? wait : parameters_.judge_every)) continue;
      wait = promising ? std::min(2 * wait, parameters_.judge_every) : 1;  // a promise that was not kept counts less
      since_judged = 0;
      if (judge(dual_.x()) || stop || run_.next_stage()) break;
    }
  }

 private:
  struct Epoch {
    double gap = 0.0, violation = 0.0;
    bool saturated = false;
  };

  // A new order (Fisher and Yates) and a new sequence of iterates, after the last one was extrapolated.
  void begin_sequence() {
    for (std::size_t k = 0; k < order_.size(); ++k) {
      const Index left = static_cast<Index>(order_.size() - k);
      std::swap(order_[k], order_[k + static_cast<std::size_t>(stream_.below(drawn_++, left))]);
    }
    extrapolation_.restart();
    extrapolation_.keep(dual_);
  }

  // Every coordinate once.
  Epoch epoch() {
    if (extrapolation_.empty()) begin_sequence();
    const double xi = xi_, tolerance = run_.incumbent().feasibility_target();
    Epoch found;
    for (const Index i : order_) {
      const NoAllocationScope no_allocation;
      const DualCoordinates::Visit visit = dual_.visit(i, xi);
      found.gap += visit.gap;
      found.violation = std::max(found.violation, visit.violation);
      found.saturated = found.saturated || (visit.saturated && visit.violation > tolerance);
    }
    run_.journal().objective_components += dual_.objective();
    run_.system().charge_components(dual_.size() - dual_.objective(), row_bytes_);
    extrapolation_.keep(dual_);
    if (extrapolation_.ready()) {
      const Index read = extrapolation_.apply(dual_, xi);
      run_.system().charge_components(read, row_bytes_ * static_cast<double>(read) / static_cast<double>(dual_.size()));
      extrapolation_.restart();
    }
    return found;
  }

  bool judge(const Vector& x) {
    if (&x == &dual_.x()) dual_.multipliers(multipliers_);
    if (&x != &point_.x) point_.x = x;
    evaluate_lagrangian(run_.problem(), run_.system(), point_.x, multipliers_, point_.at);
    run_.journal().objective_components += run_.problem().components();
    run_.journal().penalty(xi_, 0.0);
    return run_.judge(point_);
  }

  Context& run_;
  InnerPoint& point_;
  const SdcaParameters& parameters_;
  DualCoordinates dual_;
  DualExtrapolation extrapolation_;
  const random::Stream stream_;
  Index drawn_ = 0;
  std::vector<Index> order_;
  Vector multipliers_;
  double xi_ = 1.0;         // of the exact penalty
  double row_bytes_ = 0.0;  // of all rows
};

}  // namespace

std::string sdca_obstacle(const Problem& problem) { return DualCoordinates::obstacle(problem); }

void solve_with_dual_coordinates(Context& run, InnerPoint& point, const SdcaParameters& parameters) {
  DualAscent ascent(run, point, parameters);
  ascent.start();
  ascent.iterate();
}

}  // namespace pliant
