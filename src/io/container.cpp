#include "io/container_matrix.hpp"
#include "io/container_parts.hpp"

#include <fmt/format.h>

namespace pliant::io {
namespace {

constexpr std::string_view kProblemFormat = "pliant-problem";
// Files say the lowest version that has what they hold, so that programs of before read what they can.
constexpr Index kPlainVersion = 1;

Index version_of(const Problem& problem) { return problem.has_soft_rows() ? kSoftRowsVersion : kPlainVersion; }

// Foreign files are told apart first: their other contents mean nothing to us. Returns the version.
Index expect_format(Hdf5Reader& root) {
  if (!root.has_attribute("format")) {
    root.place().fail(
        fmt::format("not a pliant container: root attribute \"format\" is missing, expected \"{}\"", kProblemFormat));
  }
  const std::string format = root.text("format");
  if (format != kProblemFormat) {
    root.place().fail(fmt::format("format is \"{}\", expected \"{}\"", printable(format), kProblemFormat));
  }
  if (!root.has_attribute("version")) {
    root.place().fail(
        fmt::format("root attribute \"version\" is missing, expected {} or {}", kPlainVersion, kSoftRowsVersion));
  }
  const Index version = root.integer("version");
  if (version != kPlainVersion && version != kSoftRowsVersion) {
    root.place().fail(fmt::format("version {} of the container is not supported, expected {} or {}", version,
                                  kPlainVersion, kSoftRowsVersion));
  }
  return version;
}

void read_equalities(Hdf5Reader group, Problem& problem) {
  DataMatrix E = read_matrix(group, "E", kAny, problem.dimension());
  Doubles e = group.doubles("e", {E.rows()});
  group.done();
  group.place().explain([&] { problem.equal(std::move(E), std::move(e)); });
}

void read_known_optimum(Hdf5Reader group, Problem& problem) {
  KnownOptimum known;
  known.objective = group.number("objective");
  if (group.has_member("x")) known.x = group.finite_vector("x", problem.dimension());
  group.done();
  problem.known_optimum = std::move(known);
}

constexpr std::string_view kMinimize = "minimize";
constexpr std::string_view kMaximize = "maximize";

void read_sense(Hdf5Reader& root, Problem& problem) {
  const std::string sense = root.optional_text("sense").value_or(std::string(kMinimize));
  if (sense != kMinimize && sense != kMaximize) {
    root.place().fail(
        fmt::format("sense is \"{}\", expected \"{}\" or \"{}\"", printable(sense), kMinimize, kMaximize));
  }
  problem.sense = sense == kMaximize ? Sense::maximize : Sense::minimize;
}

void read_names(Hdf5Reader group, Problem& problem) {
  problem.names.objective = group.optional_text("objective").value_or("");
  if (group.has_member("variables")) problem.names.variables = group.texts("variables", problem.dimension());
  if (group.has_member("equalities")) {
    problem.names.equalities = group.texts("equalities", problem.equality_rhs().size());
  }
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const std::string member = fmt::format("constraints_{}", b);
    if (!group.has_member(member)) continue;
    problem.names.constraints.resize(problem.batches().size());
    problem.names.constraints[b] = group.texts(member, problem.batches()[b]->dual_size());
  }
  group.done();
}

void write_names(const Names& names, const Hdf5Writer& group) {
  if (!names.objective.empty()) group.text("objective", names.objective);
  if (!names.variables.empty()) group.texts("variables", names.variables);
  if (!names.equalities.empty()) group.texts("equalities", names.equalities);
  for (std::size_t b = 0; b < names.constraints.size(); ++b) {
    if (!names.constraints[b].empty()) group.texts(fmt::format("constraints_{}", b), names.constraints[b]);
  }
}

}  // namespace

Problem read_container(Hdf5Reader root) {
  const Index version = expect_format(root);
  const Index n = root.integer("n");
  Problem problem = root.place().explain([&] { return Problem(n); });
  problem.name = root.optional_text("name").value_or("");
  if (root.has_member("objective")) read_objective(root.group("objective"), problem);
  if (root.has_member("prox")) read_prox(root.group("prox"), problem);
  if (root.has_member("constraints")) read_constraints(root.group("constraints"), version, problem);
  if (root.has_member("equalities")) read_equalities(root.group("equalities"), problem);
  if (root.has_member("conic")) read_conic(root.group("conic"), problem);
  read_sense(root, problem);
  if (root.has_member("names")) read_names(root.group("names"), problem);
  if (root.has_member("start")) problem.start = root.finite_vector("start", n);
  if (root.has_member("slater_point")) problem.slater_point = root.finite_vector("slater_point", n);
  if (root.has_member("known_optimum")) read_known_optimum(root.group("known_optimum"), problem);
  root.done();
  return problem;
}

void write_container(const Problem& problem, const Hdf5Writer& root) {
  root.text("format", kProblemFormat);
  root.integer("version", version_of(problem));
  root.integer("n", problem.dimension());
  if (!problem.name.empty()) root.text("name", problem.name);
  if (!problem.terms().empty()) write_objective(problem, root.group("objective"));
  if (problem.has_prox()) write_prox(problem, root.group("prox"));
  if (!problem.batches().empty()) write_constraints(problem, root.group("constraints"));
  if (!problem.conic().empty()) write_conic(problem, root.group("conic"));
  if (problem.has_equalities()) {
    const Hdf5Writer group = root.group("equalities");
    write_matrix(group, "E", problem.equality_matrix());
    group.doubles("e", {problem.equality_rhs().size()}, problem.equality_rhs());
  }
  if (problem.sense == Sense::maximize) root.text("sense", kMaximize);
  if (!problem.names.empty()) write_names(problem.names, root.group("names"));
  if (problem.start) root.vector("start", *problem.start);
  if (problem.slater_point) root.vector("slater_point", *problem.slater_point);
  if (problem.known_optimum) {
    const Hdf5Writer group = root.group("known_optimum");
    group.number("objective", problem.known_optimum->objective);
    if (problem.known_optimum->x.size() > 0) group.vector("x", problem.known_optimum->x);
  }
}

}  // namespace pliant::io
