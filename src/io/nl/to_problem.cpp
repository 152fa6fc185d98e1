#include "expressions/expression_parts.hpp"
#include "expressions/polynomial.hpp"
#include "io/file_error.hpp"
#include "io/mps/mps_problem.hpp"
#include "io/nl/log_sum_exp.hpp"
#include "io/nl/nl_problem.hpp"
#include "io/nl/start.hpp"
#include "io/text/at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

namespace pliant::io {
namespace {

// Log-sum-exp rows are stored as dense matrices; this many numbers (512 MB) are the most.
constexpr Index kMostDenseExponents = Index{1} << 26;

// A row that is neither linear nor quadratic, as sign (body - side) <= 0.
struct CurvedRow {
  Index row;
  double sign;
  Index root;  // of sign (body - side)
};

class NlBuilder {
 public:
  NlBuilder(const NlFile& nl, const std::string& shown) : nl_(nl), shown_(shown), graph_(nl.graph) {}
  NlProblem build();

 private:
  std::string row_name(Index i) const { return nl_.row_names.empty() ? fmt::format("c{}", i) : nl_.row_names[at(i)]; }
  void name_columns();
  void add_objective();
  void add_row(Index i);
  void add_polynomial_row(Index i, const Polynomial& p);
  void add_curved_row(Index i, const NlFunction& body);
  void add_log_sum_exp(Problem& problem);
  void add_expressions(Problem& problem);
  void find_places(NlProblem& out) const;
  /// factor (nonlinear + linear) + constant as a node.
  Index whole(const NlFunction& f, double factor, double constant);
  static Polynomial linear_of(const NlFunction& f);
  static std::vector<QuadraticEntry> symmetric(const Polynomial& p);

  const NlFile& nl_;
  const std::string& shown_;
  Graph graph_;  // of the file, and what is added to it
  MpsFile mps_;
  Index objective_root_ = -1;  // of F where it is no polynomial
  std::vector<std::pair<Index, LogSumExpRow>> exponentials_;
  std::vector<CurvedRow> curved_;
  std::map<Index, double> factors_;  // of duals of curved rows
};

Polynomial NlBuilder::linear_of(const NlFunction& f) {
  Polynomial out;
  for (const auto& [j, value] : f.linear) out.linear[j] += value;
  return out;
}

// value x_i x_j as entries of Q in 1/2 x'Qx.
std::vector<QuadraticEntry> NlBuilder::symmetric(const Polynomial& p) {
  std::vector<QuadraticEntry> out;
  for (const auto& [place, value] : p.products) {
    const auto [i, j] = place;
    if (value == 0.0) continue;
    out.push_back({i, j, i == j ? 2.0 * value : value});
    if (i != j) out.push_back({j, i, value});
  }
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return std::pair(a.row, a.column) < std::pair(b.row, b.column); });
  return out;
}

Index NlBuilder::whole(const NlFunction& f, double factor, double constant) {
  std::vector<Index> parts;
  if (f.root >= 0) parts.push_back(graph_.multiple(factor, f.root));
  for (const auto& [j, value] : f.linear) parts.push_back(graph_.multiple(factor * value, graph_.variable(j)));
  if (constant != 0.0) parts.push_back(graph_.constant(constant));
  return graph_.sum(parts);
}

void NlBuilder::name_columns() {
  mps_.lower = nl_.lower;
  mps_.upper = nl_.upper;
  mps_.cost.assign(at(nl_.variables), 0.0);
  mps_.columns = nl_.column_names;
  for (Index j = 0; nl_.column_names.empty() && j < nl_.variables; ++j) mps_.columns.push_back(fmt::format("x{}", j));
}

