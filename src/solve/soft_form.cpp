#include "solve/soft_form.hpp"

#include "engines/path/soft_bands.hpp"
#include "pliant/regularizers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Bands read rows, and factorise in the variables that are left: with fewer rows than these for each of those, or few
// altogether, a sparse factorisation of the problem as it is takes no longer.
constexpr Index kRowsPerVariable = 8, kLeastRows = 1000;

Index variables_left(const Problem& problem, const std::vector<SlackColumn>& slacks) {
  Index gone = 0;
  for (const SlackColumn& slack : slacks) gone += slack.other_column >= 0 ? 2 : 1;
  return problem.dimension() - gone;
}

DataMatrix picked(const DataMatrix& M, const std::vector<Index>& rows) {
  CsrBuilder out(M.cols());
  for (const Index i : rows) {
    out.entries(M, i, 1.0);
    out.end_row();
  }
  return out.take_as_stored_best();
}

}  // namespace

std::unique_ptr<SoftForm> SoftForm::find(const Problem& problem) {
  if (*slack_columns_obstacle(problem) != '\0') return nullptr;
  const Index n = problem.dimension();
  const Index least = std::max(kLeastRows, kRowsPerVariable * n / (kRowsPerVariable + 1));
  SlackColumns slacks = find_slack_columns(problem, least);
  const auto count = static_cast<Index>(slacks.columns.size());
  const Index left = variables_left(problem, slacks.columns);
  if (count < kLeastRows || count < kRowsPerVariable * left || left == 0) return nullptr;
  auto form = std::make_unique<SoftForm>(problem, std::move(slacks));
  return soft_bands_obstacle(form->at(1.0)).empty() ? std::move(form) : nullptr;
}

SoftForm::SoftForm(const Problem& problem, SlackColumns slacks)
    : original_(problem), slacks_(std::move(slacks.columns)), budget_(slacks.budget), parts_(quadratic_parts(problem)) {
  mark();
  fixed_.cost = restrict(parts_.cost);
  fixed_.constant = parts_.constant;
  per_theta_.cost = Vector::Zero(dimension());
  if (has_budget()) {
    Entries entries;
    add_entries(budget_, 1.0, entries);
    for (const auto& [j, value] : entries) per_theta_.cost[j] += value;
    per_theta_.constant = -constant_of(budget_);
  }
  add_soft_rows();
  add_hard_rows();
  add_equalities();
  add_forms();
}

Problem SoftForm::at(double theta, Index stride) const {
  Problem out(dimension());
  std::vector<double> prices, constants;
  std::vector<Index> some;
  const auto weight = static_cast<double>(stride);
  for (std::size_t k = 0; k < size(soft_rows()); k += size(stride)) {
    prices.push_back(weight * (fixed_.prices[k] + theta * per_theta_.prices[k]));
    if (stride > 1) constants.push_back(soft_constants_[k]);
    some.push_back(static_cast<Index>(k));
  }
  out.minimize(stride > 1 ? positive_part(picked(soft_, some), std::move(constants), std::move(prices))
                          : positive_part(soft_, soft_constants_, std::move(prices)));
  add_objective(out, theta);
  add_rest(out);
  return out;
}

void SoftForm::add_rest(Problem& out) const {
  add_hard_parts(out);
  add_bounds(bounds(), out);
  out.name = original_.name;
  out.sense = original_.sense;
  if (original_.start) out.start = restrict(*original_.start);
}

void SoftForm::mark() {
  place_.assign(size(original_.dimension()), 0);
  for (const BatchPtr& batch : original_.batches()) dropped_.emplace_back(size(batch->size()), 0);
  dropped_.emplace_back(original_.has_equalities() ? size(original_.equality_matrix().rows()) : 0, 0);
  for (std::size_t k = 0; k < slacks_.size(); ++k) {
    const SlackColumn& slack = slacks_[k];
    place_[size(slack.column)] = -1;
    if (slack.other_column >= 0) place_[size(slack.other_column)] = -1;
    if (slack.kind == SlackColumn::Kind::tube) tubes_.push_back(k);
    if (slack.kind == SlackColumn::Kind::parts) {
      dropped_.back()[size(slack.row.constraint)] = 1;
      continue;
    }
    for (const RowOfBatch& row : {slack.row, slack.other_row, slack.floor_row, slack.link}) {
      if (row.batch >= 0) dropped_[size(row.batch)][size(row.constraint)] = 1;
    }
  }
  if (has_budget()) dropped_[size(budget_.batch)][size(budget_.constraint)] = 1;
  for (Index j = 0; j < original_.dimension(); ++j) {
    if (place_[size(j)] < 0) continue;
    place_[size(j)] = static_cast<Index>(kept_.size());
    kept_.push_back(j);
  }
}

