// Data lines, section by section.
#include "io/file_error.hpp"
#include "io/mps/parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant::io {

void MpsParser::data(std::string_view line) {
  if (section_ == Section::objsense || section_ == Section::objname) {
    if (section_ == Section::objsense) return set_sense(trim(line));
    wanted_objective_ = trim(line);
    return;
  }
  if (section_ == Section::none || section_ == Section::name) lines_.fail("expected a section such as ROWS");
  DataLine fields;
  if (layout_ == MpsLayout::free) {
    fields = free_fields(line);
  } else if (const auto fixed = split_fixed(line)) {
    fields = *fixed;
  } else {
    lines_.fail("something stands between the fields, expected them in columns 2, 5, 15, 25, 40 and 50");
  }
  switch (section_) {
    case Section::rows:
      return row(fields);
    case Section::columns:
      return column(fields);
    case Section::rhs:
      return right_hand_side(fields);
    case Section::ranges:
      return range(fields);
    case Section::bounds:
      return bound(fields);
    default:
      return quadratic(fields);
  }
}

DataLine MpsParser::free_fields(std::string_view line) const {
  const Tokens t = split(line);
  if (section_ == Section::bounds) return free_bound(t);
  DataLine out;
  if (section_ == Section::rows) {
    if (t.count != 2) lines_.fail(fmt::format("{} fields, expected a row's type and its name", t.count));
    out.code = t.token[0];
    out.head = t.token[1];
    return out;
  }
  const bool vector = section_ == Section::rhs || section_ == Section::ranges;
  if (t.count > 5 || t.count < (vector ? 2 : 3) || (!vector && t.count % 2 == 0)) {
    lines_.fail(fmt::format("{} fields, expected {} and one or two pairs of a name and a number", t.count,
                            vector ? "an optional vector name" : "a column"));
  }
  const int first = t.count % 2;  // the name of a vector may be missing
  if (first == 1) out.head = t.token[0];
  out.pairs = t.count / 2;
  for (int k = 0; k < out.pairs; ++k) {
    const auto at = static_cast<std::size_t>(first + 2 * k);
    out.pair[static_cast<std::size_t>(k)] = {t.token[at], t.token[at + 1]};
  }
  return out;
}

// TYPE [VECTOR] COLUMN [NUMBER]: the vector may be missing, and FR, MI and PL need no number but may have one.
DataLine MpsParser::free_bound(const Tokens& t) const {
  DataLine out;
  out.code = t.token[0];
  out.pairs = 1;
  if (t.count < 2 || t.count > 4) {
    lines_.fail(
        fmt::format("{} fields, expected a bound's type, an optional vector name, a column and a number", t.count));
  }
  const bool numberless = out.code == "FR" || out.code == "MI" || out.code == "PL" || out.code == "BV";
  const bool has_vector = t.count == 4 || (t.count == 3 && numberless && column_table_.find(t.token[2]));
  if (has_vector) out.head = t.token[1];
  const std::size_t at = has_vector ? 2 : 1;
  out.pair[0].name = t.token[at];
  if (static_cast<std::size_t>(t.count) > at + 1) out.pair[0].number = t.token[at + 1];
  return out;
}

void MpsParser::row(const DataLine& line) {
  check_name("row", line.head);
  Index place = static_cast<Index>(out_.rows.size());
  if (line.code == "N") {
    const bool wanted = wanted_objective_.empty() ? !has_objective_ : line.head == wanted_objective_;
    place = wanted ? kObjective : kIgnored;
    if (!wanted) ignored_rows_.emplace_back(line.head);
  } else if (line.code != "E" && line.code != "L" && line.code != "G") {
    lines_.fail(fmt::format("row type \"{}\", expected N, E, L or G", printable(line.code)));
  }
  if (!row_table_.add(line.head, place)) {
    lines_.fail(fmt::format("row {} appears for the second time", printable(line.head)));
  }
  if (place == kObjective) {
    has_objective_ = true;
    out_.objective = line.head;
  }
  if (place < 0) return;
  out_.rows.emplace_back(line.head);
  row_type_.push_back(line.code[0]);
  rhs_.push_back(0.0);
  range_.push_back(0.0);
  has_rhs_.push_back(false);
  has_range_.push_back(false);
  last_column_.push_back(-1);
}

void MpsParser::column(const DataLine& line) {
  if (line.pair[0].name == kMarker) {
    lines_.fail("integer variables (a MARKER line) are not supported, expected continuous ones");
  }
  check_name("column", line.head);
  if (out_.columns.empty() || out_.columns.back() != line.head) {
    if (!column_table_.add(line.head, static_cast<Index>(out_.columns.size()))) {
      lines_.fail(
          fmt::format("column {} continues after other columns, expected its entries together", printable(line.head)));
    }
    out_.columns.emplace_back(line.head);
    out_.cost.push_back(0.0);
    out_.lower.push_back(0.0);
    out_.upper.push_back(kInfinity);
    has_lower_.push_back(false);
  }
  if (line.pairs == 0) lines_.fail("expected a row and a number behind the column");
  for (int k = 0; k < line.pairs; ++k) {
    coefficient(static_cast<Index>(out_.columns.size()) - 1, line.pair[static_cast<std::size_t>(k)]);
  }
}

