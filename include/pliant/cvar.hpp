// Conditional value at risk: the mean of the worst share of many losses, to be minimised or limited.
//
// CVaR_beta(L x) is the least of alpha + 1/((1 - beta) m) sum_i max(0, L_i x - alpha) over alpha, the level, which ends at a
// beta-quantile of the losses. It needs a variable of its own, so terms like these are added all at once, to a copy.
#pragma once

#include "pliant/problem.hpp"

#include <optional>
#include <span>
#include <string>

namespace pliant {

struct Cvar {
  DataMatrix losses;            ///< L, one scenario per row
  double beta = 0.95;           ///< 0 < beta < 1
  double weight = 1.0;          ///< in the objective,
  std::optional<double> limit;  ///< or, instead, CVaR_beta(L x) <= limit
  std::string name = {};
};

/// Its value at x.
double value(const Cvar& cvar, ConstVectorRef x);

/// The problem with terms and limits of this kind. Variables: those of the problem, a level for each, then for each limit
/// the excess max(0, L_i x - alpha) of every scenario. Rows: those of the problem, then a batch for each: soft rows of the
/// scenarios, or hard ones and the limit as the last.
Problem with_cvar(const Problem& problem, std::span<const Cvar> terms);

/// x of the problem with the levels and excesses that are best for it.
Vector complete(std::span<const Cvar> terms, ConstVectorRef x);

}  // namespace pliant