std::string SoftForm::description() const {
  return fmt::format("{} columns are prices of rows: {} soft rows{} in {} variables",
                     original_.dimension() - dimension(), soft_rows(), has_budget() ? " with a budget" : "",
                     dimension());
}

Vector SoftForm::restrict(ConstVectorRef x) const {
  Vector out(dimension());
  for (Index k = 0; k < out.size(); ++k) out[k] = x[kept_[size(k)]];
  return out;
}

// ---- rows of the original ----

const DataMatrix& SoftForm::matrix_of(const RowOfBatch& row) const {
  return row.batch < 0 ? original_.equality_matrix() : original_.batches()[size(row.batch)]->linear_rows()->matrix();
}

double SoftForm::sign_of(const RowOfBatch& row) const {
  return row.batch < 0 ? 1.0 : original_.batches()[size(row.batch)]->linear_rows()->side(row.constraint).sign;
}

double SoftForm::constant_of(const RowOfBatch& row) const {
  return row.batch < 0 ? original_.equality_rhs()[row.constraint]
                       : original_.batches()[size(row.batch)]->linear_rows()->constant(row.constraint);
}

Index SoftForm::stored_row(const RowOfBatch& row) const {
  return row.batch < 0 ? row.constraint : original_.batches()[size(row.batch)]->linear_rows()->side(row.constraint).row;
}

void SoftForm::add_entries(const RowOfBatch& row, double factor, Entries& out) const {
  const double scale = factor * sign_of(row);
  for_each_entry(matrix_of(row), stored_row(row), [&](Index j, double value) {
    if (place_[size(j)] >= 0) out.emplace_back(place_[size(j)], scale * value);
  });
}

// ---- the form ----

void SoftForm::add_cost(const SlackColumn& s, double cost, double other_cost, Affine& out) const {
  const double alpha = s.coefficient, beta = s.other_coefficient;
  if (s.kind == SlackColumn::Kind::floor || s.kind == SlackColumn::Kind::tube) {
    out.constant += cost * s.floor;
    out.prices.push_back(s.kind == SlackColumn::Kind::tube ? cost : cost / alpha);
    return;
  }
  const bool pair = s.kind == SlackColumn::Kind::pair;
  const RowOfBatch& row = pair ? s.other_row : s.row;
  const double slope = (pair ? cost : other_cost) / beta;
  if (slope != 0.0) {
    Entries entries;
    add_entries(row, slope, entries);
    for (const auto& [j, value] : entries) out.cost[j] += value;
    out.constant -= slope * constant_of(row);
  }
  out.prices.push_back(pair ? cost : cost / alpha + slope);
}

void SoftForm::add_soft_rows() {
  CsrBuilder rows(dimension());
  Entries entries;
  for (const SlackColumn& s : slacks_) {
    add_cost(s, s.cost, s.other_cost, fixed_);
    add_cost(s, s.share, 0.0, per_theta_);
    entries.clear();
    const double alpha = s.coefficient, beta = s.other_coefficient;
    switch (s.kind) {
      case SlackColumn::Kind::floor:
        add_entries(s.row, 1.0, entries);
        soft_constants_.push_back(constant_of(s.row) + alpha * s.floor);
        break;
      case SlackColumn::Kind::pair:
        add_entries(s.row, 1.0 / alpha, entries);
        add_entries(s.other_row, -1.0 / beta, entries);
        soft_constants_.push_back(constant_of(s.row) / alpha - constant_of(s.other_row) / beta);
        break;
      case SlackColumn::Kind::parts:
        add_entries(s.row, -1.0, entries);
        soft_constants_.push_back(-constant_of(s.row));
        break;
      case SlackColumn::Kind::tube:
        add_side(s, s.row, s.coefficient, entries);
        break;
    }
    end_row(entries, rows);
  }
  for (const std::size_t k : tubes_) {
    const SlackColumn& s = slacks_[k];
    entries.clear();
    add_side(s, s.other_row, s.other_coefficient, entries);
    end_row(entries, rows);
    fixed_.prices.push_back(s.cost);
    per_theta_.prices.push_back(s.share);
  }
  soft_ = rows.take_as_stored_best();
}

