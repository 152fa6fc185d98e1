#include "io/file_error.hpp"
#include "io/mps/data_line.hpp"
#include "io/mps/mps_problem.hpp"
#include "io/mps/name_table.hpp"
#include "io/text/at.hpp"
#include "io/text/text_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace pliant::io {
namespace {

// Where the contents go: "MPS" or "LP" to the file shown.
struct Target {
  const std::string& shown;
  std::string_view format;

  [[noreturn]] void refuse(std::string_view what) const {
    throw InputError(
        fmt::format("{}: {} cannot be expressed in {} (expected .h5 for such problems)", shown, what, format));
  }
};

// f(row, column, value) for the entries of a matrix, row after row.
template <class F>
void for_each_entry(const DataMatrix& matrix, F f) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    const Index begin = matrix.is_sparse() ? matrix.starts()[i] : i * matrix.cols();
    const Index end = matrix.is_sparse() ? matrix.starts()[i + 1] : begin + matrix.cols();
    for (Index p = begin; p < end; ++p) {
      if (matrix.values()[p] != 0.0) f(i, matrix.is_sparse() ? matrix.columns()[p] : p - begin, matrix.values()[p]);
    }
  }
}

// Adds up entries of the same place, of several terms.
void merge(std::vector<QuadraticEntry>& entries) {
  const auto place = [](const QuadraticEntry& e) { return std::pair(e.row, e.column); };
  std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  std::vector<QuadraticEntry> merged;
  for (const QuadraticEntry& e : entries) {
    if (!merged.empty() && place(merged.back()) == place(e))
      merged.back().value += e.value;
    else
      merged.push_back(e);
  }
  std::erase_if(merged, [](const QuadraticEntry& e) { return e.value == 0.0; });
  entries = std::move(merged);
}

void add_objective(const Problem& problem, const Target& target, MpsFile& out) {
  const double sign = problem.sense == Sense::maximize ? -1.0 : 1.0;
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight == 0.0) continue;
    const double factor = sign * t.weight;
    const Doubles* cost = nullptr;
    const TermStructure form = t.term->structure();
    if (form.linear) {
      cost = form.linear.c;
      out.constant += factor * form.linear.constant;
    } else if (form.quadratic) {
      cost = form.quadratic.q;
      for_each_entry(*form.quadratic.P, [&](Index i, Index j, double value) {
        out.quadratic.push_back({i, j, factor * value});
      });
    } else {
      target.refuse(fmt::format("an objective term of kind {}", t.term->kind()));
    }
    for (Index j = 0; j < cost->size(); ++j) out.cost[at(j)] += factor * (*cost)[j];
  }
}

void add_prox(const Problem& problem, const Target& target, MpsFile& out) {
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi == nullptr || psi->l1 != 0.0) target.refuse(fmt::format("a prox term of kind {}", problem.prox().kind()));
  if (!psi->lo.empty()) out.lower.assign(psi->lo.begin(), psi->lo.end());
  if (!psi->hi.empty()) out.upper.assign(psi->hi.begin(), psi->hi.end());
  const double sign = problem.sense == Sense::maximize ? -1.0 : 1.0;
  for (Index j = 0; psi->l2 != 0.0 && j < problem.dimension(); ++j) out.quadratic.push_back({j, j, sign * psi->l2});
}

void add_rows(const LinearRows& batch, MpsFile& out) {
  const Index first = static_cast<Index>(out.row_upper.size());
  out.row_upper.insert(out.row_upper.end(), batch.upper().begin(), batch.upper().end());
  if (batch.two_sided()) out.row_lower.insert(out.row_lower.end(), batch.lower().begin(), batch.lower().end());
  out.row_lower.resize(out.row_upper.size(), -kInfinity);
  for_each_entry(batch.matrix(), [&](Index i, Index j, double value) { out.entries.push_back({first + i, j, value}); });
}

