#include "engines/path/held_soft.hpp"

#include <algorithm>
#include <stdexcept>

namespace pliant {
namespace {

// Operations on a sum after it was made.
constexpr Index kFewMore = 8;

/// gradient'x + constant as rows far away sum up to: rounding counts as that of all the rows behind it.
class FrozenTerm final : public ObjectiveTerm {
 public:
  explicit FrozenTerm(FrozenSum sum) : sum_(std::move(sum)) {}

  std::string_view kind() const override { return "frozen_rows"; }
  Index dimension() const override { return sum_.gradient.size(); }
  Index components() const override { return 1; }
  Index bytes() const override { return 0; }

  double value(ConstVectorRef x) const override { return sum_.gradient.dot(x) + sum_.constant; }
  double add_gradient(ConstVectorRef x, double weight, VectorRef gradient) const override {
    gradient += weight * sum_.gradient;
    return value(x);
  }
  void add_hessian(ConstVectorRef, double, MatrixRef) const override {}
  double component_value(Index, ConstVectorRef x) const override { return value(x); }
  void add_component_gradient(Index, ConstVectorRef x, double weight, VectorRef gradient) const override {
    add_gradient(x, weight, gradient);
  }
  double smoothness() const override { return 0.0; }
  double component_smoothness(Index) const override { return 0.0; }
  double strong_convexity() const override { return 0.0; }
  double lower_bound() const override { return -kInfinity; }
  double add_absolute_sums(ConstVectorRef x, double weight, VectorRef gradient_sizes) const override {
    gradient_sizes += weight * sum_.gradient_size;
    return sum_.gradient_size.dot(x.cwiseAbs()) + sum_.constant_size;
  }
  Index rounding_length() const override { return sum_.length + dimension() + kFewMore; }
  double convexity_defect() const override { return 0.0; }
  void validate() const override {}

 private:
  FrozenSum sum_;
};

/// A row for each price of the rows that are here.
struct Priced {
  std::vector<Index> rows, numbers;
  std::vector<double> signs, constants, prices, multipliers;

  Priced(const SoftMass& mass, const HeldSoftRows& held) {
    for (Index k = 0; k < held.slopes.size(); ++k) {
      const SoftRow row = held.rows.row(k);
      const Index number = mass.numbers()[static_cast<std::size_t>(k)];
      if (row.above > 0.0) add({number, 1.0}, k, row.upper, row.above, held.slopes[k]);
      if (row.below > 0.0) add({number, -1.0}, k, -row.lower, row.below, held.slopes[k]);
    }
  }

 private:
  void add(const HeldSide& side, Index place, double constant, double price, double slope) {
    rows.push_back(place);
    numbers.push_back(side.number());
    signs.push_back(side.sign);
    constants.push_back(constant);
    prices.push_back(price);
    multipliers.push_back(std::clamp(side.sign * slope, 0.0, price));
  }
};

}  // namespace

void evaluate_held_soft(Context& run, const SoftMass& mass, const HeldSoftRows& held, InnerPoint& point) {
  if (held.slopes.size() != static_cast<Index>(mass.numbers().size())) {
    throw std::logic_error("slopes of other rows than came");
  }
  const Priced priced(mass, held);
  Problem with_rows = run.problem();
  if (mass.far().gradient.size() > 0) with_rows.minimize(std::make_shared<FrozenTerm>(mass.far()));
  const auto count = static_cast<Index>(priced.rows.size());
  if (count > 0) {
    with_rows.minimize(SoftRows{held.rows.gather(priced.rows, priced.signs, priced.constants), Doubles(priced.prices)});
  }
  ProblemView& view = run.view();
  view.stand_for_all(std::move(with_rows), priced.numbers, 0.0);
  // Inequalities of the problem itself, the soft ones, equalities.
  const Index own = run.system().inequalities(), sides = run.system().size() - own;
  Vector multipliers = Vector::Zero(view.system().size());
  multipliers.head(own) = held.others.head(own);
  multipliers.segment(own, count) = Eigen::Map<const Vector>(priced.multipliers.data(), count);
  multipliers.tail(sides) = held.others.tail(sides);
  evaluate_lagrangian(view.problem(), view.system(), point.x, multipliers, point.at);
}

}  // namespace pliant
