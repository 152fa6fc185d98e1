#include "io/solution/solution_forms.hpp"
#include "io/text/at.hpp"

#include <fmt/format.h>

#include <array>

namespace pliant::io {
namespace {

constexpr std::string_view kDuals = "duals/";

struct SinglePart {
  std::string_view label;
  Vector Solution::*values;
};
constexpr std::array kSingleParts{SinglePart{"x", &Solution::x},
                                  SinglePart{"equality_duals", &Solution::equality_duals},
                                  SinglePart{"bound_duals", &Solution::bound_duals}, SinglePart{"ray", &Solution::ray}};

}  // namespace

std::string SolutionPart::name(Index i) const {
  const bool named = names != nullptr && at(i) < names->size() && !(*names)[at(i)].empty();
  return named ? (*names)[at(i)] : fmt::format("{}{}", generic, i);
}

std::vector<SolutionPart> parts_of(const Solution& solution) {
  const Names& names = solution.labels.names;
  std::vector<SolutionPart> out{{"x", &solution.x, &names.variables, "x"}};
  for (std::size_t b = 0; b < solution.duals.size(); ++b) {
    const auto* rows = b < names.constraints.size() ? &names.constraints[b] : nullptr;
    out.push_back({fmt::format("{}{}", kDuals, b), &solution.duals[b], rows, "row"});
  }
  const auto add = [&](std::string label, const Vector& values, const std::vector<std::string>& known,
                       std::string_view generic) {
    if (values.size() > 0) out.push_back({std::move(label), &values, &known, generic});
  };
  add("equality_duals", solution.equality_duals, names.equalities, "equality");
  add("bound_duals", solution.bound_duals, names.variables, "x");
  add("ray", solution.ray, names.variables, "x");
  return out;
}

bool place_part(Solution& solution, std::string_view label, Vector values) {
  for (const SinglePart& part : kSingleParts) {
    if (label != part.label) continue;
    if ((solution.*part.values).size() > 0) return false;
    solution.*part.values = std::move(values);
    return true;
  }
  if (label != fmt::format("{}{}", kDuals, solution.duals.size())) return false;
  solution.duals.push_back(std::move(values));
  return true;
}

}  // namespace pliant::io