void add_quadratic_rows(const QuadraticRows& rows, MpsFile& out) {
  const Index n = rows.n;
  for (Index i = 0; i < rows.size(); ++i) {
    const Index row = static_cast<Index>(out.row_upper.size());
    out.row_lower.push_back(-kInfinity);
    out.row_upper.push_back(-rows.r[i]);
    for (Index j = 0; j < n; ++j) {
      if (rows.q[i * n + j] != 0.0) out.entries.push_back({row, j, rows.q[i * n + j]});
    }
    std::vector<QuadraticEntry>& entries = out.quadratic_rows[row];
    if (rows.form == QuadraticRows::Form::diagonal) {
      for (Index j = 0; j < n; ++j) entries.push_back({j, j, rows.data[i * n + j]});
    } else {
      const Matrix P = rows.matrix(i);
      for (Index j = 0; j < n * n; ++j) entries.push_back({j / n, j % n, P(j / n, j % n)});
    }
    std::erase_if(entries, [](const QuadraticEntry& e) { return e.value == 0.0; });
  }
}

void add_batch(const ConstraintBatch& batch, const Target& target, MpsFile& out) {
  const BatchStructure form = batch.structure();
  if (form.linear_rows != nullptr) return add_rows(*form.linear_rows, out);
  if (form.quadratic_rows != nullptr) return add_quadratic_rows(*form.quadratic_rows, out);
  target.refuse(fmt::format("a constraint of the family {}", batch.family()));
}

// Names of a free layout: text without blanks and control characters, each once.
bool usable(const std::vector<std::string>& names, std::size_t expected) {
  if (names.size() != expected) return false;
  NameTable seen;
  return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
    return !name.empty() && name.size() <= kLongestName && is_plain_utf8(name) && name.find(' ') == std::string::npos &&
           name != kMarker && seen.add(name, 0);
  });
}

std::vector<std::string> numbered(char letter, std::size_t count) {
  std::vector<std::string> out;
  for (std::size_t i = 1; i <= count; ++i) out.push_back(fmt::format("{}{}", letter, i));
  return out;
}

void name_all(const Problem& problem, MpsFile& out) {
  if (is_plain_utf8(problem.name)) out.name = problem.name;
  const auto columns = at(problem.dimension());
  out.columns = usable(problem.names.variables, columns) ? problem.names.variables : numbered('C', columns);
  std::vector<std::string> rows = problem.names.equalities;
  for (const auto& batch : problem.names.constraints) rows.insert(rows.end(), batch.begin(), batch.end());
  rows.push_back(problem.names.objective.empty() ? "OBJ" : problem.names.objective);
  if (!usable(rows, out.row_upper.size() + 1)) {
    rows = numbered('R', out.row_upper.size());
    rows.emplace_back("OBJ");
  }
  out.objective = std::move(rows.back());
  rows.pop_back();
  out.rows = std::move(rows);
}

}  // namespace

MpsFile from_problem(const Problem& problem, const std::string& shown, std::string_view format) {
  const Target target{shown, format};
  if (!problem.conic().empty()) target.refuse("a conic constraint");
  MpsFile out;
  out.maximize = problem.sense == Sense::maximize;
  out.cost.assign(at(problem.dimension()), 0.0);
  out.lower.assign(at(problem.dimension()), -kInfinity);
  out.upper.assign(at(problem.dimension()), kInfinity);
  add_objective(problem, target, out);
  add_prox(problem, target, out);
  merge(out.quadratic);
  if (problem.has_equalities()) add_batch(*problem.equality_batch(), target, out);
  for (const BatchPtr& batch : problem.batches()) add_batch(*batch, target, out);
  std::stable_sort(out.entries.begin(), out.entries.end(),
                   [](const MpsFile::Entry& a, const MpsFile::Entry& b) { return a.column < b.column; });
  name_all(problem, out);
  return out;
}

void write_mps_problem(const Problem& problem, const std::filesystem::path& file) {
  write_mps(from_problem(problem, file.string()), file);
}

}  // namespace pliant::io
