// Better coordinates for matrix variables.
//
// -log det X under rank-one rows knows no natural scale: points of very different spread in different directions
// make distances in X meaningless. With X = R'YR, R'R = X_ref shaped like a sample of the points, the rows are those
// of the points R q_i, nearly round, and -log det X = -log det Y + constant. Everything the path engine does happens
// in Y; certificates are computed from the original problem.
#pragma once

#include "rows/constraint_system.hpp"

#include <memory>
#include <optional>

namespace pliant {

class VariableScaling {
 public:
  /// Whether a problem is of this kind; others need no scaling.
  static bool applies(const Problem& problem);
  /// From the moments of `sample` rows; null if the points there are degenerate beyond repair.
  static std::unique_ptr<VariableScaling> create(const Problem& problem, ConstraintSystem& account,
                                                 const std::vector<Index>& sample);

  const Problem& problem() const { return problem_; }
  ConstraintSystem& system() { return *system_; }
  /// A point inside the domain that satisfies the rows of the sample.
  const Vector& start() const { return start_; }
  const Matrix& coordinates() const { return R_; }
  Vector to_original(const Vector& y) const;
  Vector to_scaled(const Vector& x) const;

 private:
  VariableScaling(Index n) : problem_(n) {}

  Problem problem_;
  std::unique_ptr<ConstraintSystem> system_;
  Matrix R_;
  Vector start_;
};

}  // namespace pliant
