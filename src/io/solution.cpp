#include "io/hdf5_reader.hpp"
#include "io/hdf5_writer.hpp"
#include "io/solution/solution_forms.hpp"
#include "io/text/ending.hpp"
#include "pliant/io.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace pliant {
namespace {

constexpr std::string_view kSolutionFormat = "pliant-solution";
constexpr Index kVersion = 1;

// A bare file with x alone is a solution; what a file says about itself must be true.
void check_format(io::Hdf5Reader& root) {
  const std::string format = root.optional_text("format").value_or(std::string(kSolutionFormat));
  if (format != kSolutionFormat) {
    root.place().fail(fmt::format("format is \"{}\", expected \"{}\"", io::printable(format), kSolutionFormat));
  }
  const Index version = root.has_attribute("version") ? root.integer("version") : kVersion;
  if (version != kVersion) {
    root.place().fail(fmt::format("version {} of the solution is not supported, expected {}", version, kVersion));
  }
}

Vector optional_vector(io::Hdf5Reader& group, std::string_view name) {
  return group.has_member(name) ? group.finite_vector(name, io::kAny) : Vector();
}

void expect_entries(std::string_view what, Index expected, Index got) {
  if (expected != got) throw InputError(fmt::format("{}: expected {} entries, got {}", what, expected, got));
}

// Unknown parts are empty.
void expect_entries_or_none(std::string_view what, Index expected, const Vector& part) {
  if (part.size() > 0) expect_entries(what, expected, part.size());
}

Solution read_solution_hdf5(const std::filesystem::path& file) {
  const io::Hdf5Session session;
  io::Hdf5Reader root = io::Hdf5Reader::open(file);
  check_format(root);
  Solution solution;
  solution.x = root.finite_vector("x", io::kAny);
  solution.equality_duals = optional_vector(root, "equality_duals");
  solution.bound_duals = optional_vector(root, "bound_duals");
  solution.ray = optional_vector(root, "ray");
  if (root.has_member("duals")) {
    io::Hdf5Reader group = root.group("duals");
    const Index count = group.numbered_members();
    for (Index i = 0; i < count; ++i) solution.duals.push_back(group.finite_vector(std::to_string(i), io::kAny));
    group.done();
  }
  root.done();
  return solution;
}

// The text forms by ending; what is left is HDF5.
struct SolutionForm {
  std::string_view ending;
  Solution (*read)(const std::filesystem::path& file);
  void (*write)(const Solution& solution, const std::filesystem::path& file);
};
constexpr std::array kSolutionForms{SolutionForm{".csv", io::read_solution_csv, io::write_solution_csv},
                                    SolutionForm{".json", io::read_solution_json, io::write_solution_json},
                                    SolutionForm{".sol", io::read_solution_sol, io::write_solution_sol}};

const SolutionForm* form_of(const std::filesystem::path& file) {
  for (const SolutionForm& form : kSolutionForms) {
    if (io::ends_with_format(file, form.ending)) return &form;
  }
  return nullptr;
}

}  // namespace

void io::write_solution_hdf5(const Solution& solution, const std::filesystem::path& file) {
  write_hdf5(file, [&](const Hdf5Writer& root) {
    root.text("format", kSolutionFormat);
    root.integer("version", kVersion);
    root.vector("x", solution.x);
    if (!solution.duals.empty()) {
      const Hdf5Writer group = root.group("duals");
      Index i = 0;
      for (const Vector& dual : solution.duals) group.vector(std::to_string(i++), dual);
    }
    if (solution.equality_duals.size() > 0) root.vector("equality_duals", solution.equality_duals);
    if (solution.bound_duals.size() > 0) root.vector("bound_duals", solution.bound_duals);
    if (solution.ray.size() > 0) root.vector("ray", solution.ray);
  });
}

std::string solution_endings() {
  std::string text = ".h5";
  for (const SolutionForm& form : kSolutionForms) text += fmt::format(", {}", form.ending);
  return text + "; all but .h5 also .gz";
}

void io::expect_solution_ending(const std::filesystem::path& file) {
  if (form_of(file) != nullptr || announces_hdf5(file)) return;
  if (file == "-") return;  // standard output is refused by its own name
  throw InputError(
      fmt::format("{}: the ending stands for no form of solutions (expected {})", file.string(), solution_endings()));
}

Solution read_solution(const std::filesystem::path& file) {
  const SolutionForm* form = form_of(file);
  if (form == nullptr) return read_solution_hdf5(file);
  try {
    return read_solution_hdf5(file);
  } catch (const io::NotHdf5&) {  // the content decides: HDF5 may have any name
    return form->read(file);
  }
}

void write_solution(const Solution& solution, const std::filesystem::path& file) {
  io::expect_solution_ending(file);
  const SolutionForm* form = form_of(file);
  (form == nullptr ? io::write_solution_hdf5 : form->write)(solution, file);
}

void check_solution_shape(const Problem& problem, const Solution& solution) {
  const Index n = problem.dimension();
  expect_entries("x", n, solution.x.size());
  expect_entries_or_none("bound_duals", n, solution.bound_duals);
  expect_entries_or_none("ray", n, solution.ray);
  expect_entries_or_none("equality_duals", problem.equality_rhs().size(), solution.equality_duals);
  if (solution.duals.empty()) return;
  const std::size_t batches = problem.batches().size();
  const std::size_t parts = batches + problem.conic().size();
  if (solution.duals.size() != parts) {
    throw InputError(fmt::format("duals: expected {} arrays, got {}", parts, solution.duals.size()));
  }
  for (std::size_t i = 0; i < parts; ++i) {
    const Index expected = i < batches ? problem.batches()[i]->dual_size() : problem.conic()[i - batches].G.rows();
    expect_entries(fmt::format("duals/{}", i), expected, solution.duals[i].size());
  }
}

Solution to_solution(const Problem& problem, const Result& result) {
  Solution out;
  out.x = result.x;
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    Vector duals(batch.dual_size());
    batch.multipliers_to_duals(result.multipliers.lambda[b], duals);
    out.duals.push_back(std::move(duals));
  }
  for (const Vector& z : result.multipliers.cones) out.duals.push_back(z);
  out.equality_duals = result.multipliers.nu;
  out.bound_duals = result.bound_duals;
  out.ray = result.ray;
  out.labels.status = to_string(result.status);
  out.labels.objective = problem.reported(result.certificate.objective);
  out.labels.lower_bound = problem.reported(result.certificate.lower_bound);
  out.labels.names = problem.names;
  return out;
}

Multipliers to_multipliers(const Problem& problem, const Solution& solution) {
  Multipliers out = zero_multipliers(problem);
  const std::size_t batches = problem.batches().size();
  for (std::size_t b = 0; b < solution.duals.size(); ++b) {
    if (solution.duals[b].size() == 0) continue;
    if (b < batches) {
      problem.batches()[b]->duals_to_multipliers(solution.duals[b], out.lambda[b]);
    } else {
      out.cones[b - batches] = solution.duals[b];
    }
  }
  if (solution.equality_duals.size() > 0) out.nu = solution.equality_duals;
  return out;
}

}  // namespace pliant
