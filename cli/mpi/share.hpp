// What one process has of a problem that several solve.
#pragma once

#include "commands/solve_outputs.hpp"

#include "pliant/mpi.hpp"
#include "solve/cone_rows.hpp"

#include <optional>
#include <string>
#include <vector>

namespace pliant::cli {

struct MpiSolveOptions : SolveOptions {
  std::string shards;  // files
  int rank = 0, processes = 1;
};

/// The whole problem as a file describes it, and the rows of this process: inequalities, soft rows, or the data of a sum of
/// losses. What is not in shards is read by the first process.
class Share {
 public:
  explicit Share(const MpiSolveOptions& options);

  const Problem& whole() const { return whole_; }
  /// Whether all inequalities are at the first process.
  bool rows_are_here() const { return losses_.has_value(); }
  /// By all processes together.
  ShardedResult solve(const Settings& settings, const SolveHooks& hooks);
  /// Multipliers of all rows and cones of the whole from those of the few that matter; none where they are no part of its
  /// file.
  void spread_multipliers(ShardedResult& found) const;

 private:
  void cut(const MpiSolveOptions& options);
  void read_files(const MpiSolveOptions& options);
  void add_file(const std::string& file);
  void spread_soft(ShardedResult& found) const;
  void spread_hard(ShardedResult& found) const;

  Problem whole_, beside_;
  std::optional<SharedLosses> losses_;  // whose data the shards have; none: rows
  std::vector<Shard> shards_;
};

}  // namespace pliant::cli
