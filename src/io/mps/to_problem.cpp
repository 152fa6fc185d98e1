#include "io/file_error.hpp"
#include "io/mps/mps_problem.hpp"
#include "io/text/at.hpp"
#include "io/text/fields.hpp"
#include "io/text/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace pliant::io {
namespace {

// Quadratic rows with off-diagonal terms are stored as dense matrices; this many numbers (512 MB) are the most.
constexpr Index kMostDenseNumbers = Index{1} << 26;

Index size_of(const auto& list) { return static_cast<Index>(list.size()); }
// The rows chosen, in the order of `chosen`, from entries that come column after column.
DataMatrix rows_of(const MpsFile& mps, const std::vector<Index>& chosen) {
  std::vector<Index> position(mps.rows.size(), -1);
  for (std::size_t k = 0; k < chosen.size(); ++k) position[at(chosen[k])] = static_cast<Index>(k);
  std::vector<Index> starts(chosen.size() + 1, 0);
  for (const MpsFile::Entry& e : mps.entries) {
    if (position[at(e.row)] >= 0) ++starts[at(position[at(e.row)] + 1)];
  }
  for (std::size_t k = 0; k < chosen.size(); ++k) starts[k + 1] += starts[k];
  std::vector<Index> columns(at(starts.back())), next(starts.begin(), starts.end() - 1);
  std::vector<double> values(columns.size());
  for (const MpsFile::Entry& e : mps.entries) {
    const Index row = position[at(e.row)];
    if (row < 0) continue;
    const std::size_t p = at(next[at(row)]++);
    columns[p] = e.column;
    values[p] = e.value;
  }
  return DataMatrix::csr(size_of(chosen), size_of(mps.columns), Indices(std::move(starts)), Indices(std::move(columns)),
                         Doubles(std::move(values)));
}

template <class T>
std::vector<T> pick(const std::vector<T>& values, const std::vector<Index>& chosen) {
  std::vector<T> out;
  out.reserve(chosen.size());
  for (const Index i : chosen) out.push_back(values[at(i)]);
  return out;
}

DataMatrix symmetric_matrix(Index n, const std::vector<QuadraticEntry>& entries, double sign) {
  std::vector<Index> starts(at(n) + 1, 0), columns;
  std::vector<double> values;
  for (const QuadraticEntry& e : entries) {
    ++starts[at(e.row) + 1];
    columns.push_back(e.column);
    values.push_back(sign * e.value);
  }
  for (std::size_t i = 0; i < at(n); ++i) starts[i + 1] += starts[i];
  return DataMatrix::csr(n, n, Indices(std::move(starts)), Indices(std::move(columns)), Doubles(std::move(values)));
}

void add_objective(const MpsFile& mps, Problem& problem) {
  const Index n = size_of(mps.columns);
  const double sign = mps.maximize ? -1.0 : 1.0;
  std::vector<double> cost = mps.cost;
  if (mps.maximize) std::transform(cost.begin(), cost.end(), cost.begin(), std::negate<>());
  if (mps.quadratic.empty()) {
    problem.minimize(linear(Doubles(std::move(cost)), sign * mps.constant));
    return;
  }
  problem.minimize(quadratic(symmetric_matrix(n, mps.quadratic, sign), Doubles(std::move(cost))));
  if (mps.constant != 0.0) problem.minimize(linear(Doubles(std::vector<double>(at(n), 0.0)), sign * mps.constant));
}

void add_bounds(const MpsFile& mps, Problem& problem) {
  const auto all = [](const std::vector<double>& values, double value) {
    return std::all_of(values.begin(), values.end(), [&](double v) { return v == value; });
  };
  const bool unlimited = all(mps.upper, kInfinity);
  if (unlimited && all(mps.lower, -kInfinity)) return;
  problem.regularize(unlimited && all(mps.lower, 0.0) ? nonnegative(problem.dimension())
                                                      : box(Doubles(mps.lower), Doubles(mps.upper)));
}

void add_linear_rows(const MpsFile& mps, Problem& problem) {
  std::vector<Index> equalities, rows;
  bool two_sided = false;
  for (Index i = 0; i < size_of(mps.rows); ++i) {
    if (mps.quadratic_rows.contains(i)) continue;
    const bool equal = mps.row_lower[at(i)] == mps.row_upper[at(i)];
    (equal ? equalities : rows).push_back(i);
    two_sided = two_sided || (!equal && mps.row_lower[at(i)] > -kInfinity);
  }
  if (!equalities.empty()) {
    problem.equal(rows_of(mps, equalities), Doubles(pick(mps.row_upper, equalities)));
    problem.names.equalities = pick(mps.rows, equalities);
  }
  if (rows.empty()) return;
  Doubles upper(pick(mps.row_upper, rows));
  const bool infinite = std::any_of(upper.begin(), upper.end(), [](double u) { return std::isinf(u); });
  problem.subject_to(two_sided || infinite
                         ? linear_range(Doubles(pick(mps.row_lower, rows)), rows_of(mps, rows), std::move(upper))
                         : linear_le(rows_of(mps, rows), std::move(upper)));
  problem.names.constraints.push_back(pick(mps.rows, rows));
}

// Row i as 1/2 x'Px + q'x + r <= 0: the row itself, or its negative if it is bounded below.
struct QuadraticRow {
  Index row;
  double sign;
  double constant;
};

QuadraticRow one_sided(const MpsFile& mps, Index i, const std::string& shown) {
  const double lower = mps.row_lower[at(i)], upper = mps.row_upper[at(i)];
  if (std::isfinite(upper) && lower == -kInfinity) return {i, 1.0, -upper};
  if (std::isfinite(lower) && upper == kInfinity) return {i, -1.0, lower};
  throw InputError(
      fmt::format("{}: row {} has quadratic terms, expected exactly one finite side (type L or G and no "
                  "range): other rows are not convex",
                  shown, printable(mps.rows[at(i)])));
}

std::vector<double> dense_linear_part(const MpsFile& mps, const std::vector<QuadraticRow>& rows) {
  std::vector<Index> chosen;
  for (const QuadraticRow& r : rows) chosen.push_back(r.row);
  const DataMatrix G = rows_of(mps, chosen);
  std::vector<double> q(at(size_of(rows) * G.cols()), 0.0);
  for (Index k = 0; k < G.rows(); ++k) G.axpy(k, rows[at(k)].sign, q.data() + k * G.cols());
  return q;
}

// One batch of rows whose matrices are all diagonal, or of the others.
void add_quadratic_batch(const MpsFile& mps, const std::vector<QuadraticRow>& rows, bool diagonal, Problem& problem,
                         const std::string& shown) {
  if (rows.empty()) return;
  const Index n = size_of(mps.columns), m = size_of(rows);
  const Index numbers_per_row = diagonal ? n : n * n;
  if (n > kMostDenseNumbers / n || m > kMostDenseNumbers / numbers_per_row) {
    throw InputError(
        fmt::format("{}: {} quadratic rows of {} variables are too large, expected at most {} entries of "
                    "their {}matrices",
                    shown, m, n, kMostDenseNumbers, diagonal ? "diagonal " : ""));
  }
  std::vector<double> P(at(m * numbers_per_row), 0.0), r;
  std::vector<std::string> names;
  for (Index k = 0; k < m; ++k) {
    const QuadraticRow& row = rows[at(k)];
    r.push_back(row.constant);
    names.push_back(mps.rows[at(row.row)]);
    for (const QuadraticEntry& e : mps.quadratic_rows.at(row.row)) {
      P[at(k * numbers_per_row + (diagonal ? e.column : e.row * n + e.column))] = row.sign * e.value;
    }
  }
  Doubles q(dense_linear_part(mps, rows));
  problem.subject_to(diagonal ? quadratic_diagonal_le(Tensor({m, n}, Doubles(std::move(P))),
                                                      Tensor({m, n}, std::move(q)), Doubles(std::move(r)))
                              : quadratic_le(Tensor({m, n, n}, Doubles(std::move(P))), Tensor({m, n}, std::move(q)),
                                             Doubles(std::move(r))));
  problem.names.constraints.push_back(std::move(names));
}

void add_quadratic_rows(const MpsFile& mps, Problem& problem, const std::string& shown) {
  std::vector<QuadraticRow> diagonal, others;
  for (const auto& [i, entries] : mps.quadratic_rows) {
    const bool is_diagonal =
        std::all_of(entries.begin(), entries.end(), [](const QuadraticEntry& e) { return e.row == e.column; });
    (is_diagonal ? diagonal : others).push_back(one_sided(mps, i, shown));
  }
  add_quadratic_batch(mps, diagonal, true, problem, shown);
  add_quadratic_batch(mps, others, false, problem, shown);
}

}  // namespace

