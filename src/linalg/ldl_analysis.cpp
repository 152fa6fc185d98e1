#include "linalg/ldl_analysis.hpp"

#include "linalg/mumps_ldl.hpp"
#include "parallel/stop.hpp"

#include <Eigen/OrderingMethods>

#include <algorithm>
#include <numeric>

namespace pliant {
namespace {

// Nested dissection won on one of eight public and random programs (CVXQP1_L: 1.8e9 operations instead of 4.2e9) and
// costs seconds on large patterns. Its search, in operations that a factorisation does meanwhile: for every entry, and
// for every pair of children of one node of the tree, whose number MUMPS is quadratic in.
constexpr double kSearchPerEntry = 6e4;
constexpr double kSearchPerPair = 800.0;
// A solve factorises about twenty times; a twentieth of that is worth a try.
constexpr double kWorthOfSearch = 1.0;
// Rough speed of a factorisation on one core, and the part of the time left that a search may take.
constexpr double kOperationsPerSecond = 4e9, kShareOfTime = 0.1;

double children_in_pairs(const Integers& parent) {
  Integers children = Integers::Zero(parent.size() + 1);
  for (Index j = 0; j < parent.size(); ++j) ++children[parent[j] < 0 ? parent.size() : parent[j]];
  return children.cast<double>().squaredNorm();
}

}  // namespace

PermutedTriangle permuted_triangle(const SparseMatrix& lower, const Integers& place, TriangleSide side) {
  const auto n = static_cast<std::size_t>(lower.cols());
  const auto for_each = [&](const auto& f) {
    for (int j = 0; j < lower.outerSize(); ++j) {
      for (int k = lower.outerIndexPtr()[j]; k < lower.outerIndexPtr()[j + 1]; ++k) {
        const int a = place[j], b = place[lower.innerIndexPtr()[k]];
        const int small = std::min(a, b), large = std::max(a, b);
        if (side == TriangleSide::upper) {
          f(static_cast<std::size_t>(large), small, k);
        } else {
          f(static_cast<std::size_t>(small), large, k);
        }
      }
    }
  };
  PermutedTriangle out;
  out.starts.assign(n + 1, 0);
  for_each([&](std::size_t column, int, int) { ++out.starts[column + 1]; });
  std::partial_sum(out.starts.begin(), out.starts.end(), out.starts.begin());
  std::vector<int> next(out.starts.begin(), out.starts.end() - 1);
  out.rows.resize(static_cast<std::size_t>(lower.nonZeros()));
  out.places.resize(out.rows.size());
  for_each([&](std::size_t column, int row, int k) {
    const auto at = static_cast<std::size_t>(next[column]++);
    out.rows[at] = row;
    out.places[at] = k;
  });
  return out;
}

SparseLdlCost LdlAnalysis::cost() const {
  SparseLdlCost out;
  for (Index j = 0; j < counts.size(); ++j) {
    const auto count = static_cast<double>(counts[j]);
    out.entries += count + 1.0;
    out.flops += count * (count + 2.0);
  }
  return out;
}

Integers minimum_degree_order(const SparseMatrix& lower) {
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> inverse;
  Eigen::AMDOrdering<int>()(lower.selfadjointView<Eigen::Lower>(), inverse);
  Integers place(lower.cols());
  for (int k = 0; k < place.size(); ++k) place[inverse.indices()[k]] = k;
  return place;
}

// Row k of L has entries where the paths of the tree lead that start at the entries of row k of the matrix.
LdlAnalysis analyse_ldl(const SparseMatrix& lower, Integers place) {
  const auto n = static_cast<int>(lower.cols());
  const PermutedTriangle upper = permuted_triangle(lower, place, TriangleSide::upper);
  LdlAnalysis out{std::move(place), Integers::Constant(n, -1), Integers::Zero(n)};
  Integers seen(n);
  for (int k = 0; k < n; ++k) {
    seen[k] = k;
    for (int p = upper.starts[static_cast<std::size_t>(k)]; p < upper.starts[static_cast<std::size_t>(k) + 1]; ++p) {
      for (int i = upper.rows[static_cast<std::size_t>(p)]; seen[i] != k; i = out.parent[i]) {
        if (out.parent[i] < 0) out.parent[i] = k;
        ++out.counts[i];
        seen[i] = k;
      }
    }
  }
  return out;
}

LdlAnalysis analyse_ldl(const SparseMatrix& lower) {
  LdlAnalysis degree = analyse_ldl(lower, minimum_degree_order(lower));
  const double search =
      kSearchPerEntry * static_cast<double>(lower.nonZeros()) + kSearchPerPair * children_in_pairs(degree.parent);
  if (search >= kWorthOfSearch * degree.cost().flops) return degree;  // an empty matrix, too
  // MUMPS cannot be stopped: it is not asked where the search alone may use up what is left of the time.
  parallel::poll();
  if (search > kOperationsPerSecond * kShareOfTime * parallel::seconds_left()) return degree;
  LdlAnalysis dissection = analyse_ldl(lower, MumpsLdl(lower, MumpsLdl::Ordering::dissection).order());
  return dissection.cost().flops < degree.cost().flops ? dissection : degree;
}

LdlAnalysis postordered(const LdlAnalysis& analysis) {
  const auto n = static_cast<int>(analysis.parent.size());
  // Children in lists, the ones with the longest columns last.
  std::vector<int> by_length(static_cast<std::size_t>(n));
  std::iota(by_length.begin(), by_length.end(), 0);
  std::stable_sort(by_length.begin(), by_length.end(),
                   [&](int a, int b) { return analysis.counts[a] > analysis.counts[b]; });
  Integers first_child = Integers::Constant(n, -1), sibling = Integers::Constant(n, -1);
  for (const int j : by_length) {
    const int p = analysis.parent[j];
    if (p < 0) continue;
    sibling[j] = first_child[p];
    first_child[p] = j;
  }
  Integers position(n);
  int next = 0;
  for (int root = 0; root < n; ++root) {
    if (analysis.parent[root] >= 0) continue;
    for (int j = root; j >= 0;) {
      if (first_child[j] >= 0) {  // down, and not again
        const int child = first_child[j];
        first_child[j] = -1;
        j = child;
        continue;
      }
      position[j] = next++;
      j = j == root ? -1 : sibling[j] >= 0 ? sibling[j] : analysis.parent[j];
    }
  }
  LdlAnalysis out{Integers(n), Integers(n), Integers(n)};
  for (int j = 0; j < n; ++j) {
    out.place[j] = position[analysis.place[j]];
    out.parent[position[j]] = analysis.parent[j] < 0 ? -1 : position[analysis.parent[j]];
    out.counts[position[j]] = analysis.counts[j];
  }
  return out;
}

std::vector<double> pivot_signs(const Integers& place, Index positive) {
  std::vector<double> out(static_cast<std::size_t>(place.size()));
  for (Index j = 0; j < place.size(); ++j) out[static_cast<std::size_t>(place[j])] = j < positive ? 1.0 : -1.0;
  return out;
}

}  // namespace pliant
