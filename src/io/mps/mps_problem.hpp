// Between the contents of an MPS file and a problem.
#pragma once

#include "io/mps/mps_file.hpp"
#include "pliant/problem.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::io {

/// Rows with equal sides become equalities, the others one batch of linear rows; rows with quadratic terms become
/// batches of their own. `shown` names the file in messages.
Problem to_problem(const MpsFile& contents, const std::string& shown);
/// Throws InputError, in one line, for what MPS cannot express; `format` names it in messages.
MpsFile from_problem(const Problem& problem, const std::string& shown, std::string_view format = "MPS");

Problem read_mps_problem(const std::filesystem::path& file, std::vector<std::string>* notes);
void write_mps_problem(const Problem& problem, const std::filesystem::path& file);
/// Whether the first lines look like MPS: a section such as NAME or ROWS, after comments.
bool looks_like_mps(const std::filesystem::path& file);

}  // namespace pliant::io
