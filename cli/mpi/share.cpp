#include "mpi/share.hpp"

#include "pliant/io.hpp"
#include "rows/row_layout.hpp"

#include <fmt/format.h>
#include <glob.h>

namespace pliant::cli {
namespace {

// Arrays of this size are mapped, page by page as they are read: every process opens the whole file and reads its part.
constexpr Index kLargestRead = Index{1} << 20;

std::vector<std::string> files_of(const std::string& pattern) {
  glob_t found{};
  const int code = ::glob(pattern.c_str(), 0, nullptr, &found);
  std::vector<std::string> out(found.gl_pathv, found.gl_pathv + (code == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (out.empty()) throw InputError(fmt::format("--shards {}: no such files", pattern));
  return out;  // sorted by name
}

Problem read_lazily(const std::string& file) {
  ReadOptions options;
  options.memory_limit = kLargestRead;
  return read_problem(file, options);
}

// Where a problem has inequalities, these are shared, and the first process reads the losses: few rounds with second
// derivatives are worth more than gradients from everywhere. Methods that take gradients can be asked for.
bool shares_losses(const Problem& problem, Method method) {
  return problem.constraints() == 0 || method == Method::lbfgs || method == Method::apg;
}

/// The losses of a file that has nothing else.
struct LossFile {
  std::optional<LossesApart> found;
  explicit LossFile(const Problem& problem) {
    if (problem.constraints() == 0 && problem.terms().size() == 1) found = without_losses(problem);
  }
  std::optional<SharedLosses> kind() const { return found ? std::optional(found->losses) : std::nullopt; }
};

bool same(const std::optional<SharedLosses>& one, const std::optional<SharedLosses>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return one->loss == other->loss && one->threshold == other->threshold && one->weight == other->weight;
}

}  // namespace

Share::Share(const MpiSolveOptions& options) : whole_(read_lazily(options.file)), beside_(whole_.dimension()) {
  if (options.shards.empty()) {
    cut(options);
  } else {
    read_files(options);
  }
}

void Share::cut(const MpiSolveOptions& options) {
  if (std::optional<LossesApart> apart = without_losses(whole_);
      apart && shares_losses(whole_, options.settings.method)) {
    shards_.push_back(losses_of_part(*apart->term->structure().losses, options.rank, options.processes));
    losses_ = apart->losses;
    beside_ = std::move(apart->beside);
    return;
  }
  if (whole_.constraints() == 0) {
    throw InputError(fmt::format("{}: has neither inequalities nor a sum of losses to share", options.file));
  }
  shards_.emplace_back(rows_of_part(whole_, options.rank, options.processes));
  beside_ = without_rows(whole_);
}

// The order of the files is that of the rows, whoever reads them. The first one says what kind they are of.
void Share::read_files(const MpiSolveOptions& options) {
  const std::vector<std::string> files = files_of(options.shards);
  losses_ = LossFile(read_lazily(files[0])).kind();
  const auto count = static_cast<Index>(files.size());
  const Index first = options.rank * count / options.processes, last = (options.rank + 1) * count / options.processes;
  for (Index k = first; k < last; ++k) add_file(files[static_cast<std::size_t>(k)]);
  beside_ = whole_;
}

void Share::add_file(const std::string& file) {
  try {
    const Problem rows = read_lazily(file);
    const LossFile losses(rows);
    if (!same(losses.kind(), losses_)) {
      throw InputError("files of --shards have rows, or sums of losses of one kind and weight, all of them");
    }
    if (losses.found) {
      shards_.push_back(losses_of_part(*losses.found->term->structure().losses, 0, 1));
    } else {
      shards_.emplace_back(rows);
    }
  } catch (const InputError& error) {
    const std::string text = error.what();
    throw InputError(text.starts_with(file) ? text : fmt::format("{}: {}", file, text));
  }
}

ShardedResult Share::solve(const Settings& settings, const SolveHooks& hooks) {
  if (losses_) return pliant::solve(beside_, *losses_, shards_, MPI_COMM_WORLD, settings, hooks);
  return pliant::solve(beside_, shards_, MPI_COMM_WORLD, settings, hooks);
}

void Share::spread_multipliers(ShardedResult& found) const {
  if (losses_) return;  // its rows are all here
  if (found.slopes.size() > 0 || whole_.has_soft_rows()) return spread_soft(found);
  spread_hard(found);
}

// Hard rows are here, in the order of the batches; soft ones are one batch (rows_of_part), or in files of their own.
void Share::spread_soft(ShardedResult& found) const {
  std::vector<Vector>& lambda = found.result.multipliers.lambda;
  for (std::size_t b = 0; b < whole_.batches().size(); ++b) {
    if (whole_.caps(static_cast<Index>(b)).empty()) continue;
    const ConstraintBatch& batch = *whole_.batches()[b];
    Vector all = Vector::Zero(batch.size());
    if (found.slopes.size() > 0) batch.duals_to_multipliers(found.slopes, all);
    lambda.insert(lambda.begin() + static_cast<std::ptrdiff_t>(b), std::move(all));
  }
}

void Share::spread_hard(ShardedResult& found) const {
  Multipliers& few = found.result.multipliers;
  if (whole_.constraints() == 0) {
    few.lambda.clear();
    few.cones.clear();
    return;
  }
  const ConeRows rows(whole_, Nonsmooth::spectral, 0.0);
  const RowLayout layout(rows.problem());
  Multipliers all{{}, few.nu, {}};
  std::size_t next = 0;
  auto part = few.lambda.begin();
  for (const RowLayout::Segment& s : layout.segments()) {
    all.lambda.emplace_back(Vector::Zero(s.size));
    if (next == found.rows.size() || found.rows[next] >= s.end()) continue;
    for (const double value : *part++) all.lambda.back()[found.rows[next++] - s.begin] = value;
  }
  Vector points(0);
  for (const Vector& z : few.cones) {
    points.conservativeResize(points.size() + z.size());
    points.tail(z.size()) = z;
  }
  if (points.size() > 0) all.cones = layout.spread_dual_points(found.rows, points);
  few = rows.to_cones(found.result.x, all);
}

}  // namespace pliant::cli
