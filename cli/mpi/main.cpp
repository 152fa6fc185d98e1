// The pliant command for several processes: mpirun -n 8 pliant solve problem.h5. Commands but `solve` are those of the
// first process alone.
#include "commands/program.hpp"
#include "mpi/solve.hpp"

#include <malloc.h>
#include <mpi.h>

#include <string_view>

namespace {

// Every round makes messages of megabytes anew. Memory that goes back to the system each time has to be cleared by it each
// time, which took a fifth of a quantile regression in four million rows; this much is kept instead.
void keep_memory_of_messages() {
  constexpr int kLargestKept = 32 << 20;  // glibc takes no more
  constexpr int kKept = 128 << 20;
  mallopt(M_MMAP_THRESHOLD, kLargestKept);
  mallopt(M_TRIM_THRESHOLD, kKept);
}

}  // namespace

int main(int argc, char** argv) {
  keep_memory_of_messages();
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
