// Samples of soft rows: the first levels of the bands (soft_bands.hpp).
#pragma once

#include "engines/path/band_problem.hpp"
#include "engines/path/soft_bands.hpp"

namespace pliant {

/// From the smallest on; one row out of each of equal strata. None where there are few rows for each of n variables.
std::vector<std::vector<Index>> draw_samples(Index rows, Index n, Index seed, const BandParameters& parameters);

/// Copies of a sample of rows, or all of them.
SoftLevel sample_level(const SoftTable& table, const std::vector<Index>& sample);
SoftLevel whole_level(const SoftTable& table);

/// rho_tau(r) = tau r + max(0, -r): the linear term q of a quantile regression is -tau times the sum of all rows, and a sample
/// that is held against the sum of all of them instead of its own may have no solution. So where the sum of the sample
/// differs from q, but for a factor, by no more than sampling explains, its own takes its place. Empty: it does not.
Vector tied_linear_part(const SoftLevel& level, const Vector& q, const BandParameters& parameters);

}  // namespace pliant
