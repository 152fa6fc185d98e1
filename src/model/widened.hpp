// Parts of a problem over more variables than they were made for: the new ones come last and appear in none of them.
#pragma once

#include "pliant/problem.hpp"

#include <string>
#include <string_view>

namespace pliant {

DataMatrix widened(const DataMatrix& M, Index cols);
BatchPtr widened(const LinearRows& rows, Index n);
Doubles padded(const Doubles& numbers, Index size, double fill);
/// Linear and quadratic terms, and losses of linear functions.
TermPtr widened(const ObjectiveTerm& term, Index n);
/// weight/2 times the square of the first n of all variables.
TermPtr half_square(Index n, Index total, double weight);
/// The row that adds up the first n of all variables.
DataMatrix sum_of_first(Index n, Index total);
bool is_simplex(const Problem& problem);

/// Why the parts of a problem cannot be widened for the sake of `what`, in words; empty if they can.
std::string widening_obstacle(const Problem& problem, std::string_view what);

}  // namespace pliant
