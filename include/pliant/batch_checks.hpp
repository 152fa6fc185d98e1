// Input checks shared by the constraint families. Messages name the function that made the batch, the
// array and the constraint, counted from 0 as in the caller's arrays.
#pragma once

#include "pliant/array.hpp"
#include "pliant/function_ref.hpp"
#include "pliant/types.hpp"

#include <string>
#include <string_view>

namespace pliant {

/// Throws "function: field: expected 1000 entries, got 999" unless both counts agree.
void expect_entries(std::string_view function, std::string_view field, Index expected, Index got);

/// Throws "function: field: expected at least 1, got 0" if value < least.
void expect_at_least(std::string_view function, std::string_view field, Index least, Index value);

/// "function 'name'", or the function alone for a batch without a name.
std::string batch_label(std::string_view function, std::string_view name);

/// "label: field of constraint 17 (counting from 0)"
std::string constraint_label(std::string_view label, std::string_view field, Index row);

/// The smallest row for which scan(begin, end) reports a finding, or -1. `scan` returns the first row
/// it objects to in [begin, end), or -1, and is called from several threads. `bytes` is what all rows
/// together read.
Index first_row(Index rows, Index bytes, FunctionRef<Index(Index begin, Index end)> scan);

/// Throws, naming the first constraint whose `per_row` numbers of `values` contain NaN or infinity.
void expect_finite_rows(std::string_view label, std::string_view field, const Doubles& values, Index rows,
                        Index per_row);

/// max |value|, 0 for an empty array.
double largest_magnitude(const Doubles& values);

}  // namespace pliant
