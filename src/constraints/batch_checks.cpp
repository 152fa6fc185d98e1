#include "pliant/batch_checks.hpp"

#include "parallel/parallel.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace pliant {
namespace {

constexpr Index kMaxChunks = 64;

}  // namespace

void expect_entries(std::string_view function, std::string_view field, Index expected, Index got) {
  if (expected == got) return;
  throw InputError(fmt::format("{}: {}: expected {} entries, got {}", function, field, expected, got));
}

void expect_at_least(std::string_view function, std::string_view field, Index least, Index value) {
  if (value >= least) return;
  throw InputError(fmt::format("{}: {}: expected at least {}, got {}", function, field, least, value));
}

std::string batch_label(std::string_view function, std::string_view name) {
  return name.empty() ? std::string(function) : fmt::format("{} '{}'", function, name);
}

std::string constraint_label(std::string_view label, std::string_view field, Index row) {
  return fmt::format("{}: {} of constraint {} (counting from 0)", label, field, row);
}

Index first_row(Index rows, Index bytes, FunctionRef<Index(Index begin, Index end)> scan) {
  const parallel::Chunks chunks = parallel::make_chunks(rows, bytes, kMaxChunks);
  std::vector<Index> found(static_cast<std::size_t>(chunks.count), -1);
  parallel::for_chunks(
      chunks, [&](Index chunk, Index begin, Index end) { found[static_cast<std::size_t>(chunk)] = scan(begin, end); });
  for (const Index row : found) {
    if (row >= 0) return row;
  }
  return -1;
}

void expect_finite_rows(std::string_view label, std::string_view field, const Doubles& values, Index rows,
                        Index per_row) {
  const auto row_values = [&](Index i) { return Eigen::Map<const Vector>(values.data() + i * per_row, per_row); };
  const Index bad = first_row(rows, values.size() * Index{sizeof(double)}, [&](Index begin, Index end) -> Index {
    for (Index i = begin; i < end; ++i) {
      if (!row_values(i).allFinite()) return i;
    }
    return -1;
  });
  if (bad < 0) return;
  for (const double value : row_values(bad)) {
    if (std::isfinite(value)) continue;
    throw InputError(
        fmt::format("{} contains {}, expected finite numbers", constraint_label(label, field, bad), value));
  }
}

double largest_magnitude(const Doubles& values) {
  return values.empty() ? 0.0 : Eigen::Map<const Vector>(values.data(), values.size()).cwiseAbs().maxCoeff();
}

}  // namespace pliant
