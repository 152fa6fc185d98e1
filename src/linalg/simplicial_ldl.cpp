#include "linalg/simplicial_ldl.hpp"

#include "parallel/stop.hpp"

#include <cmath>
#include <utility>

namespace pliant {
namespace {

constexpr std::size_t kColumnsBetweenPolls = 64;  // of a few thousand entries at most, or blocks would be used

}  // namespace

SimplicialLdl::SimplicialLdl(const SparseMatrix& lower, Index positive, LdlAnalysis analysis)
    : analysis_(std::move(analysis)),
      signs_(pivot_signs(analysis_.place, positive)),
      upper_(permuted_triangle(lower, analysis_.place, TriangleSide::upper)) {
  const Index n = analysis_.counts.size();
  starts_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (Index j = 0; j < n; ++j) {
    starts_[static_cast<std::size_t>(j) + 1] = starts_[static_cast<std::size_t>(j)] + analysis_.counts[j];
  }
  pivots_.resize(n);
}

// Row k of L solves L y = (column k of the upper triangle) along the paths of the elimination tree that start at the
// entries of that column.
bool SimplicialLdl::factorize(const SparseMatrix& lower) {
  const auto n = static_cast<std::size_t>(lower.cols());
  rows_.resize(static_cast<std::size_t>(starts_[n]));
  values_.resize(rows_.size());
  std::vector<double> y(n, 0.0);
  std::vector<int> pattern(n), path(n), mark(n, -1);
  std::vector<Index> end(starts_.begin(), starts_.end() - 1);
  for (std::size_t k = 0; k < n; ++k) {
    if (k % kColumnsBetweenPolls == 0) parallel::poll();
    std::size_t top = n;
    mark[k] = static_cast<int>(k);
    double pivot = 0.0;
    for (int p = upper_.starts[k]; p < upper_.starts[k + 1]; ++p) {
      int i = upper_.rows[static_cast<std::size_t>(p)];
      const double value = lower.valuePtr()[upper_.places[static_cast<std::size_t>(p)]];
      if (i == static_cast<int>(k)) {
        pivot += value;
        continue;
      }
      y[static_cast<std::size_t>(i)] += value;
      std::size_t length = 0;
      for (; mark[static_cast<std::size_t>(i)] != static_cast<int>(k); i = analysis_.parent[i]) {
        path[length++] = i;
        mark[static_cast<std::size_t>(i)] = static_cast<int>(k);
      }
      while (length > 0) pattern[--top] = path[--length];
    }
    for (; top < n; ++top) {
      const auto i = static_cast<std::size_t>(pattern[top]);
      const double yi = y[i];
      y[i] = 0.0;
      const Index stop = end[i];
      for (Index p = starts_[i]; p < stop; ++p) {
        y[static_cast<std::size_t>(rows_[static_cast<std::size_t>(p)])] -= values_[static_cast<std::size_t>(p)] * yi;
      }
      const double l = yi / pivots_[static_cast<Index>(i)];
      pivot -= l * yi;
      rows_[static_cast<std::size_t>(stop)] = static_cast<int>(k);
      values_[static_cast<std::size_t>(stop)] = l;
      ++end[i];
    }
    if (!std::isfinite(pivot)) return false;
    pivots_[static_cast<Index>(k)] = guarded_pivot(pivot, signs_[k]);
  }
  return true;
}

void SimplicialLdl::solve(VectorRef x) {
  work_.resize(x.size());
  for (Index j = 0; j < x.size(); ++j) work_[analysis_.place[j]] = x[j];
  const auto n = static_cast<std::size_t>(x.size());
  for (std::size_t j = 0; j < n; ++j) {
    const double xj = work_[static_cast<Index>(j)];
    for (Index p = starts_[j]; p < starts_[j + 1]; ++p) {
      work_[rows_[static_cast<std::size_t>(p)]] -= values_[static_cast<std::size_t>(p)] * xj;
    }
  }
  work_.array() /= pivots_.array();
  for (std::size_t j = n; j-- > 0;) {
    double sum = work_[static_cast<Index>(j)];
    for (Index p = starts_[j]; p < starts_[j + 1]; ++p) {
      sum -= values_[static_cast<std::size_t>(p)] * work_[rows_[static_cast<std::size_t>(p)]];
    }
    work_[static_cast<Index>(j)] = sum;
  }
  for (Index j = 0; j < x.size(); ++j) x[j] = work_[analysis_.place[j]];
}

}  // namespace pliant
