// Where a solve was when it was last seen: enough to go on from there.
//
// A checkpoint belongs to one problem, which it knows by a fingerprint of all its data. It is written beside its file and
// renamed, on the disk before it counts, and knows itself by a checksum: what can be read is whole.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/solve.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace pliant {

/// A number that differs, but for chance, where anything of the problem differs that changes its solutions: every number of
/// every term and row is read. Functions of the user count by name and size alone.
std::uint64_t fingerprint(const Problem& problem);

struct Checkpoint {
  BestSoFar best;
  std::int64_t seed = 0;
  double seconds = 0.0;  ///< spent until then, those of earlier runs included
};

/// Throws InputError where the file cannot be read, is damaged or belongs to another problem.
Checkpoint read_checkpoint(const std::filesystem::path& file, const Problem& problem);

/// Keeps the best point of solves of one problem in a file.
class CheckpointWriter {
 public:
  /// Reads all data of the problem once. Throws InputError where the place cannot be written to.
  CheckpointWriter(const Problem& problem, std::filesystem::path file, std::int64_t seed, double seconds_before = 0.0);

  /// From here on the best point is kept, every so many seconds; the writer must outlive the solve.
  void install(SolveHooks& hooks, double every_seconds);
  /// The same now. Throws InputError where it cannot be written; the file is then what it was.
  void write(const BestSoFar& best) const;
  /// A solve goes on where a checkpoint cannot be written: why the latest could not; empty if it could.
  const std::string& failure() const { return failure_; }

 private:
  const Problem& problem_;
  std::filesystem::path file_;
  std::uint64_t fingerprint_;
  std::int64_t seed_;
  double seconds_before_;
  std::int64_t began_;  // steady clock, nanoseconds
  std::string failure_;
};

/// What a checkpoint knows and a result does not: a proved bound is never lost.
void keep_bound(const Checkpoint& checkpoint, double tol_gap, Result& result);

struct CheckpointOptions {
  std::filesystem::path file;    ///< empty: none are written
  double every = 60.0;           ///< seconds between them
  std::filesystem::path resume;  ///< a checkpoint to go on from; empty: none
};

/// A solve with checkpoints: prepares its hooks, and looks at its result. Must outlive the solve.
class CheckpointedSolve {
 public:
  /// Throws InputError as read_checkpoint and CheckpointWriter do. The start is the first checkpoint.
  CheckpointedSolve(const Problem& problem, const CheckpointOptions& options, const Settings& settings,
                    SolveHooks& hooks);
  /// Keeps what was proved before in the result, and the result in the file.
  void finish(Result& result);
  /// Why the latest checkpoint could not be written; empty if it could.
  const std::string& failure() const { return failure_; }

 private:
  double tol_gap_;
  std::optional<Checkpoint> resumed_;
  std::optional<CheckpointWriter> writer_;
  std::string failure_;
};

}  // namespace pliant
