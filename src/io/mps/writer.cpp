#include "io/atomic_file.hpp"
#include "io/mps/data_line.hpp"
#include "io/mps/mps_file.hpp"
#include "io/text/text_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace pliant::io {
namespace {

// How a row is written: type, right-hand side, range (0: none).
struct Side {
  char type;
  double rhs, range;
};

// RANGES holds the width of a two-sided row, whose rounding may move the other side: of the ways to write it one that
// gives both sides back is taken, if there is one.
Side two_sided(double lower, double upper) {
  const double width = upper - lower;
  for (const double range : {width, std::nextafter(width, 0.0), std::nextafter(width, kInfinity)}) {
    if (upper - range == lower) return {'L', upper, range};
    if (lower + range == upper) return {'G', lower, range};
  }
  return {'L', upper, width};
}

Side side_of(double lower, double upper) {
  if (lower == upper) return {'E', lower, 0.0};
  if (std::isinf(lower)) return {'L', upper, 0.0};
  if (std::isinf(upper)) return {'G', lower, 0.0};
  return two_sided(lower, upper);
}

void expect_small(const std::filesystem::path& file, std::string_view what, std::string_view name, double value) {
  if (std::isfinite(value) && std::abs(value) >= kMpsInfinity) {
    throw InputError(fmt::format("{}: the {} {} of {} cannot be expressed in MPS, where {:g} and more is infinite",
                                 file.string(), what, value, name, kMpsInfinity));
  }
}

void write_rows(const MpsFile& mps, const std::vector<Side>& sides, TextSink& out) {
  out.line("ROWS");
  out.line(" N  {}", mps.objective);
  for (std::size_t i = 0; i < sides.size(); ++i) out.line(" {}  {}", sides[i].type, mps.rows[i]);
}

// Every column has a line, if only to say that it exists.
void write_columns(const MpsFile& mps, TextSink& out) {
  out.line("COLUMNS");
  auto entry = mps.entries.begin();
  for (std::size_t j = 0; j < mps.columns.size(); ++j) {
    const bool empty = entry == mps.entries.end() || entry->column != static_cast<Index>(j);
    if (mps.cost[j] != 0.0 || empty) out.line("    {}  {}  {}", mps.columns[j], mps.objective, mps.cost[j]);
    for (; entry != mps.entries.end() && entry->column == static_cast<Index>(j); ++entry) {
      out.line("    {}  {}  {}", mps.columns[j], mps.rows[static_cast<std::size_t>(entry->row)], entry->value);
    }
  }
}

void write_sides(const MpsFile& mps, const std::vector<Side>& sides, TextSink& out) {
  constexpr double kWrittenInfinity = 1e30;  // rows without sides
  out.line("RHS");
  if (mps.constant != 0.0) out.line("    RHS  {}  {}", mps.objective, -mps.constant);
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const double rhs = std::clamp(sides[i].rhs, -kWrittenInfinity, kWrittenInfinity);
    if (rhs != 0.0) out.line("    RHS  {}  {}", mps.rows[i], rhs);
  }
  if (std::none_of(sides.begin(), sides.end(), [](const Side& s) { return s.range != 0.0; })) return;
  out.line("RANGES");
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (sides[i].range != 0.0) out.line("    RNG  {}  {}", mps.rows[i], sides[i].range);
  }
}

void write_bounds(const MpsFile& mps, TextSink& out) {
  out.line("BOUNDS");
  for (std::size_t j = 0; j < mps.columns.size(); ++j) {
    const double lower = mps.lower[j], upper = mps.upper[j];
    const std::string& name = mps.columns[j];
    if (lower == upper) {
      out.line(" FX BND  {}  {}", name, lower);
    } else if (std::isinf(lower) && std::isinf(upper)) {
      out.line(" FR BND  {}", name);
    } else {
      if (std::isinf(lower))
        out.line(" MI BND  {}", name);
      else if (lower != 0.0)
        out.line(" LO BND  {}  {}", name, lower);
      if (std::isfinite(upper)) out.line(" UP BND  {}  {}", name, upper);
    }
  }
}

void write_quadratic(const MpsFile& mps, TextSink& out) {
  const auto name = [&](Index j) -> const std::string& { return mps.columns[static_cast<std::size_t>(j)]; };
  if (!mps.quadratic.empty()) out.line("QUADOBJ");
  for (const QuadraticEntry& e : mps.quadratic) {
    if (e.column >= e.row) out.line("    {}  {}  {}", name(e.row), name(e.column), e.value);
  }
  for (const auto& [i, entries] : mps.quadratic_rows) {
    out.line("QCMATRIX  {}", mps.rows[static_cast<std::size_t>(i)]);
    for (const QuadraticEntry& e : entries) out.line("    {}  {}  {}", name(e.row), name(e.column), 0.5 * e.value);
  }
}

}  // namespace

void write_mps(const MpsFile& mps, const std::filesystem::path& file) {
  std::vector<Side> sides;
  for (std::size_t i = 0; i < mps.rows.size(); ++i) {
    sides.push_back(side_of(mps.row_lower[i], mps.row_upper[i]));
    expect_small(file, "right-hand side", mps.rows[i], sides.back().rhs);
    expect_small(file, "range", mps.rows[i], sides.back().range);
  }
  for (std::size_t j = 0; j < mps.columns.size(); ++j) {
    expect_small(file, "bound", mps.columns[j], mps.lower[j]);
    expect_small(file, "bound", mps.columns[j], mps.upper[j]);
  }
  AtomicFile output(file);
  TextSink out(output.temporary(), file);
  out.line("NAME  {}", mps.name);
  if (mps.maximize) out.line("OBJSENSE\n    MAX");
  write_rows(mps, sides, out);
  write_columns(mps, out);
  write_sides(mps, sides, out);
  write_bounds(mps, out);
  write_quadratic(mps, out);
  out.line("ENDATA");
  out.close();
  output.commit();
}

}  // namespace pliant::io
