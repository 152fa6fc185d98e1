// Objectives 1/2 x'Px + q'x + constant.
#pragma once

#include "pliant/problem.hpp"

#include <algorithm>

namespace pliant {

/// Whether every term is linear, quadratic or least squares.
inline bool has_quadratic_objective(const Problem& problem) {
  return std::all_of(problem.terms().begin(), problem.terms().end(), [](const Problem::WeightedTerm& t) {
    const auto kind = t.term->kind();
    return kind == "linear" || kind == "quadratic" || kind == "least_squares";
  });
}

}  // namespace pliant
