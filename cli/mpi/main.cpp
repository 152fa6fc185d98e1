// The pliant command for several processes: mpirun -n 8 pliant solve problem.h5. Commands but `solve` are those of the
// first process alone.
#include "commands/program.hpp"
#include "mpi/solve.hpp"

#include <mpi.h>

#include <string_view>

int main(int argc, char** argv) {
  int provided = 0, rank = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool solves = argc > 1 && std::string_view(argv[1]) == "solve";
  int exit_code = 0;
  if (rank == 0 || solves) {
    exit_code = pliant::cli::run_program(argc, argv, {pliant::cli::add_solve_over_mpi, rank != 0});
  }
  MPI_Finalize();
  return rank == 0 ? exit_code : 0;  // one process says how it went
}
