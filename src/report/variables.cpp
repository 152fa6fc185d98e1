#include "report/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace pliant::report {
namespace {

using Variable = ProblemSummary::Variable;

enum class Place { inside, at_lower, at_upper, fixed };

struct Bounds {
  double lower = -kInfinity, upper = kInfinity;
};

Bounds bounds_of(const Problem& problem, Index j) {
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi == nullptr) return {};
  return {psi->lo.empty() ? -kInfinity : psi->lo[j], psi->hi.empty() ? kInfinity : psi->hi[j]};
}

Place place_of(const Bounds& b, double x, double tolerance) {
  const bool low = std::isfinite(b.lower) && x <= b.lower + tolerance * (1.0 + std::abs(b.lower));
  const bool high = std::isfinite(b.upper) && x >= b.upper - tolerance * (1.0 + std::abs(b.upper));
  if (low && high) return Place::fixed;
  return low ? Place::at_lower : high ? Place::at_upper : Place::inside;
}

std::string_view in_words(Place place) {
  switch (place) {
    case Place::at_lower:
      return "at lower";
    case Place::at_upper:
      return "at upper";
    case Place::fixed:
      return "fixed";
    case Place::inside:
      break;
  }
  return "";
}

double bound_dual(const Result& result, Index j) {
  return j < result.bound_duals.size() ? result.bound_duals[j] : std::numeric_limits<double>::quiet_NaN();
}

// At most `most` of these variables, the largest size first; of equal ones the first.
template <class Size>
std::vector<Index> largest(std::vector<Index> order, Index most, Size size) {
  const auto before = [&](Index a, Index b) {
    const double left = size(a), right = size(b);
    return left != right ? left > right : a < b;
  };
  const auto shown = order.begin() + std::min<std::ptrdiff_t>(most, std::ssize(order));
  std::partial_sort(order.begin(), shown, order.end(), before);
  order.erase(shown, order.end());
  return order;
}

}  // namespace

std::string variable_name(const Problem& problem, Index j) {
  const auto& names = problem.names.variables;
  const auto k = static_cast<std::size_t>(j);
  return k < names.size() && !names[k].empty() ? names[k] : fmt::format("x{}", j);
}

ProblemSummary::Variables pick_variables(const Problem& problem, const Result& result, Index most, double tolerance) {
  const Vector& x = result.x;
  ProblemSummary::Variables out;
  out.total = x.size();
  std::vector<Index> all(static_cast<std::size_t>(x.size())), at_bounds;
  std::iota(all.begin(), all.end(), Index{0});
  for (const Index j : all) {
    const Bounds b = bounds_of(problem, j);
    const Place place = place_of(b, x[j], tolerance);
    out.bounded = out.bounded || std::isfinite(b.lower) || std::isfinite(b.upper);
    out.at_lower += place == Place::at_lower ? 1 : 0;
    out.at_upper += place == Place::at_upper ? 1 : 0;
    out.fixed += place == Place::fixed ? 1 : 0;
    if (place != Place::inside && std::abs(bound_dual(result, j)) > 0.0) at_bounds.push_back(j);
  }
  const auto row = [&](Index j) {
    const Bounds b = bounds_of(problem, j);
    const Place place = place_of(b, x[j], tolerance);
    return Variable{variable_name(problem, j),   x[j], b.lower, b.upper, bound_dual(result, j),
                    std::string(in_words(place))};
  };
  for (const Index j : largest(std::move(all), most, [&](Index k) { return std::abs(x[k]); })) {
    out.largest.push_back(row(j));
  }
  for (const Index j : largest(std::move(at_bounds), most, [&](Index k) { return std::abs(bound_dual(result, k)); })) {
    out.pressed.push_back(row(j));
  }
  return out;
}

namespace {

std::string bound_columns(const Variable& v) {
  const std::string dual = std::isnan(v.bound_dual) ? "" : fmt::format("{:.4e}", v.bound_dual);
  return fmt::format(" {:>12.4g} {:>12.4g} {:>12}{}{}", v.lower, v.upper, dual, v.place.empty() ? "" : "  ", v.place);
}

}  // namespace

std::string variables(const Problem& problem, const Result& result, Index most, double tolerance) {
  const ProblemSummary::Variables v = pick_variables(problem, result, most, tolerance);
  std::size_t width = 4;
  for (const Variable& each : v.largest) width = std::max(width, each.name.size());
  std::string out = v.bounded
                        ? fmt::format("variables    {} at lower bounds, {} at upper ones, {} fixed, {} between\n",
                                      v.at_lower, v.at_upper, v.fixed, v.total - v.at_lower - v.at_upper - v.fixed)
                        : fmt::format("variables    {}, without bounds\n", v.total);
  out += fmt::format("             {:<{}} {:>19}", "name", width, "value");
  out += v.bounded ? fmt::format(" {:>12} {:>12} {:>12}\n", "lower", "upper", "bound dual") : "\n";
  for (const Variable& each : v.largest) {
    out += fmt::format("             {:<{}} {:>19.12e}{}\n", each.name, width, each.value,
                       v.bounded ? bound_columns(each) : "");
  }
  if (std::ssize(v.largest) < v.total) {
    const Index left = v.total - std::ssize(v.largest);
    out += fmt::format("             ... and {} smaller one{}\n", left, left == 1 ? "" : "s");
  }
  return out;
}

}  // namespace pliant::report
