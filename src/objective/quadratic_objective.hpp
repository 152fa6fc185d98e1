// Objectives 1/2 x'Px + q'x + constant.
#pragma once

#include "pliant/problem.hpp"

#include <algorithm>

namespace pliant {

/// Whether every term is linear, quadratic or least squares.
inline bool has_quadratic_objective(const Problem& problem) {
  return std::all_of(problem.terms().begin(), problem.terms().end(), [](const Problem::WeightedTerm& t) {
    const TermStructure form = t.term->structure();
    return form.linear || form.quadratic || form.squares() != nullptr;
  });
}

}  // namespace pliant
