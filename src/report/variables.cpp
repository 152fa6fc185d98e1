#include "report/variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace pliant::report {
namespace {

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

// The largest |x_j| first; of equal ones the first.
std::vector<Index> largest(const Vector& x, Index most) {
  std::vector<Index> order(static_cast<std::size_t>(x.size()));
  std::iota(order.begin(), order.end(), Index{0});
  const auto before = [&](Index a, Index b) {
    const double left = std::abs(x[a]), right = std::abs(x[b]);
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

namespace {

struct Counts {
  Index lower = 0, upper = 0, fixed = 0;
  bool bounded = false;  // whether there are bounds at all
};

Counts count_places(const Problem& problem, const Vector& x, double tolerance) {
  Counts out;
  for (Index j = 0; j < x.size(); ++j) {
    const Bounds b = bounds_of(problem, j);
    const Place place = place_of(b, x[j], tolerance);
    out.bounded = out.bounded || std::isfinite(b.lower) || std::isfinite(b.upper);
    out.lower += place == Place::at_lower ? 1 : 0;
    out.upper += place == Place::at_upper ? 1 : 0;
    out.fixed += place == Place::fixed ? 1 : 0;
  }
  return out;
}

std::string bound_columns(const Bounds& b, const Result& result, Index j, Place place) {
  const std::string dual = j < result.bound_duals.size() ? fmt::format("{:.4e}", result.bound_duals[j]) : "";
  return fmt::format(" {:>12.4g} {:>12.4g} {:>12}{}{}", b.lower, b.upper, dual, place == Place::inside ? "" : "  ",
                     in_words(place));
}

}  // namespace

std::string variables(const Problem& problem, const Result& result, Index most, double tolerance) {
  const Vector& x = result.x;
  const std::vector<Index> shown = largest(x, most);
  std::size_t width = 4;
  for (const Index j : shown) width = std::max(width, variable_name(problem, j).size());
  const Counts count = count_places(problem, x, tolerance);
  std::string out =
      count.bounded
          ? fmt::format("variables    {} at lower bounds, {} at upper ones, {} fixed, {} between\n", count.lower,
                        count.upper, count.fixed, x.size() - count.lower - count.upper - count.fixed)
          : fmt::format("variables    {}, without bounds\n", x.size());
  out += fmt::format("             {:<{}} {:>19}", "name", width, "value");
  out += count.bounded ? fmt::format(" {:>12} {:>12} {:>12}\n", "lower", "upper", "bound dual") : "\n";
  for (const Index j : shown) {
    const Bounds b = bounds_of(problem, j);
    out += fmt::format("             {:<{}} {:>19.12e}{}\n", variable_name(problem, j), width, x[j],
                       count.bounded ? bound_columns(b, result, j, place_of(b, x[j], tolerance)) : "");
  }
  if (static_cast<Index>(shown.size()) < x.size()) {
    out += fmt::format("             ... and {} smaller ones\n", x.size() - static_cast<Index>(shown.size()));
  }
  return out;
}

}  // namespace pliant::report
