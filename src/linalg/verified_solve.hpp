// Linear systems whose solution is enclosed: the exact one lies within the given distance of the computed one.
#pragma once

#include "pliant/types.hpp"

#include <optional>
#include <vector>

namespace pliant {

struct EnclosedSolution {
  Vector value;
  Vector radius;  ///< |exact_i - value_i| <= radius_i for every right-hand side within its error
};

/// M y = b with |exact b_i - b_i| <= error_i, M square and exact. nullopt if M is not proved regular.
std::optional<EnclosedSolution> verified_solve(const Matrix& M, const Vector& b, const Vector& error);

/// Whether the exact sum of a_k b_k is 0. False where products may underflow or overflow.
bool exactly_orthogonal(const Vector& a, const Vector& b);

}  // namespace pliant
