#include "engines/interior/presolve.hpp"

#include "parallel/stop.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <unordered_map>

namespace pliant {
namespace {

constexpr int kMostRounds = 20;
constexpr Index kRowsBetweenPolls = 1000;
// Sides that miss each other by less than this (relative) touch.
constexpr double kTouching = 1e-9;
// A row is redundant if it is by more than rounding.
constexpr double kRounding = 1e-12;
// Ratios of duplicate rows agree to this.
constexpr double kSameRatio = 1e-14;

double scale(double a, double b) {
  return 1.0 + (std::isfinite(a) ? std::abs(a) : 0.0) + (std::isfinite(b) ? std::abs(b) : 0.0);
}

std::size_t mix(std::size_t hash, std::size_t value) {
  return (hash ^ (value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2))) * 0xff51afd7ed558ccdULL;
}

}  // namespace

Presolve::Presolve(const StandardForm& form, Level level)
    : form_(form), rows_(form.A), lo_(form.lo), hi_(form.hi), lower_(form.lower), upper_(form.upper) {
  const auto n = static_cast<std::size_t>(form.variables());
  row_alive_.assign(static_cast<std::size_t>(form.rows()), 1);
  column_alive_.assign(n, 1);
  lower_owner_.assign(n, -1);
  upper_owner_.assign(n, -1);
  fixed_ = Vector::Zero(form.variables());
  if (level == Level::full && form.l1.size() == 0) {
    for (int round = 0; round < kMostRounds; ++round) {
      const bool rows = reduce_rows();
      const bool variables = !contradiction_ && fix_variables();
      const bool duplicates = !contradiction_ && merge_duplicates();
      if (contradiction_) return;
      if (!rows && !variables && !duplicates) break;
    }
    settle_lonely_variables();
  } else {
    for (Index i = 0; i < form.rows(); ++i) {
      if (lo_[i] == -kInfinity && hi_[i] == kInfinity) row_alive_[static_cast<std::size_t>(i)] = 0;
    }
  }
  build();
}

bool Presolve::reduce_rows() {
  bool changed = false;
  for (Index i = 0; i < form_.rows() && !contradiction_; ++i) {
    if (i % kRowsBetweenPolls == 0) parallel::poll();
    if (row_alive_[static_cast<std::size_t>(i)] != 0) changed = reduce_row(i) || changed;
  }
  return changed;
}

// What the living entries of a row can add up to, and what the fixed ones do.
bool Presolve::reduce_row(Index i) {
  Index count = 0, column = -1;
  double coefficient = 0.0, fixed = 0.0, least = 0.0, most = 0.0, size = 0.0;
  for (RowMatrix::InnerIterator it(rows_, i); it; ++it) {
    const Index j = it.col();
    const double a = it.value();
    if (column_alive_[static_cast<std::size_t>(j)] == 0) {
      fixed += a * fixed_[j];
      size += std::abs(a * fixed_[j]);
      continue;
    }
    ++count;
    column = j;
    coefficient = a;
    const double at_lower = a * lower_[j], at_upper = a * upper_[j];
    least += std::min(at_lower, at_upper);
    most += std::max(at_lower, at_upper);
    size += scale(at_lower, at_upper) - 1.0;
  }
  const double lo = lo_[i] - fixed, hi = hi_[i] - fixed;
  const double touching = kTouching * (scale(lo_[i], hi_[i]) + size);
  if (least > hi + touching) return contradict({{i, 1.0}});
  if (most < lo - touching) return contradict({{i, -1.0}});
  const bool free = lo == -kInfinity && hi == kInfinity;
  if (count == 0 || free) {
    row_alive_[static_cast<std::size_t>(i)] = 0;
    return true;
  }
  if (count == 1) return tighten(i, column, coefficient, lo, hi);
  if (lo_[i] == hi_[i]) return false;
  const double rounding = kRounding * (scale(lo_[i], hi_[i]) + size);
  if (lo > -kInfinity && least >= lo + rounding) lo_[i] = -kInfinity;
  if (hi < kInfinity && most <= hi - rounding) hi_[i] = kInfinity;
  if (lo_[i] > -kInfinity || hi_[i] < kInfinity) return false;
  row_alive_[static_cast<std::size_t>(i)] = 0;
  return true;
}

// A row with one living entry becomes a bound, owned by it if it is tighter than the present one.
bool Presolve::tighten(Index row, Index column, double coefficient, double lo, double hi) {
  double from = lo / coefficient, to = hi / coefficient;
  if (coefficient < 0.0) std::swap(from, to);
  const auto j = static_cast<std::size_t>(column);
  if (from > lower_[column]) {
    lower_[column] = from;
    lower_owner_[j] = row;
  }
  if (to < upper_[column]) {
    upper_[column] = to;
    upper_owner_[j] = row;
  }
  row_alive_[static_cast<std::size_t>(row)] = 0;
  events_.push_back({row, column, coefficient, true});
  return true;
}

