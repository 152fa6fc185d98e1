// What a report keeps of a problem.
#include "cones/cone_checks.hpp"
#include "machine/memory.hpp"
#include "pliant/report.hpp"
#include "report/variables.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

using Text = ProblemSummary::Text;
using Kind = LeadingMultiplier::Kind;

// Its name in the problem, or its number, counted from 0 as in files.
std::string name_of(const LeadingMultiplier& leader, const Problem& problem) {
  const auto part = static_cast<std::size_t>(leader.part), row = static_cast<std::size_t>(leader.row);
  const std::vector<std::string>* names = nullptr;
  if (leader.kind == Kind::constraint && part < problem.names.constraints.size()) {
    names = &problem.names.constraints[part];
  } else if (leader.kind == Kind::equality) {
    names = &problem.names.equalities;
  }
  if (names != nullptr && row < names->size() && !(*names)[row].empty()) return (*names)[row];
  return fmt::format("{} {}", leader.kind == Kind::cone ? "cone" : "row", leader.row);
}

// A single one needs no number.
std::string numbered(std::string_view word, std::size_t which, std::size_t of) {
  return of == 1 ? std::string(word) : fmt::format("{} {}", word, which);
}

std::string group_of(const LeadingMultiplier& leader, const Problem& problem) {
  if (leader.kind == Kind::equality) return "equalities";
  if (leader.kind == Kind::cone) {
    const std::string& name = problem.conic_name(leader.part);
    return name.empty() ? numbered("cones", static_cast<std::size_t>(leader.part), problem.conic().size()) : name;
  }
  const ConstraintBatch& batch = *problem.batches().at(static_cast<std::size_t>(leader.part));
  return batch.name.empty() ? numbered(batch.family(), static_cast<std::size_t>(leader.part), problem.batches().size())
                            : fmt::format("{} ({})", batch.name, batch.family());
}

std::string objective(const Problem& problem) {
  std::string text;
  for (const Problem::WeightedTerm& term : problem.terms()) {
    text += fmt::format("{}{}", text.empty() ? "" : " + ", term.term->kind());
    if (term.weight != 1.0) text += fmt::format(" * {:.4g}", term.weight);
  }
  if (problem.has_soft_rows()) text += text.empty() ? "soft rows" : " + soft rows";
  return text.empty() ? "0" : text;
}

// A problem may have thousands of terms, batches or variables: a few, and how many more there are.
constexpr std::size_t kMostTexts = 12;

void add_constraints(const Problem& problem, std::vector<Text>& facts) {
  const std::size_t batches = problem.batches().size();
  for (std::size_t b = 0; b < std::min(batches, kMostTexts); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    facts.push_back({batch.name.empty() ? numbered("Constraints", b, batches) : "Constraints " + batch.name,
                     fmt::format("{} {}{}", batch.size(), batch.family(),
                                 problem.caps(static_cast<Index>(b)).empty() ? "" : ", soft")});
  }
  if (batches > kMostTexts) facts.push_back({"Further constraints", fmt::format("{} batches", batches - kMostTexts)});
  for (std::size_t c = 0; c < problem.conic().size(); ++c) {
    const std::string& name = problem.conic_name(static_cast<Index>(c));
    const Index cones = count_cones(problem.conic()[c]);
    facts.push_back({name.empty() ? numbered("Cones", c, problem.conic().size()) : "Cones " + name,
                     fmt::format("{} cone{}", cones, cones == 1 ? "" : "s")});
  }
  if (problem.has_equalities()) facts.push_back({"Equalities", fmt::format("{}", problem.equality_matrix().rows())});
}

}  // namespace

ProblemSummary summarize(const Problem& problem, const Result& result, double tolerance) {
  ProblemSummary out;
  out.name = problem.name;
  out.sense = problem.sense;
  out.facts.push_back({"Variables", fmt::format("{}", problem.dimension())});
  const bool many = problem.terms().size() > kMostTexts;
  out.facts.push_back({problem.sense == Sense::maximize ? "Maximise" : "Minimise",
                       many ? fmt::format("{} terms", problem.terms().size()) : objective(problem)});
  if (problem.has_prox()) out.facts.push_back({"Simple term", std::string(problem.prox().kind())});
  add_constraints(problem, out.facts);
  out.facts.push_back({"Constraint data", machine::human_bytes(problem.data_bytes())});
  for (const LeadingMultiplier& leader : result.overview.leading) {
    out.leading.push_back({name_of(leader, problem), group_of(leader, problem)});
  }
  out.variables = report::pick_variables(problem, result, kMostTexts, tolerance);
  return out;
}

}  // namespace pliant
