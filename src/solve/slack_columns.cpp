#include "solve/slack_columns.hpp"

#include "linalg/csr_builder.hpp"
#include "pliant/regularizers.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>

namespace pliant {
namespace {

// Where a column stands: a column with more entries than these is no slack.
constexpr std::uint8_t kMostEntries = 4;

Eigen::Map<const Vector> as_vector(const Doubles& numbers) { return {numbers.data(), numbers.size()}; }

struct Entry {
  RowOfBatch row;  // batch -1: an equality
  double value = 0.0;
};

struct ColumnEntries {
  std::uint8_t count = 0;
  std::array<Entry, kMostEntries> entries;
};

class Search {
 public:
  explicit Search(const Problem& problem)
      : problem_(problem), n_(problem.dimension()), parts_(quadratic_parts(problem)) {
    const SeparableParameters* psi = separable_parameters(problem.prox());
    lo_ = psi != nullptr && !psi->lo.empty() ? Vector(as_vector(psi->lo)) : Vector::Constant(n_, -kInfinity);
    hi_ = psi != nullptr && !psi->hi.empty() ? Vector(as_vector(psi->hi)) : Vector::Constant(n_, kInfinity);
    choose_candidates();
  }

  Index candidates() const { return candidates_; }

  SlackColumns run(Index least) {
    look_at_rows();
    pair_parts();
    SlackColumns out;
    // Tubes bring a second column each, which stands alone in its link.
    budget_ = find_budget(std::max<Index>(2, (least + 1) / 2));
    for (Index j = 0; j < n_; ++j) {
      if (!candidate_[at(j)]) continue;
      SlackColumn slack;
      slack.column = j;
      slack.cost = parts_.cost[j];
      if (recognise(slack)) out.columns.push_back(slack);
    }
    const bool shared =
        std::any_of(out.columns.begin(), out.columns.end(), [](const auto& c) { return c.share > 0.0; });
    if (shared) out.budget = budget_;
    return out;
  }

 private:
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  // Without a negative cost (it may come from the budget, or from the other of two parts), without an upper bound and without curvature.
  void choose_candidates() {
    candidate_.assign(at(n_), 0);
    for (Index j = 0; j < n_; ++j) {
      candidate_[at(j)] = parts_.cost[j] >= 0.0 && hi_[j] == kInfinity ? 1 : 0;
    }
    for (const QuadraticParts::Form& form : parts_.forms) {
      for (Index i = 0; i < n_; ++i) {
        for_each_entry(*form.P, i, [&](Index j, double) { candidate_[at(i)] = candidate_[at(j)] = 0; });
      }
    }
    for (const std::uint8_t c : candidate_) candidates_ += c;
  }

  void look_at_rows() {
    columns_.resize(at(n_));
    used_.resize(problem_.batches().size());
    length_.resize(problem_.batches().size());
    for (std::size_t b = 0; b < problem_.batches().size(); ++b) {
      const LinearRows& rows = *problem_.batches()[b]->linear_rows();
      used_[b].assign(at(rows.constraints()), 0);
      length_[b].assign(at(rows.constraints()), 0);
      for (Index i = 0; i < rows.constraints(); ++i) {
        const LinearRows::Side side = rows.side(i);
        for_each_entry(rows.matrix(), side.row, [&](Index j, double value) {
          ++length_[b][at(i)];
          note(j, {{static_cast<Index>(b), i}, side.sign * value});
        });
      }
    }
    if (!problem_.has_equalities()) return;
    const DataMatrix& E = problem_.equality_matrix();
    for (Index i = 0; i < E.rows(); ++i) {
      for_each_entry(E, i, [&](Index j, double value) { note(j, {{-1, i}, value}); });
    }
  }

  void note(Index j, const Entry& entry) {
    if (!candidate_[at(j)]) return;
    ColumnEntries& column = columns_[at(j)];
    if (column.count == kMostEntries) {
      candidate_[at(j)] = 0;
      return;
    }
    column.entries[column.count++] = entry;
  }

  // The row that most columns want to be small.
  RowOfBatch find_budget(Index least) const {
    std::vector<std::vector<Index>> wanted(used_.size());
    for (std::size_t b = 0; b < used_.size(); ++b) wanted[b].assign(used_[b].size(), 0);
    RowOfBatch out;
    Index most = least - 1;
    for (Index j = 0; j < n_; ++j) {
      if (!candidate_[at(j)]) continue;
      const ColumnEntries& column = columns_[at(j)];
      for (std::size_t k = 0; k < column.count; ++k) {
        const Entry& entry = column.entries[k];
        if (entry.row.batch < 0 || entry.value <= 0.0) continue;
        Index& count = wanted[at(entry.row.batch)][at(entry.row.constraint)];
        if (++count > most) out = entry.row;
        most = std::max(most, count);
      }
    }
    return out;
  }

  static bool same(const RowOfBatch& a, const RowOfBatch& b) {
    return a.batch == b.batch && a.constraint == b.constraint;
  }
  bool is_budget(const RowOfBatch& row) const { return row.batch >= 0 && same(row, budget_); }

