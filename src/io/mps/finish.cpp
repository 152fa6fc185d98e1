// What can be said at the end of the file only: sides of rows, bounds, symmetric matrices.
#include "io/file_error.hpp"
#include "io/mps/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace pliant::io {
namespace {

std::pair<Index, Index> place(const QuadraticEntry& e) { return {e.row, e.column}; }

void sort_entries(std::vector<QuadraticEntry>& entries) {
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return place(a) < place(b); });
}

}  // namespace

void MpsParser::finish() {
  if (out_.columns.empty()) lines_.fail("there are no columns, expected at least one");
  finish_rows();
  finish_bounds();
  const bool full = seen_[static_cast<std::size_t>(Section::qmatrix)];
  symmetrize(out_.quadratic, full ? Triangle::both : Triangle::one, full ? "QMATRIX" : "QUADOBJ");
  for (auto& [i, entries] : out_.quadratic_rows) {
    const Triangle triangle = row_triangle_.at(i);
    const std::string_view section = triangle == Triangle::both ? "QCMATRIX" : "QSECTION";
    symmetrize(entries, triangle,
               fmt::format("{} of row {}", section, printable(out_.rows[static_cast<std::size_t>(i)])));
  }
  if (!ignored_rows_.empty()) {
    out_.notes.push_back(fmt::format("{} of type N beside the objective {} ignored: {}{}",
                                     ignored_rows_.size() == 1 ? "a row" : "rows",
                                     ignored_rows_.size() == 1 ? "is" : "are", printable(ignored_rows_.front()),
                                     ignored_rows_.size() > 1 ? ", ..." : ""));
  }
  if (negative_upper_ > 0) {
    out_.notes.push_back(
        fmt::format("columns with a negative upper bound and no lower one ({}) are free below", negative_upper_));
  }
}

//   type  range R        row lies in
//   E     R > 0          [rhs, rhs + |R|]
//   E     R < 0          [rhs - |R|, rhs]
//   L                    [rhs - |R|, rhs]
//   G                    [rhs, rhs + |R|]
void MpsParser::finish_rows() {
  for (std::size_t i = 0; i < out_.rows.size(); ++i) {
    const char type = row_type_[i];
    double lower = type == 'L' ? -kInfinity : rhs_[i];
    double upper = type == 'G' ? kInfinity : rhs_[i];
    if (has_range_[i]) {
      if (std::isinf(rhs_[i])) {
        lines_.fail(fmt::format("row {} has a range but an infinite right-hand side", printable(out_.rows[i])));
      }
      const bool below = type == 'L' || (type == 'E' && range_[i] < 0.0);
      if (below)
        lower = rhs_[i] - std::abs(range_[i]);
      else
        upper = rhs_[i] + std::abs(range_[i]);
    }
    out_.row_lower.push_back(lower);
    out_.row_upper.push_back(upper);
  }
}

void MpsParser::finish_bounds() const {
  for (std::size_t j = 0; j < out_.columns.size(); ++j) {
    if (out_.lower[j] <= out_.upper[j]) continue;
    lines_.fail(fmt::format("column {} has the lower bound {} above its upper bound {}", printable(out_.columns[j]),
                            out_.lower[j], out_.upper[j]));
  }
}

// Sorts; completes one triangle, or checks that both are there and agree.
void MpsParser::symmetrize(std::vector<QuadraticEntry>& entries, Triangle triangle, std::string_view section) const {
  if (triangle == Triangle::one) {
    for (QuadraticEntry& e : entries) {
      if (e.row < e.column) std::swap(e.row, e.column);
    }
  }
  sort_entries(entries);
  const auto twice = std::adjacent_find(entries.begin(), entries.end(),
                                        [](const auto& a, const auto& b) { return place(a) == place(b); });
  if (twice != entries.end()) {
    lines_.fail(fmt::format("{}: two entries for columns {} and {}, expected {}", section, column_name(twice->row),
                            column_name(twice->column),
                            triangle == Triangle::one ? "one triangle, each entry once" : "each entry once"));
  }
  if (triangle == Triangle::one) {
    const std::size_t count = entries.size();
    for (std::size_t k = 0; k < count; ++k) {
      const QuadraticEntry e = entries[k];
      if (e.row != e.column) entries.push_back({e.column, e.row, e.value});
    }
    sort_entries(entries);
  } else {
    for (const QuadraticEntry& e : entries) {
      const QuadraticEntry wanted{e.column, e.row, 0.0};
      const auto mirrored = std::lower_bound(entries.begin(), entries.end(), wanted,
                                             [](const auto& a, const auto& b) { return place(a) < place(b); });
      if (mirrored == entries.end() || place(*mirrored) != place(wanted) || mirrored->value != e.value) {
        lines_.fail(
            fmt::format("{}: the entry for columns {} and {} has no equal one for {} and {}, expected both "
                        "triangles of a symmetric matrix",
                        section, column_name(e.row), column_name(e.column), column_name(e.column), column_name(e.row)));
      }
    }
  }
  std::erase_if(entries, [](const QuadraticEntry& e) { return e.value == 0.0; });
}

std::string MpsParser::column_name(Index j) const { return printable(out_.columns[static_cast<std::size_t>(j)]); }

}  // namespace pliant::io
