#include "io/atomic_file.hpp"
#include "io/lp/lexer.hpp"
#include "io/lp/lp_problem.hpp"
#include "io/mps/data_line.hpp"
#include "io/mps/mps_problem.hpp"
#include "io/text/at.hpp"
#include "io/text/text_sink.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::io {
namespace {

// Terms go on lines of their own: expressions may be long, and lines are for people.
class LpTerms {
 public:
  LpTerms(const MpsFile& lp, TextSink& out) : lp_(lp), out_(out) {}

  void linear(double value, Index j) { out_.line("  {:+} {}", value, name(j)); }
  // Q of 1/2 x'Qx as products; `halved`: inside [ ] / 2.
  void quadratic(const std::vector<QuadraticEntry>& entries, bool halved) {
    if (entries.empty()) return;
    out_.line("  + [");
    for (const QuadraticEntry& e : entries) {
      if (e.row == e.column) out_.line("  {:+} {} ^ 2", halved ? e.value : 0.5 * e.value, name(e.row));
      if (e.row > e.column) out_.line("  {:+} {} * {}", halved ? 2.0 * e.value : e.value, name(e.row), name(e.column));
    }
    out_.line("  ]{}", halved ? " / 2" : "");
  }

 private:
  const std::string& name(Index j) const { return lp_.columns[at(j)]; }

  const MpsFile& lp_;
  TextSink& out_;
};

std::string lp_number(double value) {
  return std::isinf(value) ? (value > 0.0 ? "+inf" : "-inf") : fmt::format("{}", value);
}

// Entries come column after column; rows are written one after the other.
std::vector<MpsFile::Entry> by_row(const MpsFile& lp) {
  std::vector<MpsFile::Entry> out = lp.entries;
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.row < b.row; });
  return out;
}

void write_lp_rows(const MpsFile& lp, TextSink& out) {
  LpTerms terms(lp, out);
  const std::vector<MpsFile::Entry> entries = by_row(lp);
  auto entry = entries.begin();
  for (std::size_t i = 0; i < lp.rows.size(); ++i) {
    const double lower = lp.row_lower[i], upper = lp.row_upper[i];
    const auto row = static_cast<Index>(i);
    const bool two_sided = std::isfinite(lower) && std::isfinite(upper) && lower != upper;
    out.line(" {}:{}", lp.rows[i], two_sided ? fmt::format(" {} <=", lp_number(lower)) : "");
    const auto quadratic = lp.quadratic_rows.find(row);
    const bool curved = quadratic != lp.quadratic_rows.end();
    if (!curved && (entry == entries.end() || entry->row != row)) terms.linear(0.0, 0);  // a row of zeros
    for (; entry != entries.end() && entry->row == row; ++entry) terms.linear(entry->value, entry->column);
    if (curved) terms.quadratic(quadratic->second, false);
    if (lower == upper) {
      out.line("  = {}", lp_number(upper));
    } else if (std::isfinite(upper) || std::isinf(lower)) {
      out.line("  <= {}", lp_number(upper));
    } else {
      out.line("  >= {}", lp_number(lower));
    }
  }
}

void write_lp_bounds(const MpsFile& lp, TextSink& out) {
  out.line("bounds");
  for (std::size_t j = 0; j < lp.columns.size(); ++j) {
    const double lower = lp.lower[j], upper = lp.upper[j];
    if (std::isinf(lower) && std::isinf(upper)) {
      out.line(" {} free", lp.columns[j]);
    } else if (lower == upper) {
      out.line(" {} = {}", lp.columns[j], lower);
    } else {
      out.line(" {} <= {} <= {}", lp_number(lower), lp.columns[j], lp_number(upper));
    }
  }
}

void refuse_large(const std::filesystem::path& file, const std::string& name, double value) {
  if (!std::isfinite(value) || std::abs(value) < kMpsInfinity) return;
  throw InputError(
      fmt::format("{}: the side or bound {} of {} cannot be expressed in LP, where {:g} and more is infinite",
                  file.string(), value, name, kMpsInfinity));
}

// Names that would be read as something else are replaced, all of a kind at once.
void make_readable(std::vector<std::string>& names, char letter) {
  if (std::all_of(names.begin(), names.end(), is_lp_name)) return;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = fmt::format("{}{}", letter, i + 1);
}

}  // namespace

void write_lp(const MpsFile& lp, const std::filesystem::path& file) {
  for (std::size_t i = 0; i < lp.rows.size(); ++i) {
    refuse_large(file, lp.rows[i], lp.row_lower[i]);
    refuse_large(file, lp.rows[i], lp.row_upper[i]);
  }
  for (std::size_t j = 0; j < lp.columns.size(); ++j) {
    refuse_large(file, lp.columns[j], lp.lower[j]);
    refuse_large(file, lp.columns[j], lp.upper[j]);
  }
  AtomicFile target(file);
  TextSink out(target.temporary(), file);
  out.line("{}", lp.maximize ? "maximize" : "minimize");
  out.line(" {}:", lp.objective);
  LpTerms terms(lp, out);
  // Every variable is mentioned, in its order, if only to say that it exists.
  for (std::size_t j = 0; j < lp.columns.size(); ++j) terms.linear(lp.cost[j], static_cast<Index>(j));
  terms.quadratic(lp.quadratic, true);
  if (lp.constant != 0.0) out.line("  {:+}", lp.constant);
  out.line("subject to");
  write_lp_rows(lp, out);
  write_lp_bounds(lp, out);
  out.line("end");
  out.close();
  target.commit();
}

void write_lp_problem(const Problem& problem, const std::filesystem::path& file) {
  MpsFile lp = from_problem(problem, file.string(), "LP");
  make_readable(lp.columns, 'C');
  make_readable(lp.rows, 'R');
  if (!is_lp_name(lp.objective)) lp.objective = "obj";
  write_lp(lp, file);
}

}  // namespace pliant::io
