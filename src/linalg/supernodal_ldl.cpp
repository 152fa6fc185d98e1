#include "linalg/supernodal_ldl.hpp"

#include "linalg/dense_ldl.hpp"
#include "linalg/lapack_lock.hpp"
#include "machine/activity.hpp"
#include "parallel/stop.hpp"

#include <algorithm>

namespace pliant {
namespace {

// Products of descendants with fewer columns than this go straight into their place: calling BLAS costs more.
constexpr int kNarrow = 4;

}  // namespace

SupernodalLdl::SupernodalLdl(const SparseMatrix& lower, Index positive, const LdlAnalysis& analysis) {
  const LdlAnalysis order = postordered(analysis);
  place_ = order.place;
  signs_ = pivot_signs(place_, positive);
  triangle_ = permuted_triangle(lower, place_, TriangleSide::lower);
  nodes_ = find_supernodes(order, triangle_);
  const auto n = static_cast<std::size_t>(place_.size());
  pivots_.resize(place_.size());
  local_.resize(n);
  const auto count = static_cast<std::size_t>(nodes_.size());
  for (std::vector<int>* list : {&head_, &next_, &at_}) list->resize(count);
}

void SupernodalLdl::assemble(int s, const SparseMatrix& lower) {
  const Index height = nodes_.height(s);
  const int begin = nodes_.first[static_cast<std::size_t>(s)], end = begin + nodes_.columns(s);
  const int* rows = nodes_.rows_of(s);
  for (int i = 0; i < height; ++i) local_[static_cast<std::size_t>(rows[i])] = i;
  double* target = block(s);
  std::fill_n(target, height * (end - begin), 0.0);
  for (int j = begin; j < end; ++j, target += height) {
    const auto column = static_cast<std::size_t>(j);
    for (int p = triangle_.starts[column]; p < triangle_.starts[column + 1]; ++p) {
      const auto entry = static_cast<std::size_t>(p);
      target[local_[static_cast<std::size_t>(triangle_.rows[entry])]] += lower.valuePtr()[triangle_.places[entry]];
    }
  }
}

void SupernodalLdl::subtract(int s, int d, int begin, int end) {
  const Index height = nodes_.height(s), ld = nodes_.height(d);
  const int first = nodes_.first[static_cast<std::size_t>(s)];
  const int first_d = nodes_.first[static_cast<std::size_t>(d)];
  const int columns = nodes_.columns(d);
  const int* rows = nodes_.rows_of(d);
  const double* L = block(d);
  double* target = block(s);
  if (columns < kNarrow) {
    for (int c = 0; c < columns; ++c) {
      const double* column = L + c * ld;
      for (int k = begin; k < end; ++k) {
        const double multiple = column[k] * pivots_[first_d + c];
        double* into = target + Index{rows[k] - first} * height;
        for (int i = k; i < ld; ++i) into[local_[static_cast<std::size_t>(rows[i])]] -= multiple * column[i];
      }
    }
    return;
  }
  const Index width = end - begin, reach = ld - begin;
  if (product_.size() < reach * width) product_.resize(reach * width);
  if (scaled_.size() < width * columns) scaled_.resize(width * columns);
  for (int c = 0; c < columns; ++c) {
    const double pivot = pivots_[first_d + c];
    for (Index k = 0; k < width; ++k) scaled_[c * width + k] = pivot * L[c * ld + begin + k];
  }
  multiply_transposed(reach, width, columns, 1.0, L + begin, ld, scaled_.data(), width, 0.0, product_.data(), reach);
  for (Index k = 0; k < width; ++k) {
    double* into = target + Index{rows[begin + k] - first} * height;
    const double* from = product_.data() + k * reach;
    for (Index i = k; i < reach; ++i) into[local_[static_cast<std::size_t>(rows[begin + i])]] -= from[i];
  }
}

void SupernodalLdl::enlist(int d, int begin) {
  if (begin >= nodes_.height(d)) return;
  const int s = nodes_.of_column[static_cast<std::size_t>(nodes_.rows_of(d)[begin])];
  at_[static_cast<std::size_t>(d)] = begin;
  next_[static_cast<std::size_t>(d)] = head_[static_cast<std::size_t>(s)];
  head_[static_cast<std::size_t>(s)] = d;
}

bool SupernodalLdl::factorize(const SparseMatrix& lower) {
  const machine::Activity factorising("factorising a sparse matrix");
  const LapackLock lock;
  values_.resize(static_cast<std::size_t>(nodes_.value_starts.back()));
  std::fill(head_.begin(), head_.end(), -1);
  for (int s = 0; s < nodes_.size(); ++s) {
    parallel::poll();
    assemble(s, lower);
    const int last = nodes_.first[static_cast<std::size_t>(s) + 1];
    for (int d = head_[static_cast<std::size_t>(s)]; d >= 0;) {
      if (nodes_.columns(d) >= kNarrow) parallel::poll();
      const int following = next_[static_cast<std::size_t>(d)], begin = at_[static_cast<std::size_t>(d)];
      const int* rows = nodes_.rows_of(d);
      const int end = static_cast<int>(std::lower_bound(rows + begin, rows + nodes_.height(d), last) - rows);
      subtract(s, d, begin, end);
      enlist(d, end);
      d = following;
    }
    const int first = nodes_.first[static_cast<std::size_t>(s)];
    if (!factorize_block(block(s), nodes_.height(s), nodes_.columns(s), signs_.data() + first, pivots_.data() + first,
                         work_)) {
      return false;
    }
    enlist(s, nodes_.columns(s));
  }
  return true;
}

void SupernodalLdl::solve(VectorRef x) {
  Vector z(x.size()), below;
  for (Index j = 0; j < x.size(); ++j) z[place_[j]] = x[j];
  const auto pieces = [&](int s, const auto& f) {
    const Index columns = nodes_.columns(s), height = nodes_.height(s);
    const Eigen::Map<const Matrix> L(block(s), height, columns);
    f(L.topRows(columns).template triangularView<Eigen::UnitLower>(), L.bottomRows(height - columns),
      z.segment(nodes_.first[static_cast<std::size_t>(s)], columns), nodes_.rows_of(s) + columns);
  };
  for (int s = 0; s < nodes_.size(); ++s) {
    pieces(s, [&](const auto& diagonal, const auto& under, auto own, const int* rows) {
      if (own.size() == 1) {
        for (Index i = 0; i < under.rows(); ++i) z[rows[i]] -= under(i, 0) * own[0];
        return;
      }
      diagonal.solveInPlace(own);
      below.noalias() = under * own;
      for (Index i = 0; i < below.size(); ++i) z[rows[i]] -= below[i];
    });
  }
  z.array() /= pivots_.array();
  for (int s = nodes_.size() - 1; s >= 0; --s) {
    pieces(s, [&](const auto& diagonal, const auto& under, auto own, const int* rows) {
      if (own.size() == 1) {
        for (Index i = 0; i < under.rows(); ++i) own[0] -= under(i, 0) * z[rows[i]];
        return;
      }
      below.resize(under.rows());
      for (Index i = 0; i < below.size(); ++i) below[i] = z[rows[i]];
      own.noalias() -= under.transpose() * below;
      diagonal.transpose().solveInPlace(own);
    });
  }
  for (Index j = 0; j < x.size(); ++j) x[j] = z[place_[j]];
}

}  // namespace pliant