  // The first columns with a positive and a negative coefficient that stand in an equality and nowhere else.
  void pair_parts() {
    if (!problem_.has_equalities()) return;
    plus_.assign(at(problem_.equality_matrix().rows()), -1);
    minus_ = plus_;
    for (Index j = 0; j < n_; ++j) {
      const ColumnEntries& column = columns_[at(j)];
      if (!candidate_[at(j)] || column.count != 1 || column.entries[0].row.batch >= 0 || lo_[j] != 0.0) continue;
      Index& place = (column.entries[0].value > 0.0 ? plus_ : minus_)[at(column.entries[0].row.constraint)];
      if (place < 0) place = j;
    }
  }

  bool recognise(SlackColumn& slack) {
    const ColumnEntries& column = columns_[at(slack.column)];
    if (column.count == 0) return false;
    if (column.entries[0].row.batch < 0) return column.count == 1 && recognise_parts(slack);
    std::array<Entry, kMostEntries> lifting;
    std::size_t count = 0;
    for (std::size_t k = 0; k < column.count; ++k) {
      const Entry& entry = column.entries[k];
      if (entry.value > 0.0 && is_budget(entry.row)) {
        slack.share = entry.value;
      } else if (entry.row.batch < 0 || entry.value >= 0.0 || is_budget(entry.row) || used(entry.row)) {
        return false;
      } else {
        lifting[count++] = entry;
      }
    }
    if (slack.cost <= 0.0 && slack.share <= 0.0) return false;
    return recognise_lifted({lifting.data(), count}, slack);
  }

  // Rows of t alone are floors; one or two others say what it is.
  bool recognise_lifted(std::span<const Entry> lifting, SlackColumn& slack) {
    slack.floor = lo_[slack.column];
    slack.bound_is_floor = true;
    std::array<const Entry*, 2> rows{};
    std::size_t count = 0;
    for (const Entry& entry : lifting) {
      if (length(entry.row) > 1) {
        if (count == rows.size()) return false;
        rows[count++] = &entry;
      } else if (slack.floor_row.batch >= 0) {
        return false;
      } else {
        take_floor(entry, slack);
      }
    }
    if (count == 0) return false;
    const bool found = count == 1 ? recognise_one(*rows[0], slack) : recognise_two(*rows[0], *rows[1], slack);
    if (found) claim(slack);
    return found;
  }

  void take_floor(const Entry& entry, SlackColumn& slack) const {
    slack.floor_row = entry.row;
    slack.floor_coefficient = -entry.value;
    const double floor = -constant(entry.row) / slack.floor_coefficient;
    slack.bound_is_floor = slack.floor > floor;
    slack.floor = std::max(slack.floor, floor);
  }

  void claim(const SlackColumn& slack) {
    for (const RowOfBatch& row : {slack.row, slack.other_row, slack.floor_row, slack.link}) {
      if (row.batch >= 0) used(row) = 1;
    }
  }

  bool recognise_parts(SlackColumn& slack) {
    const Entry& entry = columns_[at(slack.column)].entries[0];
    const Index row = entry.row.constraint, v = minus_[at(row)];
    if (plus_[at(row)] != slack.column || v < 0 || slack.cost + parts_.cost[v] <= 0.0) return false;
    slack.kind = SlackColumn::Kind::parts;
    slack.row = entry.row;
    slack.coefficient = entry.value;
    slack.other_column = v;
    slack.other_cost = parts_.cost[v];
    slack.other_coefficient = -columns_[at(v)].entries[0].value;
    return true;
  }

  bool recognise_one(const Entry& entry, SlackColumn& slack) const {
    if (!std::isfinite(slack.floor)) return false;
    if (recognise_linked_tube(entry, slack)) return true;
    slack.row = entry.row;
    slack.coefficient = -entry.value;
    return true;
  }

  bool recognise_two(const Entry& first, const Entry& second, SlackColumn& slack) const {
    set_rows(first, second, slack);
    slack.kind = SlackColumn::Kind::pair;
    if (slack.floor == -kInfinity) return true;
    if (!opposite(slack, slack.column)) return false;
    // The larger of two that are opposite but for a constant is never below their mean: a floor there says nothing.
    if (slack.floor > mean(slack)) slack.kind = SlackColumn::Kind::tube;
    // Rows of t alone belong to a floor, which a pair has not.
    return slack.kind == SlackColumn::Kind::tube || slack.floor_row.batch < 0;
  }