void NlBuilder::add_objective() {
  mps_.maximize = nl_.maximize;
  mps_.objective = "objective";
  std::optional<Polynomial> p = nl_.objective.root < 0 ? Polynomial() : as_polynomial(graph_, nl_.objective.root);
  if (!p) {
    objective_root_ = whole(nl_.objective, nl_.maximize ? -1.0 : 1.0, 0.0);
    return;
  }
  p->add(linear_of(nl_.objective), 1.0);
  mps_.constant = p->constant;
  for (const auto& [j, value] : p->linear) mps_.cost[at(j)] = value;
  mps_.quadratic = symmetric(*p);
}

void NlBuilder::add_polynomial_row(Index i, const Polynomial& p) {
  const auto row = static_cast<Index>(mps_.rows.size());
  const double lower = nl_.row_lower[at(i)] - p.constant, upper = nl_.row_upper[at(i)] - p.constant;
  std::vector<QuadraticEntry> quadratic = symmetric(p);
  if (!quadratic.empty() && std::isinf(lower) && std::isinf(upper)) return;  // says nothing
  mps_.rows.push_back(row_name(i));
  mps_.row_lower.push_back(lower);
  mps_.row_upper.push_back(upper);
  for (const auto& [j, value] : p.linear) {
    if (value != 0.0) mps_.entries.push_back({row, j, value});
  }
  if (quadratic.empty()) return;
  factors_[i] = std::isfinite(upper) ? 1.0 : -1.0;
  mps_.quadratic_rows[row] = std::move(quadratic);
}

void NlBuilder::add_curved_row(Index i, const NlFunction& body) {
  const double lower = nl_.row_lower[at(i)], upper = nl_.row_upper[at(i)];
  if (std::isinf(lower) && std::isinf(upper)) return;
  if (std::isfinite(lower) && std::isfinite(upper)) {
    throw InputError(fmt::format("{}: constraint {} is nonlinear and has {}, expected one side: others are not convex",
                                 shown_, printable(row_name(i)), lower == upper ? "two equal sides" : "two sides"));
  }
  if (std::isfinite(upper)) {
    if (std::optional<LogSumExpRow> row = as_log_sum_exp(graph_, body.root, linear_of(body), upper)) {
      factors_[i] = row->dual_factor;
      exponentials_.emplace_back(i, std::move(*row));
      return;
    }
  }
  const double sign = std::isfinite(upper) ? 1.0 : -1.0;
  factors_[i] = sign;
  curved_.push_back({i, sign, whole(body, sign, sign > 0.0 ? -upper : lower)});
}

void NlBuilder::add_row(Index i) {
  const auto found = nl_.bodies.find(i);
  if (found == nl_.bodies.end()) return add_polynomial_row(i, {});
  const NlFunction& body = found->second;
  std::optional<Polynomial> p = body.root < 0 ? Polynomial() : as_polynomial(graph_, body.root);
  if (!p) return add_curved_row(i, body);
  p->add(linear_of(body), 1.0);
  add_polynomial_row(i, *p);
}

// One batch for all rows with as many exponentials.
void NlBuilder::add_log_sum_exp(Problem& problem) {
  std::map<std::size_t, std::vector<const std::pair<Index, LogSumExpRow>*>> by_length;
  for (const auto& row : exponentials_) by_length[row.second.exponents.size()].push_back(&row);
  const Index n = nl_.variables;
  for (const auto& [length, rows] : by_length) {
    const auto m = static_cast<Index>(rows.size()), k = static_cast<Index>(length);
    if (m * k > kMostDenseExponents / n) {
      throw InputError(
          fmt::format("{}: {} rows of {} exponentials of {} variables are too large, expected at most {} "
                      "numbers",
                      shown_, m, k, n, kMostDenseExponents));
    }
    std::vector<double> A(at(m * k * n), 0.0), b;
    std::vector<std::string> names;
    Index line = 0;
    for (const auto* row : rows) {
      names.push_back(row_name(row->first));
      for (const Polynomial& exponent : row->second.exponents) {
        for (const auto& [j, value] : exponent.linear) A[at(line * n + j)] = value;
        b.push_back(exponent.constant);
        ++line;
      }
    }
    problem.subject_to(log_sum_exp_le(Tensor({m, k, n}, Doubles(std::move(A))), Tensor({m, k}, Doubles(std::move(b)))));
    problem.names.constraints.push_back(std::move(names));
  }
}

