// The certificate of a result that was found on another form of its problem: cones as rows, variables in other units.
#pragma once

#include "pliant/solve.hpp"

namespace pliant {

/// Certificate, overview and bound duals of result.x and its multipliers from the data of `problem`: one pass.
void certify_again(const Problem& problem, const Settings& settings, Result& result);

/// The same for a proof of infeasibility: it must hold for `problem`, or the result is one that gave up, `otherwise` its
/// message.
void prove_infeasible_again(const Problem& problem, std::string_view otherwise, Result& result);

/// The same for a ray, result.ray: `proof` is of `problem` itself.
void prove_unbounded_again(const Problem& problem, const UnboundednessProof& proof, std::string_view otherwise,
                           const Settings& settings, Result& result);

/// What a proof along result.ray says of the result.
void set_unbounded(const UnboundednessProof& proof, const Settings& settings, Result& result);

}  // namespace pliant
