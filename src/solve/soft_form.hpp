// Rows with slack columns as soft rows (slack_columns.hpp): the same problem over the other variables.
//
// With t = max(floor, (a - h) / alpha) its cost c t is c floor + (c / alpha) max(0, a - h - alpha floor); with two rows it
// is c (b - k) / beta + c max(0, (a - h) / alpha - (b - k) / beta); and the parts of r = y - a cost
// -(c_v / beta) r + (c_u / alpha + c_v / beta) max(0, r). A tube is c floor and two soft rows. Multipliers of the soft
// rows give those of the rows back.
//
// A budget is a limit of what the slacks add up to. Its multiplier theta makes it a part of the objective: c means
// c + theta w then, and there is a problem for every theta. soft_budget.hpp looks for the one that keeps the budget.
#pragma once

#include "linalg/csr_builder.hpp"
#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "solve/slack_columns.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pliant {

class SoftForm {
 public:
  /// Null where a problem has too few slack columns beside its other variables to gain by it, or bands cannot take what
  /// is left.
  static std::unique_ptr<SoftForm> find(const Problem& problem);

  SoftForm(const Problem& problem, SlackColumns slacks);

  Index dimension() const { return static_cast<Index>(kept_.size()); }
  bool has_budget() const { return budget_.batch >= 0; }
  /// The problem at a multiplier of the budget. `stride` > 1: with only every so many-th of the soft rows, at so many times
  /// its price.
  Problem at(double theta, Index stride = 1) const;
  /// The problem with the prices of a unit of the multiplier, but an objective without the budget: its linear part is this
  /// gradient and constant. For forms whose prices come from the budget alone.
  Problem with_unit_prices() const;
  const Vector& budget_gradient() const { return per_theta_.cost; }
  double budget_constant() const { return per_theta_.constant; }
  /// The problem without budget and soft rows, which cost nothing then. Levels, variables that appear in nothing else, are 0.
  Problem without_budget() const;
  /// The least excess of the budget there is.
  Problem budget_alone() const;
  /// The least excess of the budget, levels alone being free: the others are as in x.
  Problem least_excess(ConstVectorRef x) const;
  /// A multiplier at which the budget is worth about what the rest costs, in whatever units both are.
  double usual_theta() const;
  /// Whether prices come from the budget alone.
  bool budget_is_all() const;
  /// One for each slack, then a second one for each tube.
  Index soft_rows() const { return static_cast<Index>(slacks_.size() + tubes_.size()); }
  /// What was found, in words.
  std::string description() const;

  Vector restrict(ConstVectorRef x) const;
  /// x with the smallest slacks.
  Vector lift(ConstVectorRef x) const;
  /// The same for a direction: slacks grow as fast as their rows.
  Vector lift_ray(ConstVectorRef direction) const;
  /// By how much x exceeds the budget, soft rows and prices as in `at`.
  double excess(ConstVectorRef x, Index stride = 1) const;
  Multipliers to_original(const Multipliers& of_form, double theta) const;

 private:
  static std::size_t size(Index i) { return static_cast<std::size_t>(i); }
  /// Columns among those that stay, and values.
  using Entries = std::vector<std::pair<Index, double>>;

  /// Linear in theta: that of 0, and what each unit adds.
  struct Affine {
    Vector cost;  // of the variables that stay
    double constant = 0.0;
    std::vector<double> prices;  // of the soft rows
  };

  const DataMatrix& matrix_of(const RowOfBatch& row) const;
  Index stored_row(const RowOfBatch& row) const;
  double sign_of(const RowOfBatch& row) const;
  double constant_of(const RowOfBatch& row) const;
  /// A row of the original times a factor, in the variables that stay.
  void add_entries(const RowOfBatch& row, double factor, Entries& out) const;
  /// a of a row, x of the form.
  double value_at(const RowOfBatch& row, ConstVectorRef x) const;
  /// `constants` times all constant terms: 1 at a point, 0 along a direction.
  Vector lift_with(ConstVectorRef x, double constants) const;
  static void end_row(Entries& entries, CsrBuilder& rows);
  /// Multipliers of the rows of one slack, from those of its soft rows and its cost.
  void set_multipliers(std::size_t slack, const Vector& of_soft_rows, double cost, Multipliers& out) const;
  void set_tube(const SlackColumn& tube, double lambda, double second, double cost, Multipliers& out) const;

  void mark();
  void add_soft_rows();
  /// One of the two soft rows of a tube, in units of its slack: a row of the original and its coefficient.
  void add_side(const SlackColumn& tube, const RowOfBatch& row, double coefficient, Entries& out);
  /// What a slack at this cost adds, but for its row and the second one of a tube.
  void add_cost(const SlackColumn& slack, double cost, double other_cost, Affine& out) const;
  void add_hard_rows();
  void add_equalities();
  void add_forms();
  void add_objective(Problem& out, double theta) const;
  /// Everything but objective and soft rows.
  void add_rest(Problem& out) const;
  void add_hard_parts(Problem& out) const;
  /// Of each variable whether it appears in soft rows and the budget alone.
  std::vector<char> levels() const;
  struct Bounds {
    Vector lo, hi;
  };
  Bounds bounds() const;
  static void add_bounds(const Bounds& bounds, Problem& out);

  const Problem& original_;
  std::vector<SlackColumn> slacks_;
  std::vector<std::size_t> tubes_;          // which of them have a second soft row
  std::vector<Index> kept_, place_;         // variables that stay; where they are among these, -1: gone
  std::vector<std::vector<char>> dropped_;  // of each batch, constraints that belong to a slack; last: equalities
  std::vector<std::vector<Index>> rows_;    // of each batch, constraints that stay
  std::vector<Index> equalities_;           // that stay
  RowOfBatch budget_;
  QuadraticParts parts_;
  Affine fixed_, per_theta_;
  DataMatrix soft_;
  std::vector<double> soft_constants_;
  struct HardRows {
    BatchPtr rows;
    std::string name;
  };
  std::vector<HardRows> hard_;
  DataMatrix E_;
  std::vector<double> e_;
  std::vector<DataMatrix> forms_;
};

}  // namespace pliant
