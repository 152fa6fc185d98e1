// What `solve` shows and writes, however the problem is solved.
#pragma once

#include "commands/arguments.hpp"

#include "io/atomic_file.hpp"
#include "pliant/checkpoint.hpp"
#include "pliant/result.hpp"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>

namespace pliant::cli {

struct SolveOptions {
  std::string file;
  std::string json, solution, trace, report, warm_start;
  CheckpointOptions checkpoints;
  bool quiet = false, json_x = false, progress = false;
  std::optional<Index> print_x;  // so many variables
  Settings settings;
};

/// Progress on a terminal: one line, rewritten in place. Piped with --verbose: a line per record.
class ProgressPrinter {
 public:
  ProgressPrinter(const SolveOptions& options, const Problem& problem, bool to_stderr);
  bool operator()(const Progress& row);
  void finish();

 private:
  const Problem& problem_;
  std::FILE* out_;
  bool terminal_, enabled_, timeless_;
  double shown_ = -1.0;
  std::string header_, line_;
  Index rows_ = 0;
};

/// Outputs are opened before the solve, so that an unwritable place costs no time, and appear only when they are complete.
struct Outputs {
  std::unique_ptr<io::TextOutput> json, trace, report;

  explicit Outputs(const SolveOptions& options);
  /// `json_text` is what --json gets.
  void write(const SolveOptions& options, const Problem& problem, const Result& result, const std::string& json_text);
};

}  // namespace pliant::cli