// The engine for functions of this kind follows rows: where a file has none, 0 <= 1 is one that says nothing.
void add_idle_row(Problem& problem) {
  const DataMatrix zeros =
      DataMatrix::csr(1, problem.dimension(), Indices(std::vector<Index>{0, 0}), Indices(), Doubles());
  problem.subject_to(linear_le(zeros, Doubles({1.0})));
}

void NlBuilder::add_expressions(Problem& problem) {
  std::vector<Expression> rows;
  std::vector<std::string> names;
  for (const CurvedRow& row : curved_) {
    rows.emplace_back(graph_, row.root);
    names.push_back(row_name(row.row));
  }
  std::optional<Expression> objective;
  if (objective_root_ >= 0) objective.emplace(graph_, objective_root_);
  problem.start = choose_start(nl_, objective ? &*objective : nullptr, rows, shown_);
  if (problem.start) {
    for (Expression& row : rows) row.choose_sides(*problem.start);
    if (objective) objective->choose_sides(*problem.start);
  }
  if (rows.empty() && objective && problem.batches().empty()) add_idle_row(problem);
  if (objective) problem.minimize(expression_term(nl_.variables, std::move(*objective)));
  if (rows.empty()) return;
  const std::string label = rows.size() == 1 ? names.front() : fmt::format("nonlinear rows {}, ...", names.front());
  problem.subject_to(expression_rows(nl_.variables, std::move(rows)), label);
  problem.names.constraints.push_back(std::move(names));
}

// Names are different: they lead from the parts of the problem back to the rows.
void NlBuilder::find_places(NlProblem& out) const {
  std::unordered_map<std::string, Index> row_of;
  for (Index i = 0; i < nl_.rows; ++i) row_of.emplace(row_name(i), i);
  out.places.resize(at(nl_.rows));
  const auto put = [&](const std::string& name, NlPlace::Part part, Index batch, Index entry) {
    const Index i = row_of.at(name);
    const auto factor = factors_.find(i);
    out.places[at(i)] = {part, batch, entry, factor == factors_.end() ? 1.0 : factor->second};
  };
  const Names& names = out.problem.names;
  for (std::size_t e = 0; e < names.equalities.size(); ++e) {
    put(names.equalities[e], NlPlace::Part::equality, 0, static_cast<Index>(e));
  }
  for (std::size_t b = 0; b < names.constraints.size(); ++b) {
    for (std::size_t e = 0; e < names.constraints[b].size(); ++e) {
      put(names.constraints[b][e], NlPlace::Part::batch, static_cast<Index>(b), static_cast<Index>(e));
    }
  }
}

NlProblem NlBuilder::build() {
  name_columns();
  add_objective();
  for (Index i = 0; i < nl_.rows; ++i) add_row(i);
  std::stable_sort(mps_.entries.begin(), mps_.entries.end(),
                   [](const auto& a, const auto& b) { return a.column < b.column; });
  NlProblem out{to_problem(mps_, shown_), {}};
  add_log_sum_exp(out.problem);
  add_expressions(out.problem);
  find_places(out);
  return out;
}

}  // namespace

NlProblem to_problem(const NlFile& contents, const std::string& shown) { return NlBuilder(contents, shown).build(); }

Problem read_nl_problem(const std::filesystem::path& file, std::vector<std::string>* notes) {
  const NlFile contents = parse_nl(file);
  if (notes != nullptr) notes->insert(notes->end(), contents.notes.begin(), contents.notes.end());
  return to_problem(contents, file.string()).problem;
}

}  // namespace pliant::io
