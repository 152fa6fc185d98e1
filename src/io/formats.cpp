// Which reader or writer a file belongs to. One row per format.
#include "io/cbf/cbf_problem.hpp"
#include "io/container_parts.hpp"
#include "io/mps/mps_problem.hpp"
#include "io/sdpa/sdpa.hpp"
#include "machine/memory.hpp"
#include "pliant/io.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace pliant {
namespace {

// Formats other programs write: read and written here, or refused by name rather than as damaged containers.
enum class TextKind { none, cbf, mps, sdpa };
struct TextFormat {
  std::string_view ending;
  std::string_view name;
  TextKind kind = TextKind::none;
};

constexpr std::array kTextFormats{
    TextFormat{".mps", "MPS", TextKind::mps},
    TextFormat{".qps", "QPS", TextKind::mps},
    TextFormat{".sif", "SIF", TextKind::mps},
    TextFormat{".dat-s", "SDPA", TextKind::sdpa},
    TextFormat{".cbf", "CBF", TextKind::cbf},
    TextFormat{".nl", "AMPL NL"},
    TextFormat{".lp", "LP"},
    TextFormat{".mat", "MATLAB"},
    TextFormat{".npz", "NumPy"},
};

// The format an ending announces, compressed or not; null if none.
const TextFormat* format_of_ending(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const auto found = std::find_if(kTextFormats.begin(), kTextFormats.end(),
                                  [&](const TextFormat& f) { return name.ends_with(f.ending); });
  return found == kTextFormats.end() ? nullptr : found;
}

io::MemoryBudget budget_of(const ReadOptions& options) {
  if (!options.memory_limit) {
    return {static_cast<std::uint64_t>(machine::machine_memory())};
  }
  if (*options.memory_limit <= 0) {
    throw InputError(fmt::format("memory_limit: expected a number of bytes > 0, got {}", *options.memory_limit));
  }
  return {static_cast<std::uint64_t>(*options.memory_limit)};
}

}  // namespace

Problem read_problem(const std::filesystem::path& file, const ReadOptions& options) {
  try {
    const io::Hdf5Session session;
    return io::read_container(io::Hdf5Reader::open(file, budget_of(options)));
  } catch (const io::NotHdf5&) {
  }
  const TextFormat* format = format_of_ending(file);
  if (format != nullptr && format->kind == TextKind::cbf) return io::read_cbf_problem(file);
  if (format != nullptr && format->kind == TextKind::sdpa) return io::read_sdpa_problem(file);
  if (format != nullptr ? format->kind == TextKind::mps : io::looks_like_mps(file)) {
    return io::read_mps_problem(file, options.notes);
  }
  const io::Hdf5Place place{file.string(), {}};
  if (format != nullptr) {
    place.fail(
        fmt::format("{} files are not supported (expected a pliant container, HDF5, MPS, CBF or SDPA)", format->name));
  }
  place.fail("not a pliant container (expected HDF5 or MPS)");
}

void io::write_problem_file(const Problem& problem, const std::filesystem::path& file, DeferredArrays* deferred) {
  const TextFormat* format = format_of_ending(file);
  const io::Hdf5Place place{file.string(), {}};
  if (format == nullptr) {
    write_hdf5(
        file, [&](const Hdf5Writer& root) { write_container(problem, root); }, deferred);
  } else if (format->kind == TextKind::none) {
    place.fail(fmt::format("writing {} files is not supported (expected .h5, .mps, .qps, .sif, .cbf or .dat-s)",
                           format->name));
  } else if (deferred != nullptr) {
    place.fail("generated instances go to a pliant container (expected .h5), which 'pliant convert' turns into others");
  } else if (format->kind == TextKind::cbf) {
    write_cbf_problem(problem, file);
  } else if (format->kind == TextKind::sdpa) {
    write_sdpa_problem(problem, file);
  } else {
    write_mps_problem(problem, file);
  }
}

void write_problem(const Problem& problem, const std::filesystem::path& file) {
  io::write_problem_file(problem, file, nullptr);
}

}  // namespace pliant
