#include "linalg/supernodes.hpp"

#include <algorithm>
#include <array>

namespace pliant {
namespace {

// Merged supernodes of at most so many columns may consist of zeros to this share: the narrower a supernode, the more
// it gains from company. The rules and numbers are those of CHOLMOD.
struct MergeRule {
  int columns;
  double zeros;
};
constexpr std::array kMergeRules{MergeRule{4, 1.0}, MergeRule{16, 0.8}, MergeRule{48, 0.1}, MergeRule{1 << 30, 0.05}};

// While being merged: a supernode with its columns, the length of its first column, and the zeros in its block.
struct Draft {
  int columns = 0;
  double length = 0.0;  // rows, the columns themselves among them
  double zeros = 0.0;
  int parent = -1;
  int merged_into = -1;  // a supernode that begins before this one
};

std::vector<Draft> fundamental(const LdlAnalysis& analysis, std::vector<int>& of_column) {
  const auto n = static_cast<int>(analysis.parent.size());
  std::vector<Draft> out;
  of_column.resize(static_cast<std::size_t>(n));
  for (int j = 0; j < n; ++j) {
    const bool joins = j > 0 && analysis.parent[j - 1] == j && analysis.counts[j - 1] == analysis.counts[j] + 1;
    if (!joins) out.push_back({0, static_cast<double>(analysis.counts[j]) + 1.0});
    ++out.back().columns;
    of_column[static_cast<std::size_t>(j)] = static_cast<int>(out.size()) - 1;
  }
  for (int j = 0; j < n; ++j) {
    if (analysis.parent[j] < 0) continue;
    const int s = of_column[static_cast<std::size_t>(j)], p = of_column[static_cast<std::size_t>(analysis.parent[j])];
    if (p != s) out[static_cast<std::size_t>(s)].parent = p;
  }
  return out;
}

// A child s that ends where its parent p begins, as one block: whether that is worth its zeros.
bool worth_merging(const Draft& s, const Draft& p, double& zeros) {
  const double columns = s.columns + p.columns;
  const double rows = p.length + s.columns;
  const double new_zeros = s.columns * (rows - s.length);
  zeros = s.zeros + p.zeros + new_zeros;
  if (new_zeros == 0.0) return true;
  const double size = 0.5 * columns * (columns + 1.0) + columns * (rows - columns);
  return std::any_of(kMergeRules.begin(), kMergeRules.end(),
                     [&](const MergeRule& rule) { return columns <= rule.columns && zeros <= rule.zeros * size; });
}

void merge(std::vector<Draft>& drafts) {
  const auto leader = [&](int s) {
    while (drafts[static_cast<std::size_t>(s)].merged_into >= 0) s = drafts[static_cast<std::size_t>(s)].merged_into;
    return s;
  };
  for (int s = static_cast<int>(drafts.size()) - 2; s >= 0; --s) {
    Draft& child = drafts[static_cast<std::size_t>(s)];
    if (child.parent < 0 || leader(child.parent) != s + 1) continue;  // columns must be neighbours
    Draft& parent = drafts[static_cast<std::size_t>(s) + 1];
    double zeros = 0.0;
    if (!worth_merging(child, parent, zeros)) continue;
    parent.merged_into = s;
    child.length = parent.length + child.columns;
    child.columns += parent.columns;
    child.zeros = zeros;
    child.parent = parent.parent;
  }
}

// Rows of supernode s below its columns: those of the matrix and those of its children.
void collect_rows(const PermutedTriangle& lower, int s, const std::vector<int>& children, std::vector<int>& seen,
                  Supernodes& out) {
  const auto at = static_cast<std::size_t>(s);
  const int begin = out.first[at], end = out.first[at + 1];
  for (int j = begin; j < end; ++j) out.rows.push_back(j);
  const auto below = static_cast<std::ptrdiff_t>(out.rows.size());
  const auto add = [&](int row) {
    if (row < end || seen[static_cast<std::size_t>(row)] == s) return;
    seen[static_cast<std::size_t>(row)] = s;
    out.rows.push_back(row);
  };
  for (int j = begin; j < end; ++j) {
    for (int p = lower.starts[static_cast<std::size_t>(j)]; p < lower.starts[static_cast<std::size_t>(j) + 1]; ++p) {
      add(lower.rows[static_cast<std::size_t>(p)]);
    }
  }
  for (const int child : children) {
    const auto c = static_cast<std::size_t>(child);
    for (Index p = out.row_starts[c]; p < out.row_starts[c + 1]; ++p) add(out.rows[static_cast<std::size_t>(p)]);
  }
  std::sort(out.rows.begin() + below, out.rows.end());
}

}  // namespace

Supernodes find_supernodes(const LdlAnalysis& analysis, const PermutedTriangle& lower) {
  Supernodes out;
  std::vector<Draft> drafts = fundamental(analysis, out.of_column);
  merge(drafts);
  int column = 0;
  for (const Draft& draft : drafts) {
    if (draft.merged_into >= 0) continue;
    out.first.push_back(column);
    std::fill_n(out.of_column.begin() + column, draft.columns, static_cast<int>(out.first.size()) - 1);
    column += draft.columns;
  }
  out.first.push_back(column);

  std::vector<std::vector<int>> children(static_cast<std::size_t>(out.size()));
  std::vector<int> seen(static_cast<std::size_t>(column), -1);
  out.row_starts.push_back(0);
  out.value_starts.push_back(0);
  for (int s = 0; s < out.size(); ++s) {
    collect_rows(lower, s, children[static_cast<std::size_t>(s)], seen, out);
    children[static_cast<std::size_t>(s)].clear();
    out.row_starts.push_back(static_cast<Index>(out.rows.size()));
    out.value_starts.push_back(out.value_starts.back() + Index{out.columns(s)} * out.height(s));
    if (out.height(s) == out.columns(s)) continue;
    const int parent = out.of_column[static_cast<std::size_t>(out.rows_of(s)[out.columns(s)])];
    children[static_cast<std::size_t>(parent)].push_back(s);
  }
  return out;
}

}  // namespace pliant