void MpsParser::coefficient(Index column, const DataLine::Pair& pair) {
  const Index i = find_row(pair.name);
  const double value = finite(pair);
  if (i == kIgnored) return;
  Index& last = i == kObjective ? last_cost_ : last_column_[static_cast<std::size_t>(i)];
  if (last == column) {
    lines_.fail(fmt::format("column {} has a second entry in row {}", column_name(column), printable(pair.name)));
  }
  last = column;
  if (i == kObjective) {
    out_.cost.back() = value;
  } else if (value != 0.0) {
    out_.entries.push_back({i, column, value});
  }
}

// The objective's right-hand side is minus its constant.
void MpsParser::right_hand_side(const DataLine& line) {
  if (!first_vector(line.head)) return;
  if (line.pairs == 0) lines_.fail("expected a row and a number");
  for (int k = 0; k < line.pairs; ++k) {
    const DataLine::Pair& pair = line.pair[static_cast<std::size_t>(k)];
    const Index i = find_row(pair.name);
    const double value = i == kObjective ? finite(pair) : side(pair);
    if (i == kIgnored) continue;
    const bool twice = i == kObjective ? has_constant_ : has_rhs_[static_cast<std::size_t>(i)];
    if (twice) lines_.fail(fmt::format("row {} has a second right-hand side", printable(pair.name)));
    if (i == kObjective) {
      has_constant_ = true;
      out_.constant = -value;
      continue;
    }
    const auto at = static_cast<std::size_t>(i);
    const char type = row_type_[at];
    if (std::isinf(value) && !(type == 'L' && value > 0.0) && !(type == 'G' && value < 0.0)) {
      lines_.fail(fmt::format("the right-hand side {} of row {} is infinite, expected a magnitude below {:g}",
                              pair.number, printable(pair.name), kMpsInfinity));
    }
    has_rhs_[at] = true;
    rhs_[at] = value;
  }
}

void MpsParser::range(const DataLine& line) {
  if (!first_vector(line.head)) return;
  if (line.pairs == 0) lines_.fail("expected a row and a number");
  for (int k = 0; k < line.pairs; ++k) {
    const DataLine::Pair& pair = line.pair[static_cast<std::size_t>(k)];
    const Index i = find_row(pair.name);
    const double value = side(pair);
    if (i < 0) continue;  // rows of type N have no sides
    const auto at = static_cast<std::size_t>(i);
    if (has_range_[at]) lines_.fail(fmt::format("row {} has a second range", printable(pair.name)));
    has_range_[at] = true;
    range_[at] = value;
  }
}

// A later line overrides an earlier one. An upper bound below 0 without a lower one frees the variable below.
void MpsParser::bound(const DataLine& line) {
  static constexpr std::array<std::string_view, 6> kTypes{"LO", "UP", "FX", "FR", "MI", "PL"};
  static constexpr std::array<std::string_view, 6> kDiscrete{"BV", "LI", "UI", "SC", "SI", "SN"};
  const std::string_view type = line.code;
  if (std::find(kDiscrete.begin(), kDiscrete.end(), type) != kDiscrete.end()) {
    lines_.fail(fmt::format("bounds of type {} make {} variables, which are not supported; expected continuous ones",
                            type, type[0] == 'S' ? "semicontinuous" : "integer"));
  }
  if (std::find(kTypes.begin(), kTypes.end(), type) == kTypes.end()) {
    lines_.fail(fmt::format("bound type \"{}\", expected LO, UP, FX, FR, MI or PL", printable(type)));
  }
  if (!first_vector(line.head)) return;
  const DataLine::Pair& pair = line.pair[0];
  const auto j = static_cast<std::size_t>(find_column(pair.name));
  const auto outside = [&](std::string_view expected) {
    lines_.fail(
        fmt::format("{} bound {} of column {}: expected {}", type, pair.number, printable(pair.name), expected));
  };
  if (type == "FR" || type == "MI") {
    out_.lower[j] = -kInfinity;
    has_lower_[j] = true;
  }
  if (type == "FR" || type == "PL") out_.upper[j] = kInfinity;
  if (type == "LO" || type == "FX") {
    out_.lower[j] = side(pair);
    has_lower_[j] = true;
    if (out_.lower[j] == kInfinity) outside("a number below 1e20");
  }
  if (type == "UP" || type == "FX") {
    out_.upper[j] = side(pair);
    if (out_.upper[j] == -kInfinity) outside("a number above -1e20");
  }
  if (type == "UP" && out_.upper[j] < 0.0 && !has_lower_[j]) {
    out_.lower[j] = -kInfinity;
    ++negative_upper_;
  }
}

void MpsParser::quadratic(const DataLine& line) {
  const Index i = find_column(line.head);
  if (line.pairs == 0) lines_.fail("expected a second column and a number");
  for (int k = 0; k < line.pairs; ++k) {
    const DataLine::Pair& pair = line.pair[static_cast<std::size_t>(k)];
    const double value = factor_ * finite(pair);
    if (!std::isfinite(value)) lines_.fail(fmt::format("{}: expected a smaller number", pair.number));
    target_->push_back({i, find_column(pair.name), value});
  }
}

}  // namespace pliant::io
