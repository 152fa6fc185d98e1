// Better coordinates for matrix variables.
//
// -log det X under rank-one rows knows no natural scale: points of very different spread in different directions
// make distances in X meaningless. With X = R'YR, R'R = X_ref shaped like a sample of the points, the rows are those
// of the points R q_i, nearly round, and -log det X = -log det Y + constant. Everything the path engine does happens
// in Y; certificates are computed from the original problem.
#pragma once

#include "rows/row_holder.hpp"

#include <memory>

namespace pliant {

class VariableScaling {
 public:
  /// Whether a problem is of this kind; others need no scaling.
  static bool applies(const Problem& problem);
  /// From the moments of `sample` rows, whose holder then works in the new coordinates; null, and the holder left as it
  /// was, if the points there are degenerate beyond repair.
  static std::unique_ptr<VariableScaling> create(const Problem& problem, RowHolder& rows,
                                                 const std::vector<Index>& sample);

  /// The objective in the new coordinates, without rows.
  const Problem& problem() const { return problem_; }
  /// A point inside the domain that satisfies the rows of the sample.
  const Vector& start() const { return start_; }
  Vector to_original(const Vector& y) const;
  Vector to_scaled(const Vector& x) const;

 private:
  explicit VariableScaling(Index n) : problem_(n) {}

  Problem problem_;
  Matrix R_;
  Vector start_;
};

}  // namespace pliant
