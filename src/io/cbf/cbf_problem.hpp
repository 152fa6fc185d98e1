// Between the contents of a CBF file and a problem.
//
// Variables in L=, L+ and L- have bounds, rows in L= are equalities, rows in L+ and L- one batch of linear rows, and
// all other cones, of variables and of rows, make up one conic constraint. The matrices of PSDVAR become variables
// behind the others, svec(X) each. docs/formats.md has the conventions.
#pragma once

#include "io/cbf/cbf_file.hpp"
#include "pliant/problem.hpp"

#include <filesystem>
#include <string>

namespace pliant::io {

/// `shown` names the file in messages.
Problem to_problem(const CbfFile& contents, const std::string& shown);
/// Throws InputError, in one line, for what CBF cannot express.
CbfFile to_cbf(const Problem& problem, const std::string& shown);

Problem read_cbf_problem(const std::filesystem::path& file);
void write_cbf_problem(const Problem& problem, const std::filesystem::path& file);
/// Whether the file begins with VER, after comments.
bool looks_like_cbf(const std::filesystem::path& file);

}  // namespace pliant::io
