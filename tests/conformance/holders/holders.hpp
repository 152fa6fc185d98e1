// Holders under test, each over the same rows. A new holder adds one entry to `holders` (holders.cpp).
#pragma once

#include "rows/row_holder.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace pliant::testing {

constexpr double kSlack = 1e-6;

/// Keeps whatever the holder lives on.
class HeldRows {
 public:
  virtual ~HeldRows() = default;
  virtual StepwiseRows& rows() = 0;
  virtual ConstraintSystem& account() = 0;
};

struct HolderKind {
  std::string name;
  std::function<std::unique_ptr<HeldRows>(const Problem& problem)> hold;
};
inline std::string to_string(const HolderKind& kind) { return kind.name; }

const std::vector<HolderKind>& holders();

/// Rows of every family that has data, three chunks of sums and a bit.
Problem mixed_rows(std::uint64_t seed);
/// Cones as rows that come in groups, behind plain rows.
Problem grouped_rows(std::uint64_t seed);
/// Points that an ellipsoid must cover: rows that know other coordinates.
Problem points(std::uint64_t seed);

}  // namespace pliant::testing
