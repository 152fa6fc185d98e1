#include "io/mps/parser.hpp"

#include "io/file_error.hpp"
#include "io/text/text_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

namespace pliant::io {
namespace {

std::string upper_case(std::string_view word) {
  std::string out(word);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::toupper(c); });
  return out;
}

}  // namespace

MpsFile MpsParser::parse() {
  std::string_view line;
  while (section_ != Section::endata) {
    if (!lines_.next(line)) lines_.fail("the file ends here, expected ENDATA");
    if (line.starts_with('*') || trim(line).empty()) continue;
    if (line[0] == ' ' || line[0] == '\t') {
      data(line);
    } else {
      header(line);
    }
  }
  finish();
  return std::move(out_);
}

void MpsParser::header(std::string_view line) {
  static constexpr std::array<std::pair<std::string_view, Section>, 13> kSections{{
      {"NAME", Section::name},
      {"OBJSENSE", Section::objsense},
      {"OBJNAME", Section::objname},
      {"ROWS", Section::rows},
      {"COLUMNS", Section::columns},
      {"RHS", Section::rhs},
      {"RANGES", Section::ranges},
      {"BOUNDS", Section::bounds},
      {"QUADOBJ", Section::quadobj},
      {"QMATRIX", Section::qmatrix},
      {"QSECTION", Section::qsection},
      {"QCMATRIX", Section::qcmatrix},
      {"ENDATA", Section::endata},
  }};
  const Tokens t = split(line);
  const std::string word = upper_case(t.token[0]);
  const auto found = std::find_if(kSections.begin(), kSections.end(), [&](const auto& s) { return s.first == word; });
  if (found == kSections.end()) {
    if (section_ == Section::objsense || word.starts_with("MAX") || word.starts_with("MIN")) return set_sense(word);
    refuse_section(word);
  }
  const Section section = found->second;
  const bool takes_word = section == Section::objsense || section == Section::objname || section == Section::qsection ||
                          section == Section::qcmatrix;
  // Names may have blanks in the fixed layout.
  const bool one_word = layout_ == MpsLayout::free || section == Section::objsense;
  if (section != Section::name && t.count > 1 && (!takes_word || (one_word && t.count > 2))) {
    lines_.fail(fmt::format("\"{}\" begins in the first column, where sections begin; expected {} alone",
                            printable(line), word));
  }
  enter(section);
  const std::string_view argument = trim(line.substr(word.size()));
  if (section == Section::name) {
    out_.name = t.count == 3 && upper_case(t.token[2]) == "FREE" ? t.token[1] : argument;  // a mark of the free layout
    if (!is_plain_utf8(out_.name)) lines_.fail("the name is not UTF-8 text");
  } else if (section == Section::objsense && !argument.empty()) {
    set_sense(argument);
  } else if (section == Section::objname && !argument.empty()) {
    wanted_objective_ = argument;
  } else if (section == Section::qsection) {
    // Without a name, or with that of the objective, it is QUADOBJ by another name.
    const bool of_row = !argument.empty() && find_row(argument) != kObjective;
    if (of_row) begin_quadratic_row(argument, 1.0);
    if (!of_row) enter(Section::quadobj);
  } else if (section == Section::qcmatrix) {
    if (argument.empty()) lines_.fail("expected QCMATRIX and the name of a row");
    begin_quadratic_row(argument, 2.0);
  }
}

// Sections come once, ROWS before COLUMNS before the others; quadratic rows come once per row.
void MpsParser::enter(Section section) {
  const bool per_row = section == Section::qsection || section == Section::qcmatrix;
  const auto at = [](Section s) { return static_cast<std::size_t>(s); };
  if (seen_[at(section)] && !per_row) lines_.fail("the section appears for the second time");
  if ((section == Section::quadobj && seen_[at(Section::qmatrix)]) ||
      (section == Section::qmatrix && seen_[at(Section::quadobj)])) {
    lines_.fail("the objective has quadratic terms already, expected one of QUADOBJ, QMATRIX and QSECTION");
  }
  if (section == Section::objname && seen_[at(Section::rows)]) lines_.fail("expected OBJNAME before ROWS");
  if (section == Section::columns && !seen_[at(Section::rows)]) lines_.fail("expected the section ROWS before COLUMNS");
  if (section > Section::columns && !seen_[at(Section::columns)]) {
    lines_.fail("expected the sections ROWS and COLUMNS before this one");
  }
  if (section == Section::columns && !wanted_objective_.empty() && !has_objective_) {
    lines_.fail(fmt::format("OBJNAME is {}, expected a row of type N with this name", printable(wanted_objective_)));
  }
  seen_[at(section)] = true;
  section_ = section;
  vector_.clear();
  other_vector_noted_ = false;
  target_ = &out_.quadratic;
  factor_ = 1.0;
}

