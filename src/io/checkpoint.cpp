#include "pliant/checkpoint.hpp"

#include "io/atomic_file.hpp"
#include "io/hdf5_reader.hpp"
#include "io/hdf5_writer.hpp"
#include "pliant/io.hpp"

#include <fmt/format.h>

#include <bit>
#include <chrono>
#include <cmath>

namespace pliant {
namespace {

constexpr std::string_view kCheckpointFormat = "pliant-checkpoint";
constexpr Index kCheckpointVersion = 1;

std::int64_t now() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

std::string hex(std::uint64_t value) { return fmt::format("{:016x}", value); }

// FNV-1a over the bytes of everything a checkpoint says.
class Checksum {
 public:
  void add(double value) {
    auto word = std::bit_cast<std::uint64_t>(value);
    for (int k = 0; k < 8; ++k, word >>= 8) hash_ = (hash_ ^ (word & 0xFF)) * 0x100000001B3ULL;
  }
  void add(const Vector& values) {
    add(static_cast<double>(values.size()));
    for (const double v : values) add(v);
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xCBF29CE484222325ULL;
};

std::uint64_t checksum(const Checkpoint& c) {
  Checksum sum;
  sum.add(c.best.x);
  for (const Vector& lambda : c.best.multipliers.lambda) sum.add(lambda);
  sum.add(c.best.multipliers.nu);
  for (const Vector& z : c.best.multipliers.cones) sum.add(z);
  sum.add(c.best.proved_bound);
  sum.add(static_cast<double>(c.seed));
  sum.add(c.seconds);
  return sum.value();
}

void write_vectors(const io::Hdf5Writer& root, std::string_view name, const std::vector<Vector>& vectors) {
  const io::Hdf5Writer group = root.group(name);
  Index i = 0;
  for (const Vector& v : vectors) group.vector(std::to_string(i++), v);
}

std::vector<Vector> read_vectors(io::Hdf5Reader& root, std::string_view name) {
  io::Hdf5Reader group = root.group(name);
  std::vector<Vector> out;
  const Index count = group.numbered_members();
  for (Index i = 0; i < count; ++i) out.push_back(group.finite_vector(std::to_string(i), io::kAny));
  group.done();
  return out;
}

void write_file(const Checkpoint& c, std::uint64_t problem, const std::filesystem::path& file) {
  io::write_hdf5(file, [&](const io::Hdf5Writer& root) {
    root.text("format", kCheckpointFormat);
    root.integer("version", kCheckpointVersion);
    root.text("fingerprint", hex(problem));
    root.text("checksum", hex(checksum(c)));
    root.integer("seed", c.seed);
    root.number("seconds", c.seconds);
    if (std::isfinite(c.best.proved_bound)) root.number("proved_bound", c.best.proved_bound);
    root.vector("x", c.best.x);
    write_vectors(root, "multipliers", c.best.multipliers.lambda);
    root.vector("equality_multipliers", c.best.multipliers.nu);
    write_vectors(root, "cone_multipliers", c.best.multipliers.cones);
  });
}

// Lengths as a solve of this problem has them.
void expect_shape(const io::Hdf5Place& place, const Problem& problem, const BestSoFar& best) {
  bool fits = best.x.size() == problem.dimension() && best.multipliers.lambda.size() == problem.batches().size() &&
              best.multipliers.nu.size() == (problem.has_equalities() ? problem.equality_matrix().rows() : 0) &&
              (best.multipliers.cones.empty() || best.multipliers.cones.size() == problem.conic().size());
  for (std::size_t b = 0; fits && b < problem.batches().size(); ++b) {
    fits = best.multipliers.lambda[b].size() == problem.batches()[b]->size();
  }
  for (std::size_t k = 0; fits && k < best.multipliers.cones.size(); ++k) {
    fits = best.multipliers.cones[k].size() == problem.conic()[k].G.rows();
  }
  if (!fits) place.fail("does not fit the problem");
}

}  // namespace

Checkpoint read_checkpoint(const std::filesystem::path& file, const Problem& problem) {
  const io::Hdf5Session session;
  io::Hdf5Reader root = io::Hdf5Reader::open(file);
  const std::string format = root.optional_text("format").value_or("");
  if (format != kCheckpointFormat)
    root.place().fail(fmt::format("is no checkpoint (format \"{}\")", io::printable(format)));
  const Index version = root.integer("version");
  if (version != kCheckpointVersion) {
    root.place().fail(
        fmt::format("version {} of the checkpoint is not supported, expected {}", version, kCheckpointVersion));
  }
  Checkpoint out;
  const std::string owner = root.text("fingerprint"), sum = root.text("checksum");
  out.seed = root.integer("seed");
  out.seconds = root.number("seconds");
  if (root.has_attribute("proved_bound")) out.best.proved_bound = root.number("proved_bound");
  out.best.x = root.finite_vector("x", io::kAny);
  out.best.multipliers.lambda = read_vectors(root, "multipliers");
  out.best.multipliers.nu = root.finite_vector("equality_multipliers", io::kAny);
  out.best.multipliers.cones = read_vectors(root, "cone_multipliers");
  root.done();
  if (sum != hex(checksum(out))) root.place().fail("is damaged: its checksum does not fit");
  if (owner != hex(fingerprint(problem))) root.place().fail("is a checkpoint of another problem");
  expect_shape(root.place(), problem, out.best);
  return out;
}

CheckpointWriter::CheckpointWriter(const Problem& problem, std::filesystem::path file, std::int64_t seed,
                                   double seconds_before)
    : problem_(problem),
      file_(std::move(file)),
      fingerprint_(fingerprint(problem)),
      seed_(seed),
      seconds_before_(seconds_before),
      began_(now()) {
  const io::AtomicFile probe(file_);
}

void CheckpointWriter::install(SolveHooks& hooks, double every_seconds) {
  hooks.best_every = every_seconds;
  hooks.best = [this](const BestSoFar& best) {
    try {
      write(best);
      failure_.clear();
    } catch (const InputError& error) {
      failure_ = error.what();
    }
  };
}

void CheckpointWriter::write(const BestSoFar& best) const {
  constexpr double kPerSecond = std::chrono::steady_clock::period::den;
  Checkpoint c{best, seed_, seconds_before_ + static_cast<double>(now() - began_) / kPerSecond};
  if (c.best.multipliers.lambda.empty()) c.best.multipliers = zero_multipliers(problem_);
  // Infinite: of a problem without a solution. The next solve proves that itself.
  if (!std::isfinite(c.best.proved_bound)) c.best.proved_bound = -kInfinity;
  write_file(c, fingerprint_, file_);
}

void keep_bound(const Checkpoint& checkpoint, double tol_gap, Result& result) {
  if (!(checkpoint.best.proved_bound > result.certificate.proof.value)) return;
  if (result.status == Status::primal_infeasible || result.status == Status::dual_infeasible) return;
  result.certificate.proof = {checkpoint.best.proved_bound, BoundKind::proved};
  result.certificate.choose_bound(tol_gap);
}

CheckpointedSolve::CheckpointedSolve(const Problem& problem, const CheckpointOptions& options, const Settings& settings,
                                     SolveHooks& hooks)
    : tol_gap_(settings.tol_gap) {
  BestSoFar start;
  start.x = hooks.warm_start != nullptr ? *hooks.warm_start : problem.start.value_or(Vector::Zero(problem.dimension()));
  if (!options.resume.empty()) {
    resumed_ = read_checkpoint(options.resume, problem);
    hooks.warm_start = &resumed_->best.x;
    hooks.warm_multipliers = &resumed_->best.multipliers;
    start = resumed_->best;
  }
  if (options.file.empty()) return;
  writer_.emplace(problem, options.file, settings.seed, resumed_ ? resumed_->seconds : 0.0);
  writer_->write(start);
  writer_->install(hooks, options.every);
}

void CheckpointedSolve::finish(Result& result) {
  if (resumed_) keep_bound(*resumed_, tol_gap_, result);
  if (!writer_) return;
  failure_ = writer_->failure();
  try {
    const LowerBound& proof = result.certificate.proof;
    writer_->write({result.x, result.multipliers, proof.kind == BoundKind::proved ? proof.value : -kInfinity});
  } catch (const InputError& error) {
    failure_ = error.what();
  }
}

}  // namespace pliant