// (gamma / alpha) (a - h) / coefficient - g / alpha - floor
void SoftForm::add_side(const SlackColumn& tube, const RowOfBatch& row, double coefficient, Entries& out) {
  const double factor = tube.link_factor / coefficient;
  add_entries(row, factor, out);
  soft_constants_.push_back(factor * constant_of(row) + tube.link_constant + tube.floor);
}

// Entries of one column are added.
void SoftForm::end_row(Entries& entries, CsrBuilder& rows) {
  const auto by_column = [](const auto& a, const auto& b) { return a.first < b.first; };
  if (!std::is_sorted(entries.begin(), entries.end(), by_column)) {
    std::stable_sort(entries.begin(), entries.end(), by_column);
  }
  for (std::size_t p = 0; p < entries.size();) {
    const Index column = entries[p].first;
    double sum = 0.0;
    for (; p < entries.size() && entries[p].first == column; ++p) sum += entries[p].second;
    if (sum != 0.0) rows.entry(column, sum);
  }
  rows.end_row();
}

// One-sided rows, batch by batch; batches of which nothing stays are left out.
void SoftForm::add_hard_rows() {
  Entries entries;
  for (std::size_t b = 0; b < original_.batches().size(); ++b) {
    CsrBuilder rows(dimension());
    std::vector<double> constants;
    rows_.emplace_back();
    for (Index i = 0; i < original_.batches()[b]->size(); ++i) {
      if (dropped_[b][size(i)] != 0) continue;
      const RowOfBatch row{static_cast<Index>(b), i};
      entries.clear();
      add_entries(row, 1.0, entries);
      end_row(entries, rows);
      constants.push_back(constant_of(row));
      rows_.back().push_back(i);
    }
    if (rows_.back().empty()) continue;
    hard_.push_back({linear_le(rows.take_as_stored_best(), std::move(constants)), original_.batches()[b]->name});
  }
}

void SoftForm::add_equalities() {
  if (!original_.has_equalities()) return;
  CsrBuilder rows(dimension());
  Entries entries;
  for (Index i = 0; i < original_.equality_matrix().rows(); ++i) {
    if (dropped_.back()[size(i)] != 0) continue;
    entries.clear();
    add_entries({-1, i}, 1.0, entries);
    end_row(entries, rows);
    e_.push_back(original_.equality_rhs()[i]);
    equalities_.push_back(i);
  }
  E_ = rows.take();
}

// Slacks have no curvature: forms lose columns of zeros.
void SoftForm::add_forms() {
  Entries entries;
  for (const QuadraticParts::Form& form : parts_.forms) {
    CsrBuilder P(dimension());
    for (const Index j : kept_) {
      entries.clear();
      for_each_entry(*form.P, j, [&](Index k, double value) { entries.emplace_back(place_[size(k)], value); });
      end_row(entries, P);
    }
    forms_.push_back(P.take_as_stored_best());
  }
}

void SoftForm::add_objective(Problem& out, double theta) const {
  for (std::size_t k = 0; k < forms_.size(); ++k) {
    out.minimize(quadratic(forms_[k], to_array(Vector::Zero(dimension()))), parts_.forms[k].weight);
  }
  out.minimize(linear(to_array(fixed_.cost + theta * per_theta_.cost), fixed_.constant + theta * per_theta_.constant));
}

void SoftForm::add_hard_parts(Problem& out) const {
  for (const HardRows& hard : hard_) out.subject_to(hard.rows, hard.name);
  if (!e_.empty()) out.equal(E_, e_);
}

SoftForm::Bounds SoftForm::bounds() const {
  const Index n = dimension();
  Bounds out{Vector::Constant(n, -kInfinity), Vector::Constant(n, kInfinity)};
  const SeparableParameters* psi = separable_parameters(original_.prox());
  for (Index k = 0; psi != nullptr && k < n; ++k) {
    if (!psi->lo.empty()) out.lo[k] = psi->lo[kept_[size(k)]];
    if (!psi->hi.empty()) out.hi[k] = psi->hi[kept_[size(k)]];
  }
  return out;
}

void SoftForm::add_bounds(const Bounds& bounds, Problem& out) {
  const auto& [lo, hi] = bounds;
  if ((lo.array() == -kInfinity).all() && (hi.array() == kInfinity).all()) return;
  out.regularize(box(to_array(lo), to_array(hi)));
}

}  // namespace pliant
