// Expressions as parts of a problem: a term of the objective, and a batch of rows.
//
// Their convexity is the author's word (Problem::check_functions looks for counterexamples), so bounds that rest on them
// are proved_if_convex.
#pragma once

#include "expressions/expression.hpp"
#include "pliant/constraint_batch.hpp"
#include "pliant/objective_term.hpp"

#include <vector>

namespace pliant {

TermPtr expression_term(Index n, Expression expression);
/// expressions_i(x) <= 0; outside of a domain the value is +infinity.
BatchPtr expression_rows(Index n, std::vector<Expression> expressions);

}  // namespace pliant
