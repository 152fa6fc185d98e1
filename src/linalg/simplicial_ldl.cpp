#include "linalg/simplicial_ldl.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

// The matrices come equilibrated. Pivots relative to what was cancelled in them were tried: replacing those that lost
// all digits stalls linear programs, whose smallest pivots are the regularisation itself.
constexpr double kLostPivot = 1e-13;
constexpr double kReplacement = 2e-7;

}  // namespace

SimplicialLdl::SimplicialLdl(const SparseMatrix& lower, Index positive) {
  const auto n = static_cast<int>(lower.cols());
  Analysis analysis;
  analysis.analyzePattern(lower);
  parent_.assign(analysis.parent().data(), analysis.parent().data() + n);
  counts_.assign(analysis.column_counts().data(), analysis.column_counts().data() + n);
  permutation_ = analysis.permutation();
  if (permutation_.size() == 0) permutation_.setIdentity(n);
  sign_.resize(static_cast<std::size_t>(n));
  for (int j = 0; j < n; ++j) {
    sign_[static_cast<std::size_t>(permutation_.indices()[j])] = j < positive ? 1.0 : -1.0;
  }
  starts_.assign(static_cast<std::size_t>(n) + 1, 0);
  for (std::size_t j = 0; j < counts_.size(); ++j) starts_[j + 1] = starts_[j] + counts_[j];
  number_entries(lower);
  pivots_.resize(n);
}

// The permuted matrix by columns of its upper triangle, with the places of its values: permuting once suffices.
void SimplicialLdl::number_entries(const SparseMatrix& lower) {
  const auto n = static_cast<std::size_t>(lower.cols());
  const auto& place = permutation_.indices();
  upper_starts_.assign(n + 1, 0);
  const auto for_each = [&](const auto& f) {
    for (int j = 0; j < lower.outerSize(); ++j) {
      for (int k = lower.outerIndexPtr()[j]; k < lower.outerIndexPtr()[j + 1]; ++k) {
        const int a = place[j];
        const int b = place[lower.innerIndexPtr()[k]];
        f(std::min(a, b), static_cast<std::size_t>(std::max(a, b)), k);
      }
    }
  };
  for_each([&](int, std::size_t column, int) { ++upper_starts_[column + 1]; });
  std::partial_sum(upper_starts_.begin(), upper_starts_.end(), upper_starts_.begin());
  std::vector<int> next(upper_starts_.begin(), upper_starts_.end() - 1);
  upper_rows_.resize(static_cast<std::size_t>(lower.nonZeros()));
  upper_places_.resize(upper_rows_.size());
  for_each([&](int row, std::size_t column, int k) {
    const auto at = static_cast<std::size_t>(next[column]++);
    upper_rows_[at] = row;
    upper_places_[at] = k;
  });
}

SparseLdlCost SimplicialLdl::cost() const {
  SparseLdlCost out;
  for (const int entries : counts_) {
    const auto count = static_cast<double>(entries);
    out.entries += count + 1.0;
    out.flops += count * (count + 2.0);
  }
  return out;
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
    std::size_t top = n;
    mark[k] = static_cast<int>(k);
    double pivot = 0.0;
    for (int p = upper_starts_[k]; p < upper_starts_[k + 1]; ++p) {
      int i = upper_rows_[static_cast<std::size_t>(p)];
      const double value = lower.valuePtr()[upper_places_[static_cast<std::size_t>(p)]];
      if (i == static_cast<int>(k)) {
        pivot += value;
        continue;
      }
      y[static_cast<std::size_t>(i)] += value;
      std::size_t length = 0;
      for (; mark[static_cast<std::size_t>(i)] != static_cast<int>(k); i = parent_[static_cast<std::size_t>(i)]) {
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
    if (sign_[k] * pivot <= kLostPivot) pivot = sign_[k] * kReplacement;
    pivots_[static_cast<Index>(k)] = pivot;
  }
  return true;
}

void SimplicialLdl::solve(VectorRef x) {
  work_ = permutation_ * x;
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
  x = permutation_.inverse() * work_;
}

}  // namespace pliant
