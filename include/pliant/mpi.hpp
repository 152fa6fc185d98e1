// Solves over MPI: every process has some of the rows, the first one walks.
//
// Built by scripts/build mpi alone (library pliant_mpi, which links pliant and MPI). docs/how-to/cluster.md.
#pragma once

#include "pliant/shards.hpp"

#include <mpi.h>

#include <string>
#include <vector>

namespace pliant {

/// Every process of `comm` calls it, with the same problem beside the rows, the same settings and shards of its own; rows
/// are numbered process after process. Process 0 solves and calls the hooks, the others answer it, asleep in between. Each
/// round is four collectives. The result is that of process 0; the others have its status, message and x.
///
/// settings.threads (0: all that OpenMP has) is for each process. While the others sleep, process 0 works with the sum of
/// those of its machine, but with no more than the cores it may run on; the bytes of the result are the same.
///
/// A limit of time, or hooks.interrupt of process 0, stops all of them in the middle of a read; the latest point is then
/// certified and returned, and hooks.best sees it before that.
///
/// What process 0 throws, or a shard of any process, is thrown as an InputError by all of them. A process that ends
/// otherwise is the business of whoever started them (mpirun ends the others and names it); where hooks.interrupt is raised
/// meanwhile and the others stay silent, process 0 shows hooks.best the latest point and throws std::runtime_error.
ShardedResult solve(const Problem& problem, std::vector<Shard>& own, MPI_Comm comm, const Settings& settings = {},
                    const SolveHooks& hooks = {});

/// The same with the losses of the rows in shards in the objective (shards.hpp).
ShardedResult solve(const Problem& problem, const SharedLosses& losses, std::vector<Shard>& own, MPI_Comm comm,
                    const Settings& settings = {}, const SolveHooks& hooks = {});

/// Every process says what went wrong with it ("": nothing); all of them get the first such text, with the number of its
/// process in front, or "".
std::string first_failure(const std::string& own, MPI_Comm comm);

}  // namespace pliant
