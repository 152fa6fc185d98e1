// Prices on cones: their eigenvalues as soft rows.
#include "cones/cone_checks.hpp"
#include "cones/spectral.hpp"
#include "pliant/soft_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace pliant {
namespace {

void expect_one_shape(const ConicConstraint& conic) {
  if (conic.cones.empty()) throw InputError("positive_part: expected at least one cone");
  const Cone& first = conic.cones.front();
  if (first.kind != ConeKind::second_order && first.kind != ConeKind::semidefinite) {
    throw InputError(fmt::format("positive_part: cones: expected soc or psd, got {}", to_string(first.kind)));
  }
  if (!has_small_frame(first)) {
    throw InputError(
        fmt::format("positive_part: cones: {} cones of {} rows have no prices", to_string(first.kind), first.rows));
  }
  const bool one = std::all_of(conic.cones.begin(), conic.cones.end(),
                               [&](const Cone& c) { return c.kind == first.kind && c.rows == first.rows; });
  if (!one) throw InputError("positive_part: cones: expected one shape; those of other shapes are terms of their own");
}

}  // namespace

SoftRows positive_part(const ConicConstraint& conic, const Doubles& weights) {
  check_shape(conic, "positive_part");
  expect_one_shape(conic);
  const auto cones = static_cast<Index>(conic.cones.size());
  if (!weights.empty() && weights.size() != cones) {
    throw InputError(fmt::format("positive_part: weights: expected {} entries, got {}", cones, weights.size()));
  }
  const ConeShape shape = shape_of(conic.cones.front());
  auto rows = std::make_shared<SpectralBatch>(ConeBlock(conic.G, conic.h, 0, cones, shape));
  Vector prices(rows->size());
  for (Index i = 0; i < prices.size(); ++i) prices[i] = weights.empty() ? 1.0 : weights[i / shape.rank];
  return {std::move(rows), to_array(prices)};
}

}  // namespace pliant
