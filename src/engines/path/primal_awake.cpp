// Newton steps that read only the rows they can come near to.
//
// Scaled values of linear rows and of eigenvalues of cones change by no more than x moves. A row below -near delta - r at a
// point has no weight within r of it, is not read there, and sleeps. Where a step leads farther, all wake.
#include "engines/path/primal_path.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {

RowSelection& PrimalPath::choose_awake(RowSelection& rows, const Vector& x) {
  if (asleep_ && longest_awake(x, direction_) < first_trial()) {
    wake(x);
    stays_ = false;
    return rows;
  }
  return asleep_ || fall_asleep(rows, x) ? awake_ : rows;
}

double PrimalPath::longest_awake(const Vector& x, const Vector& d) const {
  if (!asleep_) return kInfinity;
  return (awake_radius_ - (x - awake_center_).norm()) / d.norm();
}

// Values and slacks of all rows at x are known.
bool PrimalPath::fall_asleep(RowSelection& rows, const Vector& x) {
  awake_radius_ = parameters_.awake_steps * first_trial() * direction_.norm();
  const double threshold = -parameters_.near * delta_ - awake_radius_;
  awake_positions_.clear();
  Index group = 1;
  for (Index first = 0; first < rows_count_; first += group) {
    group = rows.group(first);
    bool awake = false;
    for (Index i = first; i < first + group; ++i) {
      awake = awake || !(a_[i] < threshold) || !steady_[static_cast<std::size_t>(i)];
    }
    for (Index i = first; i < first + group && awake; ++i) awake_positions_.push_back(i);
  }
  const auto count = static_cast<double>(awake_positions_.size());
  if (!stays_ || count > parameters_.most_awake * static_cast<double>(rows_count_)) return false;
  awake_.select(rows, awake_positions_);
  awake_.stay_with(rows);
  awake_center_ = x;
  asleep_ = true;
  return true;
}

void PrimalPath::wake(const Vector& x) {
  if (!asleep_) return;
  const double moved = (x - awake_center_).norm();
  auto next = awake_positions_.begin();
  for (Index i = 0; i < rows_count_; ++i) {
    if (next != awake_positions_.end() && *next == i) {
      ++next;
    } else {
      a_[i] += moved;
    }
  }
  asleep_ = false;
}

}  // namespace pliant
