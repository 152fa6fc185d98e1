#include "io/cbf/cbf_file.hpp"
#include "io/file_error.hpp"
#include "io/text/fields.hpp"
#include "io/text/text_lines.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>
#include <string>

namespace pliant::io {
namespace {

constexpr Index kMostRows = Index{1} << 26;  // variables, rows, entries of all PSD matrices: more fit no 32-bit index
constexpr Index kLargestOrder = Index{1} << 13;
// A file that announces sizes far beyond what it mentions is damaged; memory follows sizes.
constexpr Index kUnmentioned = Index{1} << 20, kPerMention = 64;

struct ConeName {
  std::string_view name;
  CbfKind kind;
  Index rows;  // 0: any
};
constexpr std::array kConeNames{
    ConeName{"F", CbfKind::free, 0},          ConeName{"L=", CbfKind::zero, 0},
    ConeName{"L+", CbfKind::nonnegative, 0},  ConeName{"L-", CbfKind::nonpositive, 0},
    ConeName{"Q", CbfKind::quadratic, 0},     ConeName{"QR", CbfKind::rotated, 0},
    ConeName{"EXP", CbfKind::exponential, 3}, ConeName{"EXP*", CbfKind::dual_exponential, 3},
    ConeName{"POW", CbfKind::power, 3},       ConeName{"POW*", CbfKind::dual_power, 3},
};

class CbfParser {
 public:
  explicit CbfParser(const std::filesystem::path& file) : lines_(file) {}
  CbfFile parse();

 private:
  bool next(std::string_view& line);
  /// The next line's fields, exactly `count` of them; `what` says which.
  Tokens fields(int count, std::string_view what);
  Index count(std::string_view text, std::string_view what, Index limit) const;
  Index index(std::string_view text, std::string_view what, Index size) const;
  double number(std::string_view text) const;
  double exponent(const std::vector<std::vector<double>>& list, std::string_view text) const;

  void section(std::string_view keyword);
  void version();
  void sense();
  Index cones(std::string_view what, std::vector<CbfCone>& out);
  CbfCone cone(std::string_view name, Index rows) const;
  void orders(std::string_view what, std::vector<Index>& out);
  void power_parameters(std::vector<std::vector<double>>& out);
  void vector_entries(std::string_view what, Index size, bool columns, std::vector<CbfEntry>& out);
  void matrix_entries();
  void psd_entries(std::string_view outer, Index rows, const std::vector<Index>& sizes, bool block_first,
                   std::vector<CbfMatrixEntry>& out);
  void expect_plausible() const;

