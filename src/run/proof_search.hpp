// The search for a proof that a problem has no solution, as a solve sees it. It is injected from above
// (solve/diagnosis.hpp), because it solves problems itself.
#pragma once

#include "certify/proof.hpp"
#include "pliant/function_ref.hpp"
#include "pliant/settings.hpp"
#include "rows/constraint_system.hpp"

#include <atomic>
#include <functional>
#include <optional>
#include <vector>

namespace pliant {

struct ProofQuestion {
  ConstraintSystem& system;         ///< reads are booked here
  Vector start;                     ///< in the domain of psi
  const std::vector<Index>& hints;  ///< rows suspected to contradict each other, possibly none
  Settings limits;                  ///< what the search may spend
  const std::atomic<bool>* interrupt;
  FunctionRef<bool()> stop;  ///< asked now and then
};

struct ProofAnswer {
  std::optional<Proof> proof;
  bool settled = false;  ///< there is a feasible point and no ray was found: asking again is of no use
};

/// Empty: no search is made.
using ProofSearch = std::function<ProofAnswer(const Problem& problem, const ProofQuestion& question)>;

}  // namespace pliant
