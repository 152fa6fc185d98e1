// Where a solve of an NL file begins.
#pragma once

#include "expressions/expression.hpp"
#include "io/nl/nl_file.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pliant::io {

/// The initial guess of the file within the bounds; where functions are not defined there, a point inside the bounds where
/// they are. None where the file says nothing and everything is defined everywhere. Throws InputError where a function
/// has a domain that none of the points tried lies in.
std::optional<Vector> choose_start(const NlFile& nl, const Expression* objective, const std::vector<Expression>& rows,
                                   const std::string& shown);

}  // namespace pliant::io
