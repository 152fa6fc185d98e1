// Why did a solve fail? Looks for a proof that the problem is infeasible or unbounded, and verifies it.
#pragma once

#include "run/proof_search.hpp"

namespace pliant {

/// First whether the constraints contradict each other (engines/phase_one), then whether F falls for ever
/// (recession.hpp). This is the ProofSearch of every solve but those that it makes itself.
ProofAnswer diagnose(const Problem& problem, const ProofQuestion& question);

}  // namespace pliant