void MpsParser::set_sense(std::string_view word) {
  const std::string sense = upper_case(word);
  if (sense != "MAX" && sense != "MAXIMIZE" && sense != "MAXIMISE" && sense != "MIN" && sense != "MINIMIZE" &&
      sense != "MINIMISE") {
    lines_.fail(fmt::format("\"{}\": expected MAX or MIN", printable(word)));
  }
  out_.maximize = sense.starts_with("MAX");
}

void MpsParser::begin_quadratic_row(std::string_view row, double factor) {
  const Index i = find_row(row);
  if (i == kObjective) lines_.fail("QCMATRIX belongs to constraints, expected QUADOBJ or QMATRIX for the objective");
  if (i == kIgnored) lines_.fail(fmt::format("{}: rows of type N have no quadratic terms here", printable(row)));
  if (out_.quadratic_rows.contains(i)) {
    lines_.fail(fmt::format("quadratic terms of row {} appear for the second time", printable(row)));
  }
  target_ = &out_.quadratic_rows[i];
  row_triangle_[i] = section_ == Section::qcmatrix ? Triangle::both : Triangle::one;
  factor_ = factor;
}

void MpsParser::refuse_section(std::string_view word) const {
  for (const auto& [name, what] : {std::pair<std::string_view, std::string_view>{"SOS", "special ordered sets"},
                                   {"SOS1", "special ordered sets"},
                                   {"SOS2", "special ordered sets"},
                                   {"SETS", "special ordered sets"},
                                   {"INDICATORS", "indicator constraints"},
                                   {"GENCONS", "general constraints"},
                                   {"CSECTION", "cones"},
                                   {"PWLOBJ", "piecewise linear objectives"},
                                   {"LAZYCONS", "lazy constraints"},
                                   {"USERCUTS", "cuts"}}) {
    if (word == name) lines_.fail(fmt::format("section {}: {} are not supported", word, what));
  }
  lines_.fail(
      fmt::format("unknown section \"{}\", expected one of NAME, OBJSENSE, OBJNAME, ROWS, COLUMNS, RHS, RANGES, "
                  "BOUNDS, QUADOBJ, QMATRIX, QSECTION, QCMATRIX and ENDATA",
                  printable(word)));
}

void MpsParser::check_name(std::string_view what, std::string_view name) const {
  if (name.empty()) lines_.fail(fmt::format("expected the name of a {}", what));
  if (name.size() > kLongestName) lines_.fail(fmt::format("a name longer than {} characters", kLongestName));
  if (!is_plain_utf8(name)) lines_.fail(fmt::format("the name \"{}\" is not UTF-8 text", printable(name)));
}

double MpsParser::number(const DataLine::Pair& pair) const {
  const std::optional<double> value = parse_number(pair.number);
  if (!value) {
    lines_.fail(fmt::format("\"{}\" after {}: expected a number", printable(pair.number), printable(pair.name)));
  }
  return *value;
}

double MpsParser::finite(const DataLine::Pair& pair) const {
  const double value = number(pair);
  if (!std::isfinite(value)) lines_.fail(fmt::format("{} after {}: expected a finite number", value, pair.name));
  return value;
}

double MpsParser::side(const DataLine::Pair& pair) const {
  const double value = number(pair);
  return std::abs(value) >= kMpsInfinity ? std::copysign(kInfinity, value) : value;
}

Index MpsParser::find_row(std::string_view name) const {
  const std::optional<Index> found = row_table_.find(name);
  if (!found) lines_.fail(fmt::format("unknown row \"{}\", expected one of the section ROWS", printable(name)));
  return *found;
}

Index MpsParser::find_column(std::string_view name) const {
  const std::optional<Index> found = column_table_.find(name);
  if (!found) lines_.fail(fmt::format("unknown column \"{}\", expected one of the section COLUMNS", printable(name)));
  return *found;
}

bool MpsParser::first_vector(std::string_view name) {
  if (name.empty() || name == vector_) return true;
  if (vector_.empty()) {
    vector_ = name;
    return true;
  }
  if (!other_vector_noted_) {
    out_.notes.push_back(fmt::format("line {}: vector {} is ignored, the first one of the section, {}, is used",
                                     lines_.number(), printable(name), printable(vector_)));
  }
  other_vector_noted_ = true;
  return false;
}

MpsFile parse_mps(const std::filesystem::path& file, MpsLayout layout) { return MpsParser(file, layout).parse(); }

MpsFile read_mps(const std::filesystem::path& file) {
  try {
    return parse_mps(file, MpsLayout::free);
  } catch (const TextError& as_free) {
    try {
      return parse_mps(file, MpsLayout::fixed);
    } catch (const TextError& as_fixed) {
      if (as_fixed.line() > as_free.line()) throw;
    }
    throw;
  }
}

}  // namespace pliant::io
