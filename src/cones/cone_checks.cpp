#include "cones/cone_checks.hpp"

#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant {
namespace {

// Why a cone cannot have this many rows; empty if it can.
std::string_view shape_obstacle(const Cone& cone) {
  switch (cone.kind) {
    case ConeKind::zero:
    case ConeKind::nonnegative:
      return cone.rows >= 0 ? "" : "0 or more rows";
    case ConeKind::second_order:
      return cone.rows >= 1 ? "" : "1 or more rows";
    case ConeKind::semidefinite:
      return cone.rows >= 1 && svec_order(cone.rows) ? "" : "k(k+1)/2 rows (of a k x k matrix)";
    case ConeKind::exponential:
    case ConeKind::power:
      return cone.rows == 3 ? "" : "3 rows";
  }
  return "a known kind of cone";
}

}  // namespace

std::string_view to_string(ConeKind kind) {
  switch (kind) {
    case ConeKind::zero:
      return "zero";
    case ConeKind::nonnegative:
      return "nonneg";
    case ConeKind::second_order:
      return "soc";
    case ConeKind::semidefinite:
      return "psd";
    case ConeKind::exponential:
      return "exp";
    case ConeKind::power:
      return "pow";
  }
  return "unknown";
}

std::string describe_conic(Index index, std::string_view name) {
  return name.empty() ? fmt::format("conic constraint {}", index)
                      : fmt::format("conic constraint {} ({})", index, name);
}

Index matrix_order(const Cone& cone) { return *svec_order(cone.rows); }

Index count_cones(const ConicConstraint& conic) {
  Index count = 0;
  for (const Cone& cone : conic.cones) {
    count += cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative ? cone.rows : 1;
  }
  return count;
}

void check_shape(const ConicConstraint& conic, std::string_view what) {
  Index rows = 0;
  Index index = 0;
  for (const Cone& cone : conic.cones) {
    if (const std::string_view expected = shape_obstacle(cone); !expected.empty()) {
      throw InputError(
          fmt::format("{}: cone {} ({}): expected {}, got {}", what, index, to_string(cone.kind), expected, cone.rows));
    }
    rows += cone.rows;
    ++index;
  }
  if (conic.G.rows() != conic.h.size()) {
    throw InputError(fmt::format("{}: h: expected {} entries, got {}", what, conic.G.rows(), conic.h.size()));
  }
  if (rows != conic.G.rows()) {
    throw InputError(fmt::format("{}: cones: expected {} rows as in G, got {}", what, conic.G.rows(), rows));
  }
}

void check_numbers(const ConicConstraint& conic, std::string_view what) {
  conic.G.validate(fmt::format("{}: G", what));
  for (Index i = 0; i < conic.h.size(); ++i) {
    if (!std::isfinite(conic.h[i])) {
      throw InputError(fmt::format("{}: h: entry {} is {}, expected a finite number", what, i, conic.h[i]));
    }
  }
  for (std::size_t k = 0; k < conic.cones.size(); ++k) {
    const Cone& cone = conic.cones[k];
    if (cone.kind == ConeKind::power && !(cone.alpha > 0.0 && cone.alpha < 1.0)) {
      throw InputError(fmt::format("{}: cone {} (pow): expected 0 < alpha < 1, got {}", what, k, cone.alpha));
    }
  }
}

}  // namespace pliant
