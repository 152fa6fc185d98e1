// NL files as problems, and answers as the SOL files that AMPL, Pyomo and JuMP read back. docs/formats.md has the
// conventions.
#pragma once

#include "io/nl/nl_file.hpp"
#include "pliant/io.hpp"
#include "pliant/problem.hpp"
#include "pliant/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace pliant::io {

/// Where a row of the file is in the problem; the dual there times `factor` is that of the row as it was written,
/// >= 0 where its upper side holds it and <= 0 where its lower one does.
struct NlPlace {
  enum class Part { nowhere, equality, batch };
  Part part = Part::nowhere;
  Index batch = 0, entry = 0;
  double factor = 1.0;
};

struct NlProblem {
  Problem problem;
  std::vector<NlPlace> places;  ///< by row of the file
};

/// `shown` names the file in messages.
NlProblem to_problem(const NlFile& contents, const std::string& shown);

Problem read_nl_problem(const std::filesystem::path& file, std::vector<std::string>* notes);
/// Whether the file begins as NL files do.
bool looks_like_nl(const std::filesystem::path& file);

/// AMPL's solve_result_num: 0 solved, 200 infeasible, 300 unbounded, 400 limit, 500 failure.
int ampl_code(Status status);
/// Writes x and the duals in AMPL's sign, d(objective)/d(side), for the row of every constraint of the file.
void write_ampl_solution(const NlFile& contents, const NlProblem& read, const Result& result,
                         const std::string& message, const std::filesystem::path& file);

}  // namespace pliant::io
