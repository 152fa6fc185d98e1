// LP files (CPLEX's format): linear and quadratic programs as people write them. docs/formats.md has the conventions.
//
// A file becomes what an MPS file becomes: both say the same in other words (io/mps/mps_file.hpp).
#pragma once

#include "io/mps/mps_file.hpp"
#include "pliant/problem.hpp"

#include <filesystem>

namespace pliant::io {

/// Throws TextError.
MpsFile parse_lp(const std::filesystem::path& file);
void write_lp(const MpsFile& contents, const std::filesystem::path& file);

Problem read_lp_problem(const std::filesystem::path& file);
/// Throws InputError, in one line, for what LP cannot express.
void write_lp_problem(const Problem& problem, const std::filesystem::path& file);
/// Whether the file begins with a sense such as "minimize", after comments.
bool looks_like_lp(const std::filesystem::path& file);

}  // namespace pliant::io
