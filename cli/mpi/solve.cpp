#include "mpi/solve.hpp"

#include "mpi/share.hpp"

#include "commands/arguments.hpp"
#include "commands/interrupt.hpp"
#include "commands/solve_outputs.hpp"

#include "io/solution/solution_forms.hpp"
#include "machine/cores.hpp"
#include "machine/memory.hpp"
#include "parallel/parallel.hpp"
#include "pliant/check.hpp"
#include "pliant/io.hpp"
#include "pliant/mpi.hpp"
#include "report/report.hpp"
#include "run/budget.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <thread>

namespace pliant::cli {
namespace {

// Cores of this machine for each of its processes, or what was asked for. The first process may use those of its neighbours,
// too, while they wait for it: an mpirun that binds each process to a core of its own would leave it that one.
int threads_of_process(int wanted, bool first) {
  MPI_Comm here = MPI_COMM_NULL;
  int neighbours = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
  MPI_Comm_size(here, &neighbours);
  const cpu_set_t own = machine::own_cores();
  cpu_set_t all = own;
  MPI_Allreduce(&own, &all, static_cast<int>(sizeof own), MPI_BYTE, MPI_BOR, here);
  MPI_Comm_free(&here);
  const int cores = static_cast<int>(std::thread::hardware_concurrency()) / neighbours;
  const int threads = wanted > 0 ? wanted : std::clamp(cores, 1, parallel::threads());
  if (first) machine::use_cores_too(all);
  return threads;
}

std::string json_of(const MpiSolveOptions& options, const Problem& shown, const ShardedResult& found) {
  auto out = nlohmann::ordered_json::parse(to_json(shown, options.settings, found.result, options.json_x));
  if (!options.shards.empty()) out["m"] = shown.constraints() + found.all_rows;
  out["processes"] = options.processes;
  out["rounds"] = found.rounds;
  out["bytes_sent"] = found.bytes_sent;
  out["bytes_received"] = found.bytes_received;
  if (!options.settings.timeless) out["seconds_waited"] = found.seconds_waited;
  return out.dump(2);
}

void print_rounds(const MpiSolveOptions& options, const ShardedResult& found, bool to_stderr) {
  const auto per_round = [&](double bytes) {
    return machine::human_bytes(static_cast<Index>(bytes / static_cast<double>(std::max<Index>(1, found.rounds))));
  };
  std::string text = fmt::format("rounds       {} over {} processes; per round {} out, {} in", found.rounds,
                                 options.processes, per_round(found.bytes_sent), per_round(found.bytes_received));
  if (!options.settings.timeless) text += fmt::format("; {:.3f} s waited", found.seconds_waited);
  print(text + "\n", to_stderr);
}

int show(const MpiSolveOptions& options, Outputs& outputs, const Share& share, ShardedResult& found, bool to_stderr) {
  share.spread_multipliers(found);
  if (!share.rows_are_here()) found.result.overview = {};  // it speaks of the few rows that were judged
  outputs.write(options, share.whole(), found.result,
                options.json.empty() ? "" : json_of(options, share.whole(), found));
  if (!options.quiet) {
    print(report::method_line(found.result) + report::summary(share.whole(), options.settings, found.result),
          to_stderr);
    print_rounds(options, found, to_stderr);
  }
  return exit_code(found.result.status);
}

std::string file_of_latest(const MpiSolveOptions& options) { return options.solution + ".latest"; }

// What is left of a solve that ends with an error: x alone, beside the file that would have had the solution.
bool keep_latest(const MpiSolveOptions& options, const Vector& x) {
  if (options.solution.empty()) return false;
  const std::string file = file_of_latest(options);
  Solution latest;
  latest.x = x;
  io::write_solution_hdf5(latest, file);
  return true;
}

int run_over_mpi(MpiSolveOptions options) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  const machine::MemoryWatch watch;
  MPI_Comm_rank(MPI_COMM_WORLD, &options.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &options.processes);
  const bool first = options.rank == 0, to_stderr = options.json == "-" || options.trace == "-";
  options.settings.threads = threads_of_process(options.settings.threads, first);
  std::unique_ptr<Outputs> outputs;
  std::unique_ptr<Share> share;
  std::string failure;
  try {
    const parallel::ThreadScope threads(options.settings.threads);
    if (first) outputs = std::make_unique<Outputs>(options);
    share = std::make_unique<Share>(options);
  } catch (const InputError& error) {
    failure = error.what();
  } catch (const std::bad_alloc&) {
    failure = "out of memory";
  } catch (const std::exception& error) {  // the others wait to be told
    failure = error.what();
  }
  if (failure = first_failure(failure, MPI_COMM_WORLD); !failure.empty()) throw InputError(failure);
  const double read = std::chrono::duration<double>(Clock::now() - begin).count();

  SolveHooks hooks;
  const std::atomic<bool>& interrupted = catch_signals();
  bool kept = false;
  if (first) {  // the others answer to the end
    hooks.interrupt = &interrupted;
    hooks.best_every = kInfinity;
    hooks.best = [&](const BestSoFar& best) { kept = keep_latest(options, best.x); };
  }
  ProgressPrinter printer(options, share->whole(), to_stderr);
  if (first) {
    hooks.progress = [&](const Progress& row) { return printer(row); };
    if (!options.quiet) print(report::heading(share->whole(), shown_name(options.file)) + "\n", to_stderr);
  }
  ShardedResult found;
  try {
    found = share->solve(lower_limits(options.settings, {read, 0.0, 0}), hooks);
  } catch (const InputError&) {
    throw;
  } catch (const std::exception& error) {  // others are gone: a collective would wait for ever
    fmt::print(stderr, "pliant: {}\n", error.what());
    if (kept) fmt::print(stderr, "pliant: the latest point is in {}\n", file_of_latest(options));
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  if (!first) return exit_code(found.result.status);
  printer.finish();
  found.result.time.read = read;
  found.result.time.total += read;
  const int code = show(options, *outputs, *share, found, to_stderr);
  if (kept) std::filesystem::remove(file_of_latest(options));  // the solution itself is there
  return code;
}

}  // namespace

void add_solve_over_mpi(CLI::App& app, int& exit_code) {
  auto options = std::make_shared<MpiSolveOptions>();
  CLI::App* command = app.add_subcommand("solve", "solve a problem on all processes and certify the answer");
  command->add_option("FILE", options->file, "problem (" + readable_endings() + ")")->required();
  command
      ->add_option("--shards", options->shards,
                   "files with the rows, one or more for each process ('part-*.h5'); FILE has the rest of the problem")
      ->type_name("PATTERN");
  add_settings(*command, options->settings);
  command->add_option("--json", options->json, "write the result as JSON (-: standard output)")->type_name("OUT");
  command->add_flag("--json-x", options->json_x, "put x and the names of its entries into the JSON, too");
  command->add_option("--solution", options->solution, "write x and the duals, with names (" + solution_endings() + ")")
      ->type_name("OUT");
  command->add_option("--trace", options->trace, "write the progress as CSV (-: standard output)")->type_name("OUT");
  command->add_flag("--quiet", options->quiet, "print nothing");
  command->callback([options, &exit_code] { exit_code = run_over_mpi(*options); });
}

}  // namespace pliant::cli
