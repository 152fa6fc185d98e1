// The figures of a result by name: the one list behind --json and the attributes of Python's Result.
#pragma once

#include "pliant/check.hpp"
#include "pliant/problem.hpp"
#include "pliant/result.hpp"

#include <string>
#include <variant>
#include <vector>

namespace pliant::report {

struct Figure;
using Figures = std::vector<Figure>;

/// One figure: unknown, a flag, a count, a number (perhaps infinite), a text, figures by name, or a list of these.
struct Value {
  std::variant<std::monostate, bool, Index, double, std::string, Figures, std::vector<Value>> held;
};

struct Figure {
  std::string name;
  Value value;
};

/// The fields of --json. Objective and bound in the sense of the problem's author (Problem::reported).
Figures figures(const Problem& problem, const Settings& settings, const Result& result);
Figures figures(const Problem& problem, const Verdict& verdict);
/// Of `info` and of the guarantee in --json.
Figures figures(const Problem& problem, const SlaterConstants& slater);
Figures figures(const Problem& problem, const GuaranteeForecast& forecast);

}  // namespace pliant::report
