// Objective terms and rows with transcendental functions or square roots, as raw numbers with enclosures of their
// values.
#pragma once

#include "judge/exact.hpp"
#include "pliant/problem.hpp"

#include <optional>
#include <string>

namespace pliant::judge {

enum class TermKind { least_squares, huber, logistic, multinomial, log_det };

/// weight times the library's term of that name. The data of a term are A and b: targets, signs or labels.
struct RawTerm {
  TermKind kind = TermKind::least_squares;
  Matrix A;
  Vector b;
  double width = 1.0;  ///< huber
  Index order = 1;     ///< log_det; classes of multinomial
  double weight = 1.0;
};

TermPtr to_term(const RawTerm& term);
/// A number not below the term at x, and above it by digits that no double has; nullopt outside the domain.
std::optional<Rational> value_above(const RawTerm& term, const RationalVector& x);

/// ln sum_k exp(A_k x + b_k) <= 0
struct RawLogSumExp {
  Matrix A;
  Vector b;
};
bool certainly_holds(const RawLogSumExp& row, const RationalVector& x);

/// q'Xq <= b for every row q of `points`, x = svec(X).
struct RawRankOne {
  Matrix points;
  Vector b;
};
bool holds(const RawRankOne& rows, const RationalVector& x);

/// M row by row.
Doubles row_major(const Matrix& M);

}  // namespace pliant::judge
