// One-sided inequalities of a standard form: the finite sides of its rows, then the bounds of its variables, then the
// two halves of w|x_j| (the exact penalty of x_j <= 0 and -x_j <= 0 whose xi is w and never grows).
//
// Side k is a_k = sign_k t - offset_k <= 0, where t is (Ax)_i or x_j. Equality rows have no sides.
#pragma once

#include "engines/interior/standard_form.hpp"

#include <vector>

namespace pliant {

struct Sides {
  explicit Sides(const StandardForm& form);

  Index size() const { return static_cast<Index>(place.size()); }
  /// f(k) for the sides of rows and for those of variables.
  template <class F>
  void of_rows(const F& f) const {
    for (Index k = 0; k < rows; ++k) f(k);
  }
  template <class F>
  void of_variables(const F& f) const {
    for (Index k = rows; k < size(); ++k) f(k);
  }
  double term(Index k, const Vector& x, const Vector& Ax) const {
    const Index at = place[static_cast<std::size_t>(k)];
    return sign[k] * (k < rows ? Ax[at] : x[at]);
  }

  Index rows = 0;         ///< sides 0..rows-1 belong to rows of A
  Index constraints = 0;  ///< sides from here on are halves of the l1 term
  std::vector<Index> place;
  Vector sign, offset;
  std::vector<Index> partner;  ///< the other side of a two-sided row, or -1
  std::vector<Index> equalities;
};

}  // namespace pliant
