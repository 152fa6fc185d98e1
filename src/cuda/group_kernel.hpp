// One read of rows that are smooth functions of a few products with x:
//
//   quadratic     1/2 |Fx|^2 + q'x           products z = Fx and q'x, gradient F'z + q, L = largest eigenvalue of FF'
//   log-sum-exp   ln sum_k exp(a_k'x + b_k)  products z = Ax, gradient A'p, p the softmax of z + b, L <= max |a_k|^2
//
// The gradient is a sum of the same numbers with weights that are known only after the products: |sum_k w_k a_k|^2 =
// w'(AA')w, and the few numbers of AA' are added up in the same read. Eight threads share a row or two; their sums
// wait in shared memory until every thread of the block has a row of its own to turn into value, norm and L.
#pragma once

#include "cuda/linear_kernel.hpp"

namespace pliant::cuda {

constexpr double kProductRounding = 1e-13;  // of entries of AA', relative to |a_k| |a_l|, generously
constexpr double kBoundMargin = 1e-12;      // relative, of bounds of L

/// What becomes of the products of one row: the first `terms` of them are those of F or A.
struct GroupRow {
  bool exponential;
  int terms;
  double value = 0.0, norm = 0.0, smoothness = 0.0;

  /// `products`: all[k] = a_k'x, that of q last, then a_k'a_l for l <= k, row after row.
  template <int kTerms>
  PLIANT_HD void finish(const double* products, const double* offsets) {
    double w[static_cast<size_t>(kTerms)];
    if (exponential) {
      weigh_exponentials<kTerms>(products, offsets, w);
    } else {
      weigh_squares<kTerms>(products, w);
    }
    const double* const gram = products + kTerms;
    double square = 0.0, reach = 0.0, frobenius = 0.0, largest = 0.0;
    PLIANT_UNROLL
    for (int k = 0; k < kTerms; ++k) {
      const double own = gram[k * (k + 1) / 2 + k];
      double row = 0.0;
      PLIANT_UNROLL
      for (int l = 0; l < kTerms; ++l) {
        const double product = k >= l ? gram[k * (k + 1) / 2 + l] : gram[l * (l + 1) / 2 + k];
        square = fma(w[k] * w[l], product, square);
        if (k < terms && l < terms) {
          row += fabs(product);
          frobenius = fma(product, product, frobenius);
        }
      }
      reach += fabs(w[k]) * sqrt(own);
      const double bound = exponential ? own : row;
      if (k < terms && !(bound <= largest)) largest = bound;
    }
    norm = sqrt((square > 0.0 ? square : (square != square ? square : 0.0)) + kProductRounding * reach * reach);
    const double root = sqrt(frobenius);
    smoothness = (exponential || largest < root ? largest : root) * (1.0 + kBoundMargin);
  }

 private:
  template <int kTerms>
  PLIANT_HD void weigh_squares(const double* z, double (&w)[static_cast<size_t>(kTerms)]) {
    PLIANT_UNROLL
    for (int k = 0; k < kTerms; ++k) {
      w[k] = k < terms ? z[k] : (k == terms ? 1.0 : 0.0);
      value = k < terms ? fma(0.5 * z[k], z[k], value) : (k == terms ? value + z[k] : value);
    }
  }
  template <int kTerms>
  PLIANT_HD void weigh_exponentials(const double* z, const double* offsets, double (&w)[static_cast<size_t>(kTerms)]) {
    double largest = -kInfinite, sum = 0.0;
    PLIANT_UNROLL
    for (int k = 0; k < kTerms; ++k) {
      w[k] = k < terms ? z[k] + offsets[k] : -kInfinite;
      if (!(w[k] <= largest)) largest = w[k];
    }
    PLIANT_UNROLL
    for (int k = 0; k < kTerms; ++k) {
      w[k] = exp(w[k] - largest);
      sum += w[k];
    }
    PLIANT_UNROLL
    for (int k = 0; k < kTerms; ++k) w[k] /= sum;
    value = largest + log(sum);
  }
};

/// Up to kTerms rows of numbers for each constraint, q included.
template <class T, int kPack, int kTerms>
struct ReadGroups {
  const T* numbers;
  int64_t width;
  const double* x;
  Finish finish;
  Extremes* found;
  const T* linear = nullptr;        ///< quadratic: q
  const double* offsets = nullptr;  ///< log-sum-exp: b
  int32_t terms = 0;