// A variable without rows and curvature goes to the bound its cost points to; without a cost it may be anywhere. Where
// that bound is missing the program is unbounded, or infeasible: not a matter of reductions.
void Presolve::settle_lonely_variables() {
  std::vector<char> lonely(column_alive_.size(), 1);
  for (Index i = 0; i < form_.rows(); ++i) {
    if (row_alive_[static_cast<std::size_t>(i)] == 0) continue;
    for (RowMatrix::InnerIterator it(rows_, i); it; ++it) lonely[static_cast<std::size_t>(it.col())] = 0;
  }
  for (Index j = 0; j < form_.variables(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    const bool curved = form_.P.outerIndexPtr()[j] != form_.P.outerIndexPtr()[j + 1];
    if (lonely[at] == 0 || curved || column_alive_[at] == 0) continue;
    const double q = form_.q[j];
    const double place = q > 0.0 ? lower_[j] : q < 0.0 ? upper_[j] : std::min(std::max(0.0, lower_[j]), upper_[j]);
    if (!std::isfinite(place)) continue;
    fixed_[j] = place;
    column_alive_[at] = 0;
  }
}

bool Presolve::fix_variables() {
  bool changed = false;
  for (Index j = 0; j < form_.variables(); ++j) {
    const auto at = static_cast<std::size_t>(j);
    if (column_alive_[at] == 0 || lower_[j] < upper_[j]) continue;
    if (lower_[j] > upper_[j] + kTouching * scale(lower_[j], upper_[j])) return contradict_bounds(j);
    fixed_[j] = lower_[j] == upper_[j] ? lower_[j] : 0.5 * (lower_[j] + upper_[j]);
    column_alive_[at] = 0;
    changed = true;
  }
  return changed;
}

// Rows with the same living columns and the same ratios of entries, found by a hash of both.
bool Presolve::merge_duplicates() {
  std::unordered_map<std::size_t, std::vector<Index>> buckets;
  const auto entries = [&](Index i) {
    std::vector<std::pair<Index, double>> out;
    for (RowMatrix::InnerIterator it(rows_, i); it; ++it) {
      if (column_alive_[static_cast<std::size_t>(it.col())] != 0) out.emplace_back(it.col(), it.value());
    }
    return out;
  };
  bool changed = false;
  for (Index i = 0; i < form_.rows() && !contradiction_; ++i) {
    if (row_alive_[static_cast<std::size_t>(i)] == 0) continue;
    const auto mine = entries(i);
    if (mine.size() < 2) continue;  // the next round turns it into a bound, or drops it
    std::size_t hash = mine.size();
    for (const auto& [column, value] : mine) {
      const auto ratio = static_cast<float>(value / mine.front().second);
      std::uint32_t bits = 0;
      std::memcpy(&bits, &ratio, sizeof bits);
      hash = mix(mix(hash, static_cast<std::size_t>(column)), bits);
    }
    std::vector<Index>& bucket = buckets[hash];
    bool merged = false;
    for (const Index other : bucket) {
      const auto theirs = entries(other);
      if (theirs.size() != mine.size()) continue;
      const double ratio = mine.front().second / theirs.front().second;
      const bool same = std::equal(mine.begin(), mine.end(), theirs.begin(), [&](const auto& a, const auto& b) {
        return a.first == b.first && std::abs(a.second - ratio * b.second) <= kSameRatio * std::abs(a.second);
      });
      if (!same) continue;
      merged = merge(other, i, ratio);
      break;
    }
    if (!merged) bucket.push_back(i);
    changed = changed || merged;
  }
  return changed;
}

// dropped = ratio * kept: the sides of both hold for `kept`. Fixed variables may differ between the two.
bool Presolve::merge(Index kept, Index dropped, double ratio) {
  const auto fixed_part = [&](Index i) {
    double sum = 0.0;
    for (RowMatrix::InnerIterator it(rows_, i); it; ++it) {
      if (column_alive_[static_cast<std::size_t>(it.col())] == 0) sum += it.value() * fixed_[it.col()];
    }
    return sum;
  };
  const double shift = fixed_part(kept) - fixed_part(dropped) / ratio;
  double lo = lo_[dropped] / ratio + shift, hi = hi_[dropped] / ratio + shift;
  if (ratio < 0.0) std::swap(lo, hi);
  Event event{dropped, kept, ratio, false};
  const double touching = kTouching * scale(lo_[kept], hi_[kept]);
  if (lo > hi_[kept] + touching) return contradict({{kept, 1.0}, {dropped, -1.0 / ratio}});
  if (hi < lo_[kept] - touching) return contradict({{kept, -1.0}, {dropped, 1.0 / ratio}});
  if (lo_[kept] < hi_[kept]) {  // an equality is as tight as can be
    event.took_upper = hi < hi_[kept];
    event.took_lower = lo > lo_[kept];
    if (event.took_upper) hi_[kept] = hi;
    if (event.took_lower) lo_[kept] = std::min(lo, hi_[kept]);
  }
  row_alive_[static_cast<std::size_t>(dropped)] = 0;
  events_.push_back(event);
  return true;
}

// What these rows add up to, with their multipliers, no x within the bounds satisfies.
bool Presolve::contradict(std::initializer_list<std::pair<Index, double>> rows) {
  contradiction_ = true;
  contradicting_ = Vector::Zero(form_.rows());
  for (const auto& [row, multiplier] : rows) contradicting_[row] = multiplier;
  return false;
}

// One of two bounds that cross is a row's; where the other is one, too, its row follows when its multiplier is restored.
bool Presolve::contradict_bounds(Index j) {
  const auto at = static_cast<std::size_t>(j);
  const bool upper = upper_owner_[at] >= 0;
  const Index row = upper ? upper_owner_[at] : lower_owner_[at];
  if (row < 0) return contradict({});
  return contradict({{row, (upper ? 1.0 : -1.0) / rows_.coeff(row, j)}});
}

Vector Presolve::contradicting_duals() const {
  Vector y = contradicting_;
  undo(Vector::Zero(form_.variables()), false, y);
  return y;
}

void Presolve::build() {
  std::vector<int> place(static_cast<std::size_t>(form_.variables()), -1);
  for (Index j = 0; j < form_.variables(); ++j) {
    if (column_alive_[static_cast<std::size_t>(j)] == 0) continue;
    place[static_cast<std::size_t>(j)] = static_cast<int>(kept_columns_.size());
    kept_columns_.push_back(j);
  }
  std::vector<int> row_place(static_cast<std::size_t>(form_.rows()), -1);
  for (Index i = 0; i < form_.rows(); ++i) {
    if (row_alive_[static_cast<std::size_t>(i)] == 0) continue;
    row_place[static_cast<std::size_t>(i)] = static_cast<int>(kept_rows_.size());
    kept_rows_.push_back(i);
  }
  const auto restrict_to = [&](const SparseMatrix& S, const std::vector<int>& rows, std::size_t count) {
    std::vector<Eigen::Triplet<double, int>> entries;
    for (const Index j : kept_columns_) {
      for (SparseMatrix::InnerIterator it(S, static_cast<int>(j)); it; ++it) {
        const int row = rows[static_cast<std::size_t>(it.row())];
        if (row >= 0) entries.emplace_back(row, place[static_cast<std::size_t>(j)], it.value());
      }
    }
    SparseMatrix out(static_cast<int>(count), static_cast<int>(kept_columns_.size()));
    out.setFromTriplets(entries.begin(), entries.end());
    return out;
  };
  reduced_.P = restrict_to(form_.P, place, kept_columns_.size());
  reduced_.A = restrict_to(form_.A, row_place, kept_rows_.size());
  const Vector q = form_.q + form_.P * fixed_;
  const Vector shift = form_.A * fixed_;
  reduced_.constant = form_.constant + fixed_.dot(form_.q) + 0.5 * fixed_.dot(form_.P * fixed_);
  reduced_.q = q(kept_columns_);
  reduced_.lower = lower_(kept_columns_);
  reduced_.upper = upper_(kept_columns_);
  reduced_.lo = (lo_ - shift)(kept_rows_);
  reduced_.hi = (hi_ - shift)(kept_rows_);
  if (form_.l1.size() > 0) reduced_.l1 = form_.l1(kept_columns_);
}

Vector Presolve::restore_x(const Vector& x) const {
  Vector out = fixed_;
  out(kept_columns_) = x;
  return out;
}

double Presolve::gradient(Index column, const Vector& Px, const Vector& y, bool with_objective) const {
  double sum = with_objective ? form_.q[column] + Px[column] : 0.0;
  for (SparseMatrix::InnerIterator it(form_.A, static_cast<int>(column)); it; ++it) sum += it.value() * y[it.row()];
  return sum;
}

Vector Presolve::restore_y(const Vector& x, const Vector& y, bool with_objective) const {
  Vector out = Vector::Zero(form_.rows());
  out(kept_rows_) = y;
  undo(form_.P * x, with_objective, out);
  return out;
}

void Presolve::undo(const Vector& Px, bool with_objective, Vector& out) const {
  for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
    if (event->singleton) {
      const auto j = static_cast<std::size_t>(event->other);
      const double g = gradient(event->other, Px, out, with_objective);
      const bool at_upper = g < 0.0 && upper_owner_[j] == event->row;
      const bool at_lower = g > 0.0 && lower_owner_[j] == event->row;
      if (at_upper || at_lower) out[event->row] = -g / event->ratio;
    } else {
      const double kept = out[event->other];
      const bool moves = (kept > 0.0 && event->took_upper) || (kept < 0.0 && event->took_lower);
      if (!moves) continue;
      out[event->row] = kept / event->ratio;
      out[event->other] = 0.0;
    }
  }
}

}  // namespace pliant
