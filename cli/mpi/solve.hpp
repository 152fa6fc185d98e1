#pragma once

#include <CLI/CLI.hpp>

namespace pliant::cli {

/// `solve` on all processes of MPI_COMM_WORLD.
void add_solve_over_mpi(CLI::App& app, int& exit_code);

}  // namespace pliant::cli
