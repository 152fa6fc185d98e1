// Collects weighted outer products w v v' and adds them to a Hessian as matrix products.
//
// One rank-one update per constraint would move the whole Hessian through the cache each time; a panel
// of columns is added in one go instead. Weights may have any sign.
#pragma once

#include "pliant/types.hpp"

namespace pliant {

class RankUpdatePanel {
 public:
  /// Adds to the lower triangle of H. Memory is RowBlockBatch::block_memory of the calling thread, which must not be
  /// used for anything else while the panel lives.
  explicit RankUpdatePanel(MatrixRef H);
  RankUpdatePanel(const RankUpdatePanel&) = delete;
  RankUpdatePanel& operator=(const RankUpdatePanel&) = delete;

  /// The next column v, to be filled by the caller before push().
  Eigen::Map<Vector> column() { return {data_ + filled_ * n_, n_}; }
  /// n numbers for the caller's own use.
  Eigen::Map<Vector> spare() { return {data_ + 2 * kColumns * n_, n_}; }

  /// Takes the column with weight w.
  void push(double w) {
    Eigen::Map<Vector>(data_ + (kColumns + filled_) * n_, n_) = w * column();
    if (++filled_ == kColumns) flush();
  }

  /// H += V diag(w) V'. Must be called once after the last push().
  void flush() {
    if (filled_ == 0) return;
    const Eigen::Map<const Matrix> plain(data_, n_, filled_);
    const Eigen::Map<const Matrix> weighted(data_ + kColumns * n_, n_, filled_);
    H_.triangularView<Eigen::Lower>() += plain * weighted.transpose();
    filled_ = 0;
  }

 private:
  static constexpr Index kColumns = 64;

  MatrixRef H_;
  Index n_;
  double* data_;
  Index filled_ = 0;
};

}  // namespace pliant