  static constexpr int kLanes = 8;
  static constexpr int kGroups = kThreads / kLanes;
  static constexpr int kRows = kTerms <= 4 ? 2 : 1;   // under way in each group: two blocks of more sums find no room
  static constexpr int kAhead = kTerms <= 4 ? 2 : 1;  // steps along a row whose loads are under way: registers again
  static constexpr int kSums = kTerms + kTerms * (kTerms + 1) / 2;
  static constexpr int kRounds = kThreads / (kGroups * kRows);  // of rows, until every thread has one to finish
  size_t shared_bytes() const {
    return sizeof(Extremes) * kThreads + sizeof(double) * (static_cast<size_t>(width) + kSums * kThreads);
  }
  int64_t tile() const { return kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    Extremes* extremes = reinterpret_cast<Extremes*>(block.shared());
    double* totals = reinterpret_cast<double*>(extremes + kThreads);  // sum s of row t at s kThreads + t
    double* own_x = totals + kSums * kThreads;
    block.for_threads([&](int t) {
      for (int64_t j = t; j < width; j += kThreads) own_x[j] = x[j];
      extremes[t] = Extremes();
    });
    const int64_t count = finish.task.count;
    for (int64_t begin = block.index() * kThreads; begin < count; begin += block.count() * kThreads) {
      block.template for_groups<kLanes>(
          [&](int group, const auto& lanes) { add_rows(begin, group, lanes, own_x, totals); });
      block.for_threads([&](int t) {
        if (begin + t < count) finish_row(begin + t, totals + t, extremes[t]);
      });
    }
    reduce_extremes(block, extremes, found);
  }

 private:
  /// Products and entries of AA' of the rows of a group, kGroups apart.
  template <class Lanes>
  PLIANT_HD void add_rows(int64_t begin, int group, const Lanes& lanes, const double* own_x, double* totals) const {
    const int64_t last = finish.task.count - 1;
    for (int round = 0; round < kRounds; ++round) {
      const auto place = [&](int r) { return (round * kRows + r) * kGroups + group; };
      // Beyond the end the last row is read once more, and nothing is made of it.
      const auto row_at = [&](int r) { return finish.row(begin + place(r) < last ? begin + place(r) : last); };
      lanes.template sum_rows<kRows, kSums>([](int) { return 0; },
                                            [&](int lane, double(&parts)[kSums][kRows]) {
                                              PLIANT_UNROLL
                                              for (int r = 0; r < kRows; ++r) add(row_at(r), own_x, lane, r, parts);
                                            },
                                            [&](int r, const double(&sums)[kSums], int) {
                                              PLIANT_UNROLL
                                              for (int s = 0; s < kSums; ++s) totals[s * kThreads + place(r)] = sums[s];
                                            });
    }
  }
  /// Exponentials and roots of a row take as long as its products: every thread has a row of its own for them.
  PLIANT_HD void finish_row(int64_t i, const double* totals, Extremes& seen) const {
    const Beside near = finish.beside(i);
    double own[static_cast<size_t>(kSums)];
    PLIANT_UNROLL
    for (int s = 0; s < kSums; ++s) own[s] = totals[s * kThreads];
    GroupRow row{offsets != nullptr, terms};
    row.template finish<kTerms>(own, offsets != nullptr ? offsets + finish.row(i) * terms : nullptr);
    finish(i, row.value, row.norm, near, seen, row.smoothness);
  }

  /// The parts of row i, the r-th one under way.
  PLIANT_HD void add(int64_t i, const double* own_x, int lane, int r, double (&parts)[kSums][kRows]) const {
    PLIANT_UNROLL
    for (int s = 0; s < kSums; ++s) parts[s][r] = 0.0;
    const T* const rows = numbers + i * terms * width;
    const int all = terms + (linear != nullptr ? 1 : 0);
    PLIANT_UNROLL_BY(kAhead)
    for (int j = lane * kPack; j < static_cast<int>(width); j += kLanes * kPack) {
      Pack<T, kPack> entries[static_cast<size_t>(kTerms)];
      PLIANT_UNROLL
      for (int k = 0; k < kTerms; ++k) {
        const T* const from = k < terms ? rows + k * width : linear + i * width;
        entries[k] = k < all ? load_once<T, kPack>(from + j) : Pack<T, kPack>{};
      }
      PLIANT_UNROLL
      for (int e = 0; e < kPack; ++e) {
        const double factor = own_x[j + e];
        PLIANT_UNROLL
        for (int k = 0; k < kTerms; ++k) {
          const double entry = static_cast<double>(entries[k].numbers[e]);
          parts[k][r] = fma(entry, factor, parts[k][r]);
          PLIANT_UNROLL
          for (int l = 0; l <= k; ++l) {
            double& sum = parts[kTerms + k * (k + 1) / 2 + l][r];
            sum = fma(entry, static_cast<double>(entries[l].numbers[e]), sum);
          }
        }
      }
    }
  }
};

}  // namespace pliant::cuda