Problem to_problem(const MpsFile& contents, const std::string& shown) {
  Problem problem(size_of(contents.columns));
  problem.name = contents.name;
  problem.sense = contents.maximize ? Sense::maximize : Sense::minimize;
  problem.names.objective = contents.objective;
  problem.names.variables = contents.columns;
  add_objective(contents, problem);
  add_bounds(contents, problem);
  add_linear_rows(contents, problem);
  add_quadratic_rows(contents, problem, shown);
  return problem;
}

Problem read_mps_problem(const std::filesystem::path& file, std::vector<std::string>* notes) {
  const MpsFile contents = read_mps(file);
  if (notes != nullptr) notes->insert(notes->end(), contents.notes.begin(), contents.notes.end());
  return to_problem(contents, file.string());
}

bool looks_like_mps(const std::filesystem::path& file) {
  constexpr int kLines = 1000;
  try {
    TextLines lines(file);
    std::string_view line;
    for (int i = 0; i < kLines && lines.next(line); ++i) {
      if (line.starts_with('*') || trim(line).empty()) continue;
      const std::string_view word = line.substr(0, line.find_first_of(" \t"));
      constexpr std::array<std::string_view, 4> kFirst{"NAME", "OBJSENSE", "OBJNAME", "ROWS"};
      return std::find(kFirst.begin(), kFirst.end(), word) != kFirst.end();
    }
  } catch (const InputError&) {
    return false;  // not text
  }
  return false;
}

}  // namespace pliant::io
