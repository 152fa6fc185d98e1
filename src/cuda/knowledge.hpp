// What a device keeps of its rows besides their numbers, as plain pointers for kernels.
#pragma once

#include "cuda/block_loops.hpp"

namespace pliant::cuda {

/// Constraint i is sign g_r'x - c <= 0 of stored row r. Rows with one side: i = r and c = upper[r].
struct Sides {
  const double* lower;  ///< null: one side
  const double* upper;
  const int64_t* sides;  ///< of each constraint: 2 r, + 1 for the lower side; null: one side
  const int64_t* first;  ///< the first constraint of each stored row, and their number behind the last one

  PLIANT_HD int64_t row(int64_t i) const { return sides == nullptr ? i : sides[i] / 2; }
  PLIANT_HD bool below(int64_t i) const { return sides != nullptr && sides[i] % 2 != 0; }
  PLIANT_HD double value(int64_t i, int64_t r, double product) const {
    return below(i) ? lower[r] - product : product - upper[r];
  }
};

/// RowKnowledge without the points: one entry for each constraint.
struct Known {
  double* values;
  double* norms;
  int32_t* point_of;
  double* smoothness = nullptr;  ///< bounds of L; null: all rows are straight

  /// row_distance
  PLIANT_HD double distance(int64_t i) const {
    return row_distance(values[i], norms[i], smoothness != nullptr ? smoothness[i] : 0.0);
  }
  PLIANT_HD static double row_distance(double value, double norm, double L) {
    const double size = L > 0.0 ? sqrt(norm * norm + 2.0 * L * fabs(value)) : norm;
    return size > 0.0 ? value / size : value;
  }
  /// RowBounds: `reach` has a distance for each of `points` points.
  PLIANT_HD double bound(int64_t i, const double* reach, int32_t points) const {
    const int32_t point = points > 0 ? point_of[i] : -1;
    if (point < 0) return kInfinite;
    const double distance = reach[point];
    if (distance == 0.0) return values[i];
    const double straight = values[i] + norms[i] * distance;
    return smoothness != nullptr ? straight + 0.5 * smoothness[i] * distance * distance : straight;
  }
};

/// RowExtremes of some rows, and the first invalid one. Maxima: the order does not matter.
struct Extremes {
  double worst = 0.0, farthest = 0.0;
  int64_t invalid = kNoRow;

  PLIANT_HD static double larger(double so_far, double value) {
    if (value != value) return kInfinite;
    return value > so_far ? value : so_far;
  }
  PLIANT_HD void see(int64_t i, double value, double norm, double L) {
    if (!(norm < kInfinite) && i < invalid) invalid = i;  // NaN as well
    if (value <= 0.0) return;
    worst = larger(worst, value);
    farthest = larger(farthest, Known::row_distance(value, norm, L));
  }
  PLIANT_HD void add(const Extremes& other) {
    worst = larger(worst, other.worst);
    farthest = larger(farthest, other.farthest);
    if (other.invalid < invalid) invalid = other.invalid;
  }
};

/// Which rows a kernel reads and where it writes what it finds.
struct Task {
  const int64_t* list;  ///< constraints; null: all stored rows
  int64_t count;        ///< of the list, or of stored rows
  Known out;
  bool at_position;  ///< entry k of `out` belongs to list[k]; else entry i to constraint i
  bool keep_norms;   ///< norms are known already and stay
  int32_t point;
};

/// What is needed of a row besides its numbers: asked for before they are read, so that nobody waits for it afterwards.
struct Beside {
  double upper, norm;
};

/// What becomes of the product of one row.
struct Finish {
  Sides sides;
  Task task;

  PLIANT_HD bool one_sided() const { return sides.sides == nullptr; }
  PLIANT_HD int64_t row(int64_t k) const { return task.list == nullptr ? k : sides.row(task.list[k]); }

  /// Of entry k of the task. Rows with two sides ask for theirs later.
  PLIANT_HD Beside beside(int64_t k) const {
    Beside out{0.0, 0.0};
    if (!one_sided() || k >= task.count) return out;
    const int64_t i = row(k);
    out.upper = sides.upper[i];
    if (task.keep_norms) out.norm = task.out.norms[i];
    return out;
  }
  PLIANT_HD void operator()(int64_t k, double product, double norm, const Beside& near, Extremes& seen,
                            double L = 0.0) const {
    if (one_sided()) {
      const int64_t i = row(k);
      keep(task.at_position ? k : i, i, product - near.upper, task.keep_norms ? near.norm : norm, seen, L);
    } else if (task.list != nullptr) {
      const int64_t i = task.list[k], r = sides.row(i), at = task.at_position ? k : i;
      keep(at, i, sides.value(i, r, product), task.keep_norms ? task.out.norms[at] : norm, seen);
    } else {
      for (int64_t i = sides.first[k]; i < sides.first[k + 1]; ++i) {
        keep(i, i, sides.value(i, k, product), task.keep_norms ? task.out.norms[i] : norm, seen);
      }
    }
  }

 private:
  PLIANT_HD void keep(int64_t at, int64_t i, double value, double norm, Extremes& seen, double L = 0.0) const {
    task.out.values[at] = value;
    if (!task.keep_norms) task.out.norms[at] = norm;
    if (task.out.point_of != nullptr) task.out.point_of[at] = task.point;
    if (task.out.smoothness != nullptr) task.out.smoothness[at] = L;
    seen.see(i, value, norm, L);
  }
};

/// The extremes of a block's threads, through shared memory, as entry block.index() of `out`.
template <class Block>
PLIANT_HD void reduce_extremes(const Block& block, Extremes* shared, Extremes* out) {
  fold_to(
      block, shared, [](Extremes& u, const Extremes& v) { u.add(v); }, out);
}

}  // namespace pliant::cuda
