// Dense linear constraints G x <= h around a known interior, plain or made nasty on purpose.
#pragma once

#include "generate/data.hpp"
#include "generate/family.hpp"

#include <optional>

namespace pliant::generation {

/// duplicate, correlation, heavy, degenerate: what plain rows can be turned into.
std::vector<ParameterSpec> row_variants();

/// A vertex of the feasible set that a suitable cost makes optimal.
struct PlantedVertex {
  Vector x;
  Vector pull;  ///< sum of lambda_i g_i over its active rows; the gradient at x must be -pull
};

struct DenseRows {
  NumberRows G, h;
  Vector interior;  ///< strictly feasible
  std::optional<PlantedVertex> vertex;
};

/// Plain rows: g_i = N(0, I) / |.|, h_i = 1 + 0.1 U, so that 0 is strictly feasible. The vertex and the
/// interior point stay within [-reach, reach]^n, reach > 0.
DenseRows dense_rows(const Parameters& parameters, double reach);

}  // namespace pliant::generation
