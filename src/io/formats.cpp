// The list of file formats: who reads, writes, explains or refuses a file looks here. One row per format.
#include "io/cbf/cbf_problem.hpp"
#include "io/container_parts.hpp"
#include "io/lp/lp_problem.hpp"
#include "io/mps/mps_problem.hpp"
#include "io/nl/nl_problem.hpp"
#include "io/sdpa/sdpa.hpp"
#include "io/text/ending.hpp"
#include "machine/memory.hpp"
#include "pliant/io.hpp"
#include "solve/slack_form.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace pliant {
namespace {

using Reader = Problem (*)(const std::filesystem::path& file, const ReadOptions& options);
using Writer = void (*)(const Problem& problem, const std::filesystem::path& file);
using Recogniser = bool (*)(const std::filesystem::path& file);

io::MemoryBudget budget_of(const ReadOptions& options) {
  if (!options.memory_limit) {
    return {static_cast<std::uint64_t>(machine::machine_memory())};
  }
  if (*options.memory_limit <= 0) {
    throw InputError(fmt::format("memory_limit: expected a number of bytes > 0, got {}", *options.memory_limit));
  }
  return {static_cast<std::uint64_t>(*options.memory_limit)};
}

Problem read_hdf5(const std::filesystem::path& file, const ReadOptions& options) {
  const io::Hdf5Session session;
  return io::read_container(io::Hdf5Reader::open(file, budget_of(options)));
}
Problem read_mps(const std::filesystem::path& file, const ReadOptions& options) {
  return io::read_mps_problem(file, options.notes);
}
Problem read_lp(const std::filesystem::path& file, const ReadOptions&) { return io::read_lp_problem(file); }
Problem read_sdpa(const std::filesystem::path& file, const ReadOptions&) { return io::read_sdpa_problem(file); }
Problem read_cbf(const std::filesystem::path& file, const ReadOptions&) { return io::read_cbf_problem(file); }

Problem read_nl(const std::filesystem::path& file, const ReadOptions& options) {
  return io::read_nl_problem(file, options.notes);
}

struct Format {
  FileFormat known;
  Reader read = nullptr;  // null: refused by name rather than as a damaged file
  Writer write = nullptr;
  Recogniser recognises = nullptr;  // null: by ending alone
};

const std::vector<Format>& formats() {
  static const std::vector<Format> table{
      {{"pliant container", "HDF5, the native format", {".h5"}, true, true, false}, read_hdf5, nullptr},
      {{"MPS", "linear and quadratic programs", {".mps", ".qps", ".sif"}, true, true, true},
       read_mps,
       io::write_mps_problem,
       io::looks_like_mps},
      {{"LP", "linear and quadratic programs, for people", {".lp"}, true, true, true},
       read_lp,
       io::write_lp_problem,
       io::looks_like_lp},
      {{"SDPA", "semidefinite programs", {".dat-s"}, true, true, true}, read_sdpa, io::write_sdpa_problem},
      {{"CBF", "conic programs", {".cbf"}, true, true, true}, read_cbf, io::write_cbf_problem, io::looks_like_cbf},
      {{"AMPL NL", "models of AMPL, Pyomo and JuMP", {".nl"}, true, false, true}, read_nl, nullptr, io::looks_like_nl},
      {{"MATLAB", "", {".mat"}, false, false, false}},
      {{"NumPy", "", {".npz"}, false, false, false}},
  };
  return table;
}

// The format an ending announces, compressed or not; null if none. Any other ending may hide a container.
const Format* format_of_ending(const std::filesystem::path& file) {
  const std::string name = io::plain_name(file);
  const auto ends_so = [&](std::string_view ending) { return name.ends_with(ending); };
  const auto found = std::find_if(formats().begin(), formats().end(), [&](const Format& f) {
    return std::any_of(f.known.endings.begin(), f.known.endings.end(), ends_so);
  });
  return found == formats().end() ? nullptr : &*found;
}

// ".h5, .mps, .dat-s; all but .h5 also .gz" of the formats for which `wanted` holds.
std::string list_endings(bool FileFormat::*wanted) {
  std::vector<std::string_view> endings, plain;
  for (const FileFormat& format : file_formats()) {
    if (!(format.*wanted)) continue;
    endings.insert(endings.end(), format.endings.begin(), format.endings.end());
    if (!format.gzip) plain.insert(plain.end(), format.endings.begin(), format.endings.end());
  }
  return fmt::format("{}; all but {} also .gz", fmt::join(endings, ", "), fmt::join(plain, ", "));
}

}  // namespace

const std::vector<FileFormat>& file_formats() {
  static const std::vector<FileFormat> known = [] {
    std::vector<FileFormat> out;
    for (const Format& format : formats()) {
      if (format.known.reads || format.known.writes) out.push_back(format.known);
    }
    return out;
  }();
  return known;
}

std::string readable_endings() { return list_endings(&FileFormat::reads); }
std::string writable_endings() { return list_endings(&FileFormat::writes); }

Problem read_problem(const std::filesystem::path& file, const ReadOptions& options) {
  try {
    return read_hdf5(file, options);
  } catch (const io::NotHdf5&) {  // the content decides: a container may have any name
  }
  const Format* format = format_of_ending(file);
  const io::Hdf5Place place{file.string(), {}};
  if (format == nullptr || format->read == read_hdf5) {
    for (const Format& other : formats()) {
      if (other.recognises != nullptr && other.recognises(file)) return other.read(file, options);
    }
    place.fail(fmt::format("not a pliant container (expected {})", readable_endings()));
  }
  if (format->read == nullptr) {
    place.fail(fmt::format("{} files are not supported (expected {})", format->known.name, readable_endings()));
  }
  return format->read(file, options);
}

namespace {

// Formats of other programs have no prices: every soft row gets a slack.
void write_with_slacks(const Problem& problem, const Format& format, const std::filesystem::path& file,
                       std::vector<std::string>* notes) {
  if (const std::string why = SlackForm::obstacle(problem); !why.empty()) {
    io::Hdf5Place{file.string(), {}}.fail(
        fmt::format("{} files have no soft rows, and {} with slacks", format.known.name, why));
  }
  const SlackForm form(problem);
  format.write(form.problem(), file);
  if (notes == nullptr) return;
  notes->push_back(fmt::format("{} files have no soft rows: written with slacks, {} variables instead of {}",
                               format.known.name, form.problem().dimension(), problem.dimension()));
}

}  // namespace

void io::write_problem_file(const Problem& problem, const std::filesystem::path& file, DeferredArrays* deferred,
                            std::vector<std::string>* notes) {
  const Format* format = format_of_ending(file);
  const io::Hdf5Place place{file.string(), {}};
  if (format == nullptr && file.has_extension() && !announces_hdf5(file)) {
    place.fail(
        fmt::format("{} is the ending of no format (expected {})", file.extension().string(), writable_endings()));
  }
  if (format == nullptr || format->read == read_hdf5) {
    write_hdf5(
        file, [&](const Hdf5Writer& root) { write_container(problem, root); }, deferred);
  } else if (format->write == nullptr) {
    place.fail(fmt::format("writing {} files is not supported (expected {})", format->known.name, writable_endings()));
  } else if (deferred != nullptr) {
    place.fail("generated instances go to a pliant container (expected .h5), which 'pliant convert' turns into others");
  } else if (problem.has_soft_rows()) {
    write_with_slacks(problem, *format, file, notes);
  } else {
    format->write(problem, file);
  }
}

void write_problem(const Problem& problem, const std::filesystem::path& file, std::vector<std::string>* notes) {
  io::write_problem_file(problem, file, nullptr, notes);
}

}  // namespace pliant
