#include "io/nl/start.hpp"

#include "io/text/at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::io {
namespace {

bool all_defined(const Expression* objective, const std::vector<Expression>& rows, const Vector& x) {
  if (objective != nullptr) {
    Vector gradient = Vector::Zero(x.size());
    if (!std::isfinite(objective->add_gradient(x, 1.0, gradient)) || !gradient.allFinite()) return false;
  }
  return std::all_of(rows.begin(), rows.end(), [&](const Expression& row) {
    Vector gradient = Vector::Zero(x.size());
    return std::isfinite(row.add_gradient(x, 1.0, gradient)) && gradient.allFinite();
  });
}

// A point inside the bounds, `reach` away from those that are alone.
Vector inside(const NlFile& nl, double reach) {
  Vector x(nl.variables);
  for (Index j = 0; j < nl.variables; ++j) {
    const double lower = nl.lower[at(j)], upper = nl.upper[at(j)];
    if (std::isfinite(lower) && std::isfinite(upper)) {
      x[j] = lower + std::min(reach, 0.5 * (upper - lower));
    } else if (std::isfinite(lower)) {
      x[j] = lower + reach;
    } else {
      x[j] = std::isfinite(upper) ? upper - reach : reach;
    }
  }
  return x;
}

}  // namespace

std::optional<Vector> choose_start(const NlFile& nl, const Expression* objective, const std::vector<Expression>& rows,
                                   const std::string& shown) {
  const bool limited = (objective != nullptr && objective->has_domain()) ||
                       std::any_of(rows.begin(), rows.end(), [](const Expression& row) { return row.has_domain(); });
  Vector guess = Vector::Zero(nl.variables);
  for (const auto& [j, value] : nl.start) guess[j] = value;
  for (Index j = 0; j < nl.variables; ++j) guess[j] = std::clamp(guess[j], nl.lower[at(j)], nl.upper[at(j)]);
  if (!limited) return nl.start.empty() ? std::nullopt : std::optional(guess);
  if (all_defined(objective, rows, guess)) return guess;
  for (const double reach : {1.0, 0.1, 10.0, 1e-2, 100.0, 1e-4}) {
    const Vector x = inside(nl, reach);
    if (all_defined(objective, rows, x)) return x;
  }
  throw InputError(
      fmt::format("{}: the functions are not defined at the initial guess, nor at other points within the "
                  "bounds; expected a guess inside their domain",
                  shown));
}

}  // namespace pliant::io
