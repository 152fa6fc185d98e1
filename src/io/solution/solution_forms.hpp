// Text forms of solutions: CSV for tables, JSON for programs, SOL for people (docs/container.md, "Solution files").
//
// All of them list the same parts, each a vector with names: x, duals/0.., equality_duals, bound_duals, ray.
#pragma once

#include "pliant/io.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace pliant::io {

struct SolutionPart {
  std::string label;  ///< as in HDF5: "x", "duals/0", ...
  const Vector* values;
  const std::vector<std::string>* names;  ///< null or empty: generic ones
  std::string_view generic;               ///< "x": x0, x1, ...

  std::string name(Index i) const;
};
/// The parts that are there, in their order; x first.
std::vector<SolutionPart> parts_of(const Solution& solution);

/// Puts a part in its place; false if no part is called so, or it was there before, or duals come out of order.
bool place_part(Solution& solution, std::string_view label, Vector values);

/// Throws InputError unless the ending of the file stands for a form of solutions.
void expect_solution_ending(const std::filesystem::path& file);

/// HDF5 whatever the file is called; it has no labels.
void write_solution_hdf5(const Solution& solution, const std::filesystem::path& file);
void write_solution_csv(const Solution& solution, const std::filesystem::path& file);
void write_solution_json(const Solution& solution, const std::filesystem::path& file);
void write_solution_sol(const Solution& solution, const std::filesystem::path& file);

Solution read_solution_csv(const std::filesystem::path& file);
Solution read_solution_json(const std::filesystem::path& file);
Solution read_solution_sol(const std::filesystem::path& file);

}  // namespace pliant::io
