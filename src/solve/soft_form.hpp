// Rows with slack columns as soft rows (slack_columns.hpp): the same problem over the other variables.
//
// With t = max(floor, (a - h) / alpha) its cost c t is c floor + (c / alpha) max(0, a - h - alpha floor); with two rows it
// is c (b - k) / beta + c max(0, (a - h) / alpha - (b - k) / beta); and the parts of r = y - a cost
// -(c_v / beta) r + (c_u / alpha + c_v / beta) max(0, r). Multipliers of the soft row give those of the rows back.
#pragma once

#include "linalg/csr_builder.hpp"
#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/solve.hpp"
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

  SoftForm(const Problem& problem, std::vector<SlackColumn> slacks);

  const Problem& problem() const { return form_; }
  Index soft_rows() const { return static_cast<Index>(slacks_.size()); }
  /// What was found, in words.
  std::string description() const;

  Vector restrict(ConstVectorRef x) const;
  /// x with the smallest slacks.
  Vector lift(ConstVectorRef x) const;
  Multipliers to_original(const Multipliers& of_form) const;

 private:
  /// Columns among those that stay, and values.
  using Entries = std::vector<std::pair<Index, double>>;

  const DataMatrix& matrix_of(const RowOfBatch& row) const;
  Index stored_row(const RowOfBatch& row) const;
  double sign_of(const RowOfBatch& row) const;
  double constant_of(const RowOfBatch& row) const;
  /// A row of the original times a factor, in the variables that stay.
  void add_entries(const RowOfBatch& row, double factor, Entries& out) const;
  /// a - h of a row, x of the form.
  double value_at(const RowOfBatch& row, ConstVectorRef x) const;
  static void end_row(Entries& entries, CsrBuilder& rows);

  void mark();
  void add_soft_rows();
  void add_hard_rows();
  void add_equalities();
  void add_objective();
  void add_bounds();

  const Problem& original_;
  std::vector<SlackColumn> slacks_;
  std::vector<Index> kept_, place_;         // variables that stay; where they are among these, -1: gone
  std::vector<std::vector<char>> dropped_;  // of each batch, constraints that belong to a slack; last: equalities
  std::vector<std::vector<Index>> rows_;    // of each batch, constraints that stay
  std::vector<Index> equalities_;           // that stay
  Problem form_;
  QuadraticParts parts_;
  Vector cost_;  // of the variables that stay
  double constant_ = 0.0;
};

/// Solves the form; `attempt` says why. The result is one of the original problem.
Result solve_with_soft_rows(const Problem& problem, const Attempt& attempt, const Settings& settings,
                            const SolveHooks& hooks);

}  // namespace pliant
