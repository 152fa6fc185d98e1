// SDPA sparse files (.dat-s): semidefinite programs
//
//   (P) min c'x  s.t.  sum x_i F_i - F0 positive semidefinite      (D) max <F0, Y>  s.t.  <F_i, Y> = c_i, Y likewise
//
// (P) becomes the problem: one conic constraint h - Gx in K with h = -svec(F0) and columns -svec(F_i), one cone per
// block, whose multiplier is svec(Y). docs/formats.md has the conventions.
#pragma once

#include "pliant/problem.hpp"

#include <filesystem>

namespace pliant::io {

Problem read_sdpa_problem(const std::filesystem::path& file);
/// Throws InputError, in one line, for what the format cannot express.
void write_sdpa_problem(const Problem& problem, const std::filesystem::path& file);

}  // namespace pliant::io
