// What a soft form says of its budget, and answers of it as answers of the original.
#include "solve/soft_form.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Multiples of the last digit of c below c: with these c - lambda is exact, and so is every sum that must be c again.
double on_grid(double lambda, double c) { return std::clamp((c + lambda) - c, 0.0, c); }

}  // namespace

// ---- the budget ----

// Sizes of the gradients, levels apart, whose units are those of the rows: that of the objective at 0, and that of the
// budget with as many rows above their kink as balance the levels, or all where there is no level.
double SoftForm::usual_theta() const {
  const std::vector<char> level = levels();
  double beside = 0.0, rows = 0.0, cost = 0.0, levels_cost = 0.0, levels_rows = 0.0;
  for (Index j = 0; j < dimension(); ++j) {
    (level[size(j)] != 0 ? levels_cost : beside) += std::abs(per_theta_.cost[j]);
    if (level[size(j)] == 0) cost += std::abs(fixed_.cost[j]);
  }
  for (Index k = 0; k < soft_rows(); ++k) {
    double length = 0.0, along = 0.0;
    for_each_entry(soft_, k, [&](Index j, double value) { (level[size(j)] != 0 ? along : length) += std::abs(value); });
    rows += per_theta_.prices[size(k)] * length;
    levels_rows += per_theta_.prices[size(k)] * along;
    cost += fixed_.prices[size(k)] * length;
  }
  const double share = levels_cost > 0.0 ? std::min(1.0, levels_cost / levels_rows) : 1.0;
  const double theta = cost / (beside + share * rows);
  return std::isfinite(theta) && theta > 0.0 ? theta : 1.0;
}

Problem SoftForm::with_unit_prices() const {
  Problem out(dimension());
  out.minimize(positive_part(soft_, soft_constants_, per_theta_.prices));
  add_objective(out, 0.0);
  add_rest(out);
  return out;
}

Problem SoftForm::budget_alone() const {
  Problem out(dimension());
  out.minimize(positive_part(soft_, soft_constants_, per_theta_.prices));
  out.minimize(linear(to_array(per_theta_.cost), per_theta_.constant));
  add_rest(out);
  return out;
}

bool SoftForm::budget_is_all() const {
  return has_budget() && std::all_of(fixed_.prices.begin(), fixed_.prices.end(), [](double p) { return p == 0.0; });
}

std::vector<char> SoftForm::levels() const {
  std::vector<char> out(size(dimension()), 1);
  const auto clear = [&](const DataMatrix& M) {
    for (Index i = 0; i < M.rows(); ++i) for_each_entry(M, i, [&](Index j, double) { out[size(j)] = 0; });
  };
  for (const HardRows& hard : hard_) clear(hard.rows->linear_rows()->matrix());
  if (!e_.empty()) clear(E_);
  for (const DataMatrix& P : forms_) clear(P);
  const Bounds own = bounds();
  for (Index j = 0; j < dimension(); ++j) {
    const bool free = own.lo[j] <= 0.0 && own.hi[j] >= 0.0;
    if (fixed_.cost[j] != 0.0 || !free) out[size(j)] = 0;
  }
  return out;
}

Problem SoftForm::without_budget() const {
  Problem out(dimension());
  add_hard_parts(out);
  add_objective(out, 0.0);
  Bounds own = bounds();
  const std::vector<char> level = levels();
  for (Index j = 0; j < dimension(); ++j) {
    if (level[size(j)] != 0) own.lo[j] = own.hi[j] = 0.0;
  }
  add_bounds(own, out);
  return out;
}

Problem SoftForm::least_excess(ConstVectorRef x) const {
  Problem out(dimension());
  out.minimize(positive_part(soft_, soft_constants_, per_theta_.prices));
  out.minimize(linear(to_array(per_theta_.cost), per_theta_.constant));
  Bounds own = bounds();
  const std::vector<char> level = levels();
  for (Index j = 0; j < dimension(); ++j) {
    if (level[size(j)] == 0) own.lo[j] = own.hi[j] = x[j];
  }
  add_bounds(own, out);
  return out;
}

// ---- back to the original ----

double SoftForm::value_at(const RowOfBatch& row, ConstVectorRef x) const {
  double sum = 0.0;
  const double sign = sign_of(row);
  for_each_entry(matrix_of(row), stored_row(row), [&](Index j, double value) {
    if (place_[size(j)] >= 0) sum += sign * value * x[place_[size(j)]];
  });
  return sum;
}

Vector SoftForm::lift(ConstVectorRef x) const { return lift_with(x, 1.0); }
Vector SoftForm::lift_ray(ConstVectorRef direction) const { return lift_with(direction, 0.0); }