  // gamma u - alpha t <= g and nothing else in the row, u without a cost or curvature and in two rows more.
  bool recognise_linked_tube(const Entry& link, SlackColumn& slack) const {
    if (length(link.row) != 2) return false;
    Entry inner;
    for (const Entry& entry : entries(link.row)) {
      if (entry.row.constraint != slack.column) inner = entry;
    }
    const Index u = inner.row.constraint;
    if (!candidate_[at(u)] || parts_.cost[u] != 0.0 || !(inner.value > 0.0)) return false;
    std::array<Entry, 2> lifting;
    std::size_t count = 0;
    for (std::size_t k = 0; k < columns_[at(u)].count; ++k) {
      const Entry& entry = columns_[at(u)].entries[k];
      if (entry.value > 0.0 && same(entry.row, link.row)) continue;
      const bool lifts = entry.row.batch >= 0 && entry.value < 0.0 && !is_budget(entry.row) && !used(entry.row);
      if (!lifts || count == lifting.size() || length(entry.row) == 1) return false;
      lifting[count++] = entry;
    }
    if (count != lifting.size()) return false;
    SlackColumn tube = slack;
    set_rows(lifting[0], lifting[1], tube);
    if (!opposite(tube, u) || lo_[u] > mean(tube)) return false;
    tube.kind = SlackColumn::Kind::tube;
    tube.other_column = u;
    tube.link = link.row;
    tube.link_coefficient = -link.value;
    tube.link_factor = inner.value / tube.link_coefficient;
    tube.link_constant = constant(link.row) / tube.link_coefficient;
    if (tube.floor < tube.link_factor * mean(tube) - tube.link_constant) return false;  // above the floor everywhere
    slack = tube;
    return true;
  }

  static void set_rows(const Entry& first, const Entry& second, SlackColumn& slack) {
    slack.row = first.row;
    slack.coefficient = -first.value;
    slack.other_row = second.row;
    slack.other_coefficient = -second.value;
  }

  // Whether a / alpha is -b / beta, but for the column that both of them lift.
  bool opposite(const SlackColumn& slack, Index column) const {
    if (length(slack.row) != length(slack.other_row)) return false;
    const double ratio = slack.other_coefficient / slack.coefficient;
    const std::vector<Entry> a = entries(slack.row), b = entries(slack.other_row);
    for (std::size_t p = 0; p < a.size(); ++p) {
      const Index j = a[p].row.constraint;
      if (j != b[p].row.constraint) return false;
      if (j != column && ratio * a[p].value != -b[p].value) return false;
    }
    return true;
  }

  // Of (a - h) / alpha and (b - k) / beta, which are opposite but for it; 0 where rounding alone says otherwise.
  double mean(const SlackColumn& slack) const {
    const double h = constant(slack.row), k = constant(slack.other_row);
    if (slack.other_coefficient / slack.coefficient * h == -k) return 0.0;
    return -0.5 * (h / slack.coefficient + k / slack.other_coefficient);
  }

  // Columns (in row.constraint) and values.
  std::vector<Entry> entries(const RowOfBatch& row) const {
    const LinearRows& rows = *problem_.batches()[at(row.batch)]->linear_rows();
    const LinearRows::Side side = rows.side(row.constraint);
    std::vector<Entry> out;
    for_each_entry(rows.matrix(), side.row, [&](Index j, double value) { out.push_back({{0, j}, side.sign * value}); });
    return out;
  }

  double constant(const RowOfBatch& row) const {
    return problem_.batches()[at(row.batch)]->linear_rows()->constant(row.constraint);
  }
  std::uint8_t& used(const RowOfBatch& row) { return used_[at(row.batch)][at(row.constraint)]; }
  bool used(const RowOfBatch& row) const { return used_[at(row.batch)][at(row.constraint)] != 0; }
  Index length(const RowOfBatch& row) const { return length_[at(row.batch)][at(row.constraint)]; }

  const Problem& problem_;
  const Index n_;
  const QuadraticParts parts_;
  Vector lo_, hi_;
  std::vector<std::uint8_t> candidate_;
  Index candidates_ = 0;
  std::vector<ColumnEntries> columns_;
  std::vector<std::vector<std::uint8_t>> used_;  // rows that belong to a column
  std::vector<std::vector<Index>> length_;       // of rows
  std::vector<Index> plus_, minus_;              // of each equality, columns
  RowOfBatch budget_;
};

}  // namespace

const char* slack_columns_obstacle(const Problem& problem) {
  if (problem.has_soft_rows()) return "some rows are soft already";
  if (!problem.conic().empty()) return "cones";
  for (const Problem::WeightedTerm& t : problem.terms()) {
    const TermStructure structure = t.term->structure();
    if (!structure.linear && !structure.quadratic) return "an objective that is not quadratic";
  }
  if (problem.has_prox()) {
    const SeparableParameters* psi = separable_parameters(problem.prox());
    if (psi == nullptr || psi->l1 != 0.0 || psi->l2 != 0.0) return "a simple term beside bounds";
  }
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->linear_rows() == nullptr) return "rows that are not linear";
  }
  return "";
}

QuadraticParts quadratic_parts(const Problem& problem) {
  QuadraticParts out;
  out.cost = Vector::Zero(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight == 0.0) continue;
    const TermStructure structure = t.term->structure();
    if (structure.linear) {
      out.cost += t.weight * as_vector(*structure.linear.c);
      out.constant += t.weight * structure.linear.constant;
    } else {
      out.cost += t.weight * as_vector(*structure.quadratic.q);
      out.forms.push_back({structure.quadratic.P, t.weight});
    }
  }
  return out;
}

SlackColumns find_slack_columns(const Problem& problem, Index least) {
  Search search(problem);
  if (search.candidates() < least) return {};
  return search.run(least);
}

}  // namespace pliant
