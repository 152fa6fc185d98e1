// Files: problems in the native container (HDF5, docs/container.md) or a format of other programs (file_formats,
// docs/formats.md), and solutions.
//
// Reading checks the schema: names, shapes, index structure. Whether the numbers make a convex
// problem is for Problem::validate. Every failure is an InputError of one line that begins with the
// file's name. Files are written under a temporary name and renamed when complete.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/types.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pliant {

struct ReadOptions {
  /// Bytes of memory the solve may use (unset: the machine's). Large arrays are mapped where the file allows it, with
  /// all their pages at once while they take up to half of it (docs/memory.md).
  std::optional<Index> memory_limit;
  /// Takes remarks on what a file holds and the problem does not: one line each, without the file's name.
  std::vector<std::string>* notes = nullptr;
};

/// A format of problem files.
struct FileFormat {
  std::string_view name;                  ///< "MPS"
  std::string_view holds;                 ///< "linear and quadratic programs"
  std::vector<std::string_view> endings;  ///< ".mps", ...
  bool reads = false, writes = false;
  bool gzip = false;  ///< also with .gz behind the ending
};
/// The formats that are read or written here: the one list that readers, help texts and documentation share.
const std::vector<FileFormat>& file_formats();
/// Their endings in words, for help texts: ".h5, .mps, ...; all but .h5 also .gz".
std::string readable_endings();
std::string writable_endings();

/// Reads a problem; the format is recognised by content, then by ending.
Problem read_problem(const std::filesystem::path& file, const ReadOptions& options = {});
/// Bytes of problem data that are mapped at present: they live in files, not in memory of this process.
Index mapped_bytes();
/// The file behind an address of mapped data; null where there is none. Safe in a signal handler: a file that is cut short
/// while it is mapped ends a process by SIGBUS, unless somebody catches it.
const char* mapped_file_at(const void* address);
/// Writes a problem in the format of the ending (writable_endings), the native container for any other. What the format
/// cannot express is refused; callback constraints have no data to write. Formats without prices get a slack for every
/// soft row. `notes` takes remarks on what was changed: one line each, without the file's name.
void write_problem(const Problem& problem, const std::filesystem::path& file,
                   std::vector<std::string>* notes = nullptr);

/// What text forms of a solution say besides its numbers. All of it may be empty.
struct SolutionLabels {
  std::string status;
  std::optional<double> objective, lower_bound;  ///< in the sense of the problem's author
  Names names;                                   ///< of variables and rows; generic ones (x0, x1, ...) are used without
};

/// What a solver returns and `check` verifies. Everything but x may be empty (unknown).
struct Solution {
  Vector x;
  std::vector<Vector> duals;  ///< one per batch, with batch.dual_size() entries, then one per conic constraint
  Vector equality_duals;      ///< one per row of E
  Vector bound_duals;         ///< n entries: the subgradient of the prox term at x
  Vector ray;                 ///< n entries: a direction of unboundedness
  SolutionLabels labels{};
};

/// Endings that choose the form of a solution: ".h5, .csv, .json, .sol; all but .h5 also .gz".
std::string solution_endings();
/// Reads HDF5 (recognised by content) or a text form (by ending); labels are for people and not read.
Solution read_solution(const std::filesystem::path& file);
/// Writes the form of the ending; others are refused. Labels are in the text forms alone.
void write_solution(const Solution& solution, const std::filesystem::path& file);
/// Throws InputError naming the first part whose length does not fit the problem.
void check_solution_shape(const Problem& problem, const Solution& solution);
/// A result as a solution, and the duals of a solution as multipliers (0 where it has none).
Solution to_solution(const Problem& problem, const Result& result);
Multipliers to_multipliers(const Problem& problem, const Solution& solution);

}  // namespace pliant