Vector SoftForm::lift_with(ConstVectorRef x, double constants) const {
  Vector out = Vector::Zero(original_.dimension());
  for (Index k = 0; k < x.size(); ++k) out[kept_[size(k)]] = x[k];
  const auto value = [&](const RowOfBatch& row) { return value_at(row, x) - constants * constant_of(row); };
  for (const SlackColumn& s : slacks_) {
    const double a = value(s.row);
    switch (s.kind) {
      case SlackColumn::Kind::floor:
        out[s.column] = std::max(constants * s.floor, a / s.coefficient);
        break;
      case SlackColumn::Kind::pair:
        out[s.column] = std::max(a / s.coefficient, value(s.other_row) / s.other_coefficient);
        break;
      case SlackColumn::Kind::parts:
        out[s.column] = std::max(0.0, -a / s.coefficient);
        out[s.other_column] = std::max(0.0, a / s.other_coefficient);
        break;
      case SlackColumn::Kind::tube: {
        const double larger = std::max(a / s.coefficient, value(s.other_row) / s.other_coefficient);
        if (s.other_column >= 0) out[s.other_column] = larger;
        out[s.column] =
            constants * s.floor + std::max(0.0, s.link_factor * larger - constants * (s.link_constant + s.floor));
        break;
      }
    }
  }
  return out;
}

double SoftForm::excess(ConstVectorRef x, Index stride) const {
  double sum = 0.0;
  const Vector at_x = x;
  for (Index k = 0; k < soft_rows(); k += stride) {
    sum += priced(per_theta_.prices[size(k)], soft_.dot(k, at_x.data()) - soft_constants_[size(k)]);
  }
  return static_cast<double>(stride) * sum + per_theta_.cost.dot(at_x) + per_theta_.constant;
}

void SoftForm::set_multipliers(std::size_t k, const Vector& of_soft_rows, double cost, Multipliers& out) const {
  const SlackColumn& s = slacks_[k];
  const double lambda = of_soft_rows[static_cast<Index>(k)];
  const auto set = [&](const RowOfBatch& row, double value) { out.lambda[size(row.batch)][row.constraint] = value; };
  switch (s.kind) {
    case SlackColumn::Kind::floor: {
      const double share = on_grid(lambda * s.coefficient, cost);
      set(s.row, share / s.coefficient);
      if (s.floor_row.batch >= 0 && !s.bound_is_floor) set(s.floor_row, (cost - share) / s.floor_coefficient);
      break;
    }
    case SlackColumn::Kind::pair: {
      const double share = on_grid(lambda, cost);
      set(s.row, share / s.coefficient);
      set(s.other_row, (cost - share) / s.other_coefficient);
      break;
    }
    case SlackColumn::Kind::parts: {
      const double most = s.other_cost / s.other_coefficient;
      out.nu[s.row.constraint] = std::clamp(most - lambda, -cost / s.coefficient, most);
      break;
    }
    case SlackColumn::Kind::tube: {
      const auto place = std::lower_bound(tubes_.begin(), tubes_.end(), k) - tubes_.begin();
      set_tube(s, lambda, of_soft_rows[static_cast<Index>(slacks_.size()) + place], cost, out);
      break;
    }
  }
}

// The gradients of the two sides are opposite, and the sum of their values is never positive: what both have in common
// is worth nothing to the gradient, and no more than nothing to the bound. Without it they keep the cost.
void SoftForm::set_tube(const SlackColumn& s, double lambda, double second, double cost, Multipliers& out) const {
  const auto set = [&](const RowOfBatch& row, double value) { out.lambda[size(row.batch)][row.constraint] = value; };
  const bool first = lambda >= second;
  const double share = on_grid(std::abs(lambda - second), cost), of_rows = s.link_factor * share;
  set(s.row, first ? of_rows / s.coefficient : 0.0);
  set(s.other_row, first ? 0.0 : of_rows / s.other_coefficient);
  if (s.link.batch >= 0) set(s.link, share / s.link_coefficient);
  if (s.floor_row.batch >= 0 && !s.bound_is_floor) set(s.floor_row, (cost - share) / s.floor_coefficient);
}

Multipliers SoftForm::to_original(const Multipliers& of_form, double theta) const {
  Multipliers out = zero_multipliers(original_);
  for (std::size_t k = 0; k < slacks_.size(); ++k) {
    set_multipliers(k, of_form.lambda[0], slacks_[k].cost + theta * slacks_[k].share, out);
  }
  if (has_budget()) out.lambda[size(budget_.batch)][budget_.constraint] = theta;
  std::size_t next = 1;  // the soft rows come first
  for (std::size_t b = 0; b < rows_.size(); ++b) {
    if (rows_[b].empty()) continue;
    const Vector& lambda = of_form.lambda[next++];
    for (std::size_t i = 0; i < rows_[b].size(); ++i) out.lambda[b][rows_[b][i]] = lambda[static_cast<Index>(i)];
  }
  for (std::size_t i = 0; i < equalities_.size(); ++i) out.nu[equalities_[i]] = of_form.nu[static_cast<Index>(i)];
  return out;
}

}  // namespace pliant
