// Which reader or writer a file belongs to. One row per format.
#include "io/container_parts.hpp"
#include "pliant/io.hpp"
#include "report/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

namespace pliant {
namespace {

// Formats other programs write, refused by name rather than as damaged containers.
struct ForeignFormat {
  std::string_view ending;
  std::string_view name;
};

constexpr std::array kForeign{
    ForeignFormat{".mps", "MPS"}, ForeignFormat{".qps", "QPS"},    ForeignFormat{".sif", "SIF"},
    ForeignFormat{".cbf", "CBF"}, ForeignFormat{".dat-s", "SDPA"}, ForeignFormat{".nl", "AMPL NL"},
    ForeignFormat{".lp", "LP"},   ForeignFormat{".mat", "MATLAB"}, ForeignFormat{".npz", "NumPy"},
};

// The foreign format an ending announces, compressed or not; null if none.
const ForeignFormat* foreign_format(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  const auto found =
      std::find_if(kForeign.begin(), kForeign.end(), [&](const ForeignFormat& f) { return name.ends_with(f.ending); });
  return found == kForeign.end() ? nullptr : found;
}

io::MemoryBudget budget_of(const ReadOptions& options) {
  if (!options.memory_limit) {
    return {static_cast<std::uint64_t>(report::machine_memory())};
  }
  if (*options.memory_limit <= 0) {
    throw InputError(fmt::format("memory_limit: expected a number of bytes > 0, got {}", *options.memory_limit));
  }
  return {static_cast<std::uint64_t>(*options.memory_limit)};
}

}  // namespace

Problem read_problem(const std::filesystem::path& file, const ReadOptions& options) {
  const io::Hdf5Session session;
  try {
    return io::read_container(io::Hdf5Reader::open(file, budget_of(options)));
  } catch (const io::NotHdf5&) {
    const io::Hdf5Place place{file.string(), {}};
    if (const ForeignFormat* foreign = foreign_format(file)) {
      place.fail(fmt::format("{} files are not supported (expected a pliant container, HDF5)", foreign->name));
    }
    place.fail("not a pliant container (expected HDF5)");
  }
}

void io::write_problem_file(const Problem& problem, const std::filesystem::path& file, DeferredArrays* deferred) {
  if (const ForeignFormat* foreign = foreign_format(file)) {
    const io::Hdf5Place place{file.string(), {}};
    place.fail(fmt::format("writing {} files is not supported (expected a pliant container, .h5)", foreign->name));
  }
  write_hdf5(
      file, [&](const Hdf5Writer& root) { write_container(problem, root); }, deferred);
}

void write_problem(const Problem& problem, const std::filesystem::path& file) {
  io::write_problem_file(problem, file, nullptr);
}

}  // namespace pliant