  TextLines lines_;
  CbfFile out_;
  std::set<std::string, std::less<>> seen_;
  std::vector<std::vector<double>> powers_, dual_powers_;
};

// Comments begin with #; blank lines separate.
bool CbfParser::next(std::string_view& line) {
  while (lines_.next(line)) {
    line = trim(line);
    if (!line.empty() && line[0] != '#') return true;
  }
  return false;
}

Tokens CbfParser::fields(int count, std::string_view what) {
  std::string_view line;
  if (!next(line)) lines_.fail(fmt::format("the file ends here, expected {}", what));
  const Tokens out = split(line);
  if (out.count != count) lines_.fail(fmt::format("{} fields, expected {}", out.count, what));
  return out;
}

Index CbfParser::count(std::string_view text, std::string_view what, Index limit) const {
  Index value = -1;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < 0 || value > limit) {
    lines_.fail(fmt::format("\"{}\": expected {}, a whole number from 0 to {}", printable(text), what, limit));
  }
  return value;
}

Index CbfParser::index(std::string_view text, std::string_view what, Index size) const {
  if (size == 0) lines_.fail(fmt::format("\"{}\": expected no {}, the file has announced none", printable(text), what));
  return count(text, fmt::format("a {}", what), size - 1);
}

double CbfParser::number(std::string_view text) const {
  const auto value = parse_number(text);
  if (!value || !std::isfinite(*value)) lines_.fail(fmt::format("\"{}\": expected a finite number", printable(text)));
  return *value;
}

CbfFile CbfParser::parse() {
  std::string_view line;
  while (next(line)) {
    const Tokens t = split(line);
    const std::string keyword(t.token[0]);
    if (seen_.empty() && keyword != "VER") lines_.fail("expected the keyword VER at the beginning of a CBF file");
    if (t.count > 1) lines_.fail(fmt::format("\"{}\": expected a keyword alone", printable(line)));
    if (!seen_.insert(keyword).second) lines_.fail(fmt::format("{} appears for the second time", printable(keyword)));
    section(keyword);
  }
  if (seen_.empty()) lines_.fail("the file is empty, expected the keyword VER");
  if (!seen_.contains("OBJSENSE")) lines_.fail("the file ends here, expected the keyword OBJSENSE somewhere");
  expect_plausible();
  return std::move(out_);
}

void CbfParser::section(std::string_view keyword) {
  const Index psd = static_cast<Index>(out_.psd_variables.size());
  if (keyword == "VER") return version();
  if (keyword == "OBJSENSE") return sense();
  if (keyword == "POWCONES") return power_parameters(powers_);
  if (keyword == "POW*CONES") return power_parameters(dual_powers_);
  if (keyword == "VAR") {
    out_.n = cones("variables", out_.variables);
  } else if (keyword == "CON") {
    out_.m = cones("constraint rows", out_.constraints);
  } else if (keyword == "PSDVAR") {
    orders("PSD variables", out_.psd_variables);
  } else if (keyword == "PSDCON") {
    orders("PSD constraints", out_.psd_constraints);
  } else if (keyword == "OBJACOORD") {
    vector_entries("variable", out_.n, true, out_.objective);
  } else if (keyword == "OBJBCOORD") {
    out_.constant = number(fields(1, "the constant of the objective").token[0]);
  } else if (keyword == "ACOORD") {
    matrix_entries();
  } else if (keyword == "BCOORD") {
    vector_entries("constraint row", out_.m, false, out_.b);
  } else if (keyword == "OBJFCOORD") {
    psd_entries("", 0, out_.psd_variables, true, out_.objective_psd);
  } else if (keyword == "FCOORD") {
    if (psd == 0) lines_.fail("expected the keyword PSDVAR before");
    psd_entries("constraint row", out_.m, out_.psd_variables, false, out_.F);
  } else if (keyword == "HCOORD") {
    psd_entries("variable", out_.n, out_.psd_constraints, true, out_.H);
  } else if (keyword == "DCOORD") {
    psd_entries("", 0, out_.psd_constraints, true, out_.D);
  } else if (keyword == "INT") {
    lines_.fail("INT: integer variables are not supported");
  } else if (keyword == "CHANGE") {
    lines_.fail("CHANGE: several problems in one file are not supported");
  } else {
    lines_.fail(fmt::format("unknown keyword \"{}\", expected one of CBF versions 1 to 3", printable(keyword)));
  }
}

void CbfParser::version() {
  const Tokens t = fields(1, "the version");
  const Index version = count(t.token[0], "the version", 1000);
  if (version < 1 || version > 3) lines_.fail(fmt::format("version {}, expected 1, 2 or 3", version));
}

void CbfParser::sense() {
  const Tokens t = fields(1, "MIN or MAX");
  if (t.token[0] != "MIN" && t.token[0] != "MAX") {
    lines_.fail(fmt::format("\"{}\": expected MIN or MAX", printable(t.token[0])));
  }
  out_.maximize = t.token[0] == "MAX";
}

Index CbfParser::cones(std::string_view what, std::vector<CbfCone>& out) {
  const Tokens t = fields(2, fmt::format("the number of {} and that of their cones", what));
  const Index total = count(t.token[0], fmt::format("a number of {}", what), kMostRows);
  const Index lists = count(t.token[1], "a number of cones", kMostRows);
  Index sum = 0;
  for (Index k = 0; k < lists; ++k) {
    const Tokens c = fields(2, "a cone and its rows");
    const Index rows = count(c.token[1], "the rows of a cone", total - sum);
    out.push_back(cone(c.token[0], rows));
    sum += rows;
  }
  if (sum != total) lines_.fail(fmt::format("the cones cover {} {}, expected {}", sum, what, total));
  return total;
}

CbfCone CbfParser::cone(std::string_view name, Index rows) const {
  std::string_view parameter;
  if (name.starts_with('@')) {
    const std::size_t colon = name.find(':');
    if (colon == std::string_view::npos) lines_.fail(fmt::format("\"{}\": expected @k:POW", printable(name)));
    parameter = name.substr(1, colon - 1);
    name.remove_prefix(colon + 1);
  }
  const auto found =
      std::find_if(kConeNames.begin(), kConeNames.end(), [&](const ConeName& c) { return c.name == name; });
  if (found == kConeNames.end()) {
    lines_.fail(fmt::format("unknown cone \"{}\", expected F, L=, L+, L-, Q, QR, EXP, EXP*, @k:POW or @k:POW*",
                            printable(name)));
  }
  const bool power = found->kind == CbfKind::power || found->kind == CbfKind::dual_power;
  if (power == parameter.empty())
    lines_.fail(fmt::format("cone {}: expected parameters (@k:) of power cones only", name));
  const Index least = found->kind == CbfKind::quadratic ? 1 : found->kind == CbfKind::rotated ? 2 : 0;
  if (found->rows != 0 && rows != found->rows) {
    lines_.fail(fmt::format("cone {} with {} rows, expected {}", name, rows, found->rows));
  }
  if (rows < least) lines_.fail(fmt::format("cone {} with {} rows, expected at least {}", name, rows, least));
  CbfCone out{found->kind, rows, 0.5};
  if (power) out.alpha = exponent(found->kind == CbfKind::power ? powers_ : dual_powers_, parameter);
  return out;
}

// Weights alpha_0 : alpha_1 stand for the exponents alpha_0/(alpha_0 + alpha_1) and the rest.
double CbfParser::exponent(const std::vector<std::vector<double>>& list, std::string_view text) const {
  const std::vector<double>& w =
      list[static_cast<std::size_t>(index(text, "parameter list", static_cast<Index>(list.size())))];
  if (w.size() != 2) lines_.fail(fmt::format("a power cone with {} exponents, expected 2", w.size()));
  const double alpha = w[0] / (w[0] + w[1]);
  if (!(alpha > 0.0 && alpha < 1.0)) lines_.fail("a power cone whose exponents round to 0 and 1, expected others");
  return alpha;
}

void CbfParser::orders(std::string_view what, std::vector<Index>& out) {
  const Index blocks = count(fields(1, fmt::format("the number of {}", what)).token[0], "a number", kMostRows);
  Index total = 0;
  for (Index k = 0; k < blocks; ++k) {
    const Index order = count(fields(1, "the order of a matrix").token[0], "the order of a matrix", kLargestOrder);
    if (order == 0) lines_.fail("a matrix of order 0, expected at least 1");
    total += svec_size(order);
    if (total > kMostRows) lines_.fail(fmt::format("more than {} entries in matrices", kMostRows));
    out.push_back(order);
  }
}

void CbfParser::power_parameters(std::vector<std::vector<double>>& out) {
  const Tokens t = fields(2, "the number of parameter lists and that of all parameters");
  const Index lists = count(t.token[0], "a number of lists", kMostRows);
  Index left = count(t.token[1], "a number of parameters", kMostRows);
  for (Index k = 0; k < lists; ++k) {
    const Index length = count(fields(1, "the length of a list").token[0], "the length of a list", left);
    left -= length;
    std::vector<double> weights;
    for (Index i = 0; i < length; ++i) {
      weights.push_back(number(fields(1, "a parameter").token[0]));
      if (!(weights.back() > 0.0)) lines_.fail("expected a parameter > 0");
    }
    out.push_back(std::move(weights));
  }
  if (left != 0) lines_.fail(fmt::format("{} parameters are missing in the lists", left));
}

void CbfParser::vector_entries(std::string_view what, Index size, bool columns, std::vector<CbfEntry>& out) {
  const Index entries = count(fields(1, "the number of entries").token[0], "a number of entries", kMostRows);
  for (Index k = 0; k < entries; ++k) {
    const Tokens t = fields(2, fmt::format("a {} and a number", what));
    const Index at = index(t.token[0], what, size);
    out.push_back({columns ? 0 : at, columns ? at : 0, number(t.token[1])});
  }
}

void CbfParser::matrix_entries() {
  const Index entries = count(fields(1, "the number of entries").token[0], "a number of entries", 8 * kMostRows);
  for (Index k = 0; k < entries; ++k) {
    const Tokens t = fields(3, "a constraint row, a variable and a number");
    const Index row = index(t.token[0], "constraint row", out_.m);
    out_.A.push_back({row, index(t.token[1], "variable", out_.n), number(t.token[2])});
  }
}

// Lines [row] block i j value, or block row i j value (HCOORD).
void CbfParser::psd_entries(std::string_view outer, Index rows, const std::vector<Index>& sizes, bool block_first,
                            std::vector<CbfMatrixEntry>& out) {
  const Index entries = count(fields(1, "the number of entries").token[0], "a number of entries", 8 * kMostRows);
  const std::string what = outer.empty() ? "a matrix, row, column and a number"
                           : block_first ? fmt::format("a matrix, a {}, row, column and a number", outer)
                                         : fmt::format("a {}, a matrix, row, column and a number", outer);
  for (Index k = 0; k < entries; ++k) {
    const Tokens t = fields(outer.empty() ? 4 : 5, what);
    std::size_t at = 0;
    CbfMatrixEntry e;
    if (!outer.empty() && !block_first) e.row = index(t.token[at++], outer, rows);
    e.block = index(t.token[at++], "matrix", static_cast<Index>(sizes.size()));
    if (!outer.empty() && block_first) e.row = index(t.token[at++], outer, rows);
    const Index order = sizes[static_cast<std::size_t>(e.block)];
    e.i = index(t.token[at++], "row of the matrix", order);
    e.j = index(t.token[at++], "column of the matrix", order);
    if (e.i < e.j) std::swap(e.i, e.j);
    e.value = number(t.token[at]);
    out.push_back(e);
  }
}

void CbfParser::expect_plausible() const {
  const auto size = [](const auto& v) { return static_cast<Index>(v.size()); };
  const Index mentioned = size(out_.A) + size(out_.b) + size(out_.objective) + size(out_.F) + size(out_.H) +
                          size(out_.variables) + size(out_.constraints);
  if (std::max(out_.n, out_.m) > kUnmentioned + kPerMention * mentioned) {
    lines_.fail(fmt::format("{} variables and {} rows announced, expected more than {} entries of them", out_.n, out_.m,
                            mentioned));
  }
}

}  // namespace

CbfFile read_cbf(const std::filesystem::path& file) { return CbfParser(file).parse(); }

}  // namespace pliant::io
