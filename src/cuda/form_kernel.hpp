// One read of rows that are quadratic forms of stored points: p'Ap + c'p + s, the same form for all of them. What a linear row
// is to x, a point q = (p, 1) is to the matrix X behind x: q'Xq. Norms are a second form, |Rq|^2 = q'R'Rq.
//
// A thread has two points at a time in its registers. The numbers of the form, which all threads need in the same order, are
// parameters of the kernel: multiplications take them as operands from the constant bank, without a load.
#pragma once

#include "cuda/linear_kernel.hpp"

namespace pliant::cuda {

/// Numbers of a form over p of this width: rows of the lower triangle of A, off-diagonals doubled, then c, then s.
PLIANT_HD int64_t form_size(int64_t width) { return width * (width + 1) / 2 + width + 1; }

/// Points of up to kMost numbers; shorter ones are filled up with zeros.
template <class T, int kPack, int kMost, bool kNorms>
struct ReadForms {
  const T* numbers;
  int64_t width;
  Finish finish;
  Extremes* found;

  static constexpr int kPoints = 2;
  static constexpr int kForms = kNorms ? 2 : 1;
  static constexpr int kTriangle = kMost * (kMost + 1) / 2;
  static constexpr int kNumbers = kTriangle + kMost + 1;  // of a padded form
  double forms[kForms * kNumbers];  ///< that of the values, then that of the norms, filled up with zeros
  size_t shared_bytes() const { return sizeof(Extremes) * kThreads; }

  /// x: the form of the values, then that of the norms.
  void set_point(const double* x) {
    for (int k = 0; k < kForms * kNumbers; ++k) {
      forms[k] = padded(x + (k / kNumbers) * form_size(width), k % kNumbers);
    }
  }
  PLIANT_HD int64_t tile() const { return kPoints * kThreads; }

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    Extremes* extremes = reinterpret_cast<Extremes*>(block.shared());
    const int64_t count = finish.task.count;
    block.for_threads([&](int t) {
      Extremes seen;
      for (int64_t begin = block.index() * tile() + t; begin < count; begin += block.count() * tile()) {
        read(begin, seen);
      }
      extremes[t] = seen;
    });
    reduce_extremes(block, extremes, found);
  }

 private:
  /// Number k of the form filled up with zeros.
  double padded(const double* form, int k) const {
    const int w = static_cast<int>(width);
    if (k == kNumbers - 1) return form[form_size(width) - 1];
    if (k >= kTriangle) return k - kTriangle < w ? form[w * (w + 1) / 2 + k - kTriangle] : 0.0;
    int row = 0;
    while ((row + 1) * (row + 2) / 2 <= k) ++row;
    return row < w ? form[k] : 0.0;  // rows of the triangle begin where they do without zeros
  }

  PLIANT_HD void read(int64_t begin, Extremes& seen) const {
    const int64_t count = finish.task.count;
    const int w = static_cast<int>(width);
    const auto at = [&](int k) { return begin + static_cast<int64_t>(k) * kThreads; };
    double p[kPoints][kMost];
    Beside beside[static_cast<size_t>(kPoints)];
    PLIANT_UNROLL
    for (int k = 0; k < kPoints; ++k) {
      const int64_t i = at(k) < count ? at(k) : count - 1;
      const T* from = numbers + finish.row(i) * width;
      beside[k] = finish.beside(i);
      PLIANT_UNROLL
      for (int j = 0; j < kMost; j += kPack) {
        Pack<T, kPack> entries{};
        if (j < w) entries = load_kept<T, kPack>(from + j);
        PLIANT_UNROLL
        for (int e = 0; e < kPack; ++e) p[k][j + e] = static_cast<double>(entries.numbers[e]);
      }
    }
    double sums[kForms][kPoints];
    PLIANT_UNROLL
    for (int f = 0; f < kForms; ++f) add_form(forms + f * kNumbers, p, sums[f]);
    PLIANT_UNROLL
    for (int k = 0; k < kPoints; ++k) {
      if (at(k) < count) finish(at(k), sums[0][k], kNorms ? sums[kForms - 1][k] : 0.0, beside[k], seen);
    }
  }

  /// Neighbours in a row come soon: a place in the cache is worth it here.
  template <class N, int kCount>
  PLIANT_HD static Pack<N, kCount> load_kept(const N* from) {
    return load_near<N, kCount>(from);
  }

  // s + sum_j p_j (c_j + sum_{k <= j} A_jk p_k)
  PLIANT_HD static void add_form(const double* form, const double (&p)[kPoints][kMost], double (&sums)[kPoints]) {
    PLIANT_UNROLL
    for (int i = 0; i < kPoints; ++i) sums[i] = form[kNumbers - 1];
    PLIANT_UNROLL
    for (int j = 0; j < kMost; ++j) {
      double slope[kPoints];
      PLIANT_UNROLL
      for (int i = 0; i < kPoints; ++i) slope[i] = form[kTriangle + j];
      PLIANT_UNROLL
      for (int k = 0; k <= j; ++k) {
        const double factor = form[j * (j + 1) / 2 + k];
        PLIANT_UNROLL
        for (int i = 0; i < kPoints; ++i) slope[i] = fma(factor, p[i][k], slope[i]);
      }
      PLIANT_UNROLL
      for (int i = 0; i < kPoints; ++i) sums[i] = fma(slope[i], p[i][j], sums[i]);
    }
  }
};

}  // namespace pliant::cuda
