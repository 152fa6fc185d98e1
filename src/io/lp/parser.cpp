#include "io/lp/parser.hpp"

#include "io/file_error.hpp"
#include "io/lp/words.hpp"
#include "io/mps/data_line.hpp"
#include "io/text/at.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant::io {
namespace {

using Kind = LpToken::Kind;

bool one_of(const LpToken& token, const auto& words) {
  return std::any_of(words.begin(), words.end(), [&](std::string_view w) { return token.is_word(w); });
}

bool is_infinity(const LpToken& token) { return one_of(token, kInfinityWords); }

double as_side(double value) { return std::abs(value) >= kMpsInfinity ? std::copysign(kInfinity, value) : value; }

std::string mirrored(const std::string& sign) { return sign == "<=" ? ">=" : sign == ">=" ? "<=" : "="; }

}  // namespace

MpsFile LpParser::parse() {
  sense();
  objective();
  Section section = Section::rows;
  if (heading() != Section::rows) lexer_.fail(fmt::format("expected 'subject to', got {}", lexer_.shown()));
  while (section != Section::end) {
    if (const std::optional<Section> next = heading()) {
      section = *next;
      if (section == Section::objective) lexer_.fail("a second objective, expected one");
      continue;
    }
    if (lexer_.peek().kind == Kind::end_of_file) lexer_.fail("expected 'end': the file is truncated");
    if (section == Section::rows) row();
    if (section == Section::bounds) bound();
    if (section == Section::refused) refused_section();
  }
  if (lexer_.peek().kind != Kind::end_of_file)
    lexer_.fail(fmt::format("expected nothing after 'end', got {}", lexer_.shown()));
  finish();
  return std::move(out_);
}

bool LpParser::two_words() const {
  const LpToken &first = lexer_.peek(), &second = lexer_.behind();
  return (first.is_word("subject") && second.is_word("to")) || (first.is_word("such") && second.is_word("that"));
}

std::optional<LpParser::Section> LpParser::heading_at_hand() const {
  const LpToken& token = lexer_.peek();
  if (token.kind != Kind::word || !token.begins_line || lexer_.behind().is(":")) return std::nullopt;
  if (two_words() || one_of(token, kRowsWords)) return Section::rows;
  if (one_of(token, kBoundsWords)) return Section::bounds;
  if (one_of(token, kEndWords)) return Section::end;
  if (one_of(token, kMinimizeWords) || one_of(token, kMaximizeWords)) return Section::objective;
  if (one_of(token, kRefusedWords)) return Section::refused;
  return std::nullopt;
}

std::optional<LpParser::Section> LpParser::heading() {
  const std::optional<Section> out = heading_at_hand();
  if (!out) return out;
  if (two_words()) lexer_.take();
  refused_ = lexer_.take().text;
  return out;
}

void LpParser::sense() {
  out_.maximize = one_of(lexer_.peek(), kMaximizeWords);
  if (!out_.maximize && !one_of(lexer_.peek(), kMinimizeWords)) {
    lexer_.fail(fmt::format("expected 'minimize' or 'maximize', got {}", lexer_.shown()));
  }
  lexer_.take();
}

std::string LpParser::label(std::string_view what, std::size_t number) {
  if (lexer_.peek().kind != Kind::word || !lexer_.behind().is(":")) return fmt::format("{}{}", what, number);
  std::string name = lexer_.take().text;
  lexer_.take();
  return name;
}

void LpParser::objective() {
  out_.objective = lexer_.behind().is(":") ? label("", 0) : "obj";
  const Expression f = expression();
  out_.constant = f.constant;
  for (const auto& [j, value] : f.linear) out_.cost[at(j)] += value;
  out_.quadratic = f.products;
}

// Integers and the like are refused by the section's name once it holds something.
void LpParser::refused_section() {
  lexer_.fail(
      fmt::format("the section '{}' is not empty: integer, semi-continuous and piecewise models are not convex "
                  "programs",
                  printable(refused_)));
}

double LpParser::signs() {
  double sign = 1.0;
  while (lexer_.peek().is("+") || lexer_.peek().is("-")) sign *= lexer_.take().is("-") ? -1.0 : 1.0;
  return sign;
}

Index LpParser::variable(const LpToken& name) {
  if (const std::optional<Index> known = columns_.find(name.text)) return *known;
  const auto j = static_cast<Index>(out_.columns.size());
  columns_.add(name.text, j);
  out_.columns.push_back(name.text);
  out_.cost.push_back(0.0);
  out_.lower.push_back(0.0);
  out_.upper.push_back(kInfinity);
  return j;
}

// Terms until a comparison, a heading or the label of the next row.
LpParser::Expression LpParser::expression() {
  Expression out;
  while (true) {
    const LpToken& token = lexer_.peek();
    const bool begins =
        token.kind == Kind::number || token.kind == Kind::word || token.is("+") || token.is("-") || token.is("[");
    if (!begins || lexer_.behind().is(":") || heading_at_hand()) return out;
    const double sign = signs();
    if (lexer_.peek().is("[")) {
      quadratic(out, sign);
    } else {
      term(out, sign);
    }
  }
}

// 3 x, 3 * x, x, or a constant.
void LpParser::term(Expression& out, double sign) {
  double factor = sign;
  bool constant = false;
  if (lexer_.peek().kind == Kind::number) {
    factor *= lexer_.take().value;
    constant = true;
    if (lexer_.peek().is("*")) {
      lexer_.take();
      constant = false;
    }
  }
  const LpToken& token = lexer_.peek();
  const bool name = token.kind == Kind::word && !is_infinity(token) && !lexer_.behind().is(":") && !heading_at_hand();
  if (name) {
    out.linear.emplace_back(variable(lexer_.take()), factor);
    return;
  }
  if (!constant) lexer_.fail(fmt::format("expected a variable, got {}", lexer_.shown()));
  out.constant += factor;
}

// [ 2 x ^ 2 + 3 x * y ] or the same / 2.
void LpParser::quadratic(Expression& out, double sign) {
  lexer_.take();
  Expression inside;
  while (!lexer_.peek().is("]")) product(inside, signs());
  lexer_.take();
  double factor = sign;
  if (lexer_.peek().is("/")) {
    lexer_.take();
    if (lexer_.peek().kind != Kind::number || lexer_.peek().value != 2.0) {
      lexer_.fail(fmt::format("expected 2 after '/', got {}", lexer_.shown()));
    }
    lexer_.take();
    factor *= 0.5;
  }
  for (QuadraticEntry e : inside.products) {
    e.value *= factor;
    out.products.push_back(e);
  }
}

void LpParser::product(Expression& out, double sign) {
  double factor = sign;
  if (lexer_.peek().kind == Kind::number) {
    factor *= lexer_.take().value;
    if (lexer_.peek().is("*")) lexer_.take();
  }
  if (lexer_.peek().kind != Kind::word) {
    lexer_.fail(fmt::format("expected a product such as 2 x * y or x ^ 2 between '[' and ']', got {}", lexer_.shown()));
  }
  const Index first = variable(lexer_.take());
  if (lexer_.peek().is("^")) {
    lexer_.take();
    if (lexer_.peek().kind != Kind::number || lexer_.peek().value != 2.0) {
      lexer_.fail(fmt::format("expected the power 2, got {}", lexer_.shown()));
    }
    lexer_.take();
    out.products.push_back({first, first, factor});
    return;
  }
  if (!lexer_.peek().is("*")) lexer_.fail(fmt::format("expected '*' or '^', got {}", lexer_.shown()));
  lexer_.take();
  if (lexer_.peek().kind != Kind::word) lexer_.fail(fmt::format("expected a variable, got {}", lexer_.shown()));
  const Index second = variable(lexer_.take());
  out.products.push_back({std::max(first, second), std::min(first, second), factor});
}

std::string LpParser::comparison() {
  const LpToken& token = lexer_.peek();
  if (token.is("->")) lexer_.fail("indicator constraints ('->') are not supported");
  if (!at_comparison()) {
    lexer_.fail(fmt::format("expected <=, >= or =, got {}", lexer_.shown()));
  }
  return lexer_.take().text;
}

bool LpParser::at_comparison() const {
  const LpToken& token = lexer_.peek();
  return token.is("<=") || token.is(">=") || token.is("=");
}

bool LpParser::at_number() const {
  const LpToken& token = lexer_.peek();
  return token.kind == Kind::number || is_infinity(token) || token.is("+") || token.is("-");
}

double LpParser::number(std::string_view what) {
  const double sign = signs();
  if (is_infinity(lexer_.peek())) {
    lexer_.take();
    return sign * kInfinity;
  }
  if (lexer_.peek().kind != Kind::number) lexer_.fail(fmt::format("expected {}, got {}", what, lexer_.shown()));
  return sign * lexer_.take().value;
}

// A number in which 1e20 and more stands for infinity.
double LpParser::side(std::string_view what) { return as_side(number(what)); }

void LpParser::row() {
  const std::string name = label("R", out_.rows.size() + 1);
  double lower = -kInfinity, upper = kInfinity;
  const auto take_side = [&](const std::string& sign, double value) {
    if (sign != "<=") lower = std::max(lower, value);
    if (sign != ">=") upper = std::min(upper, value);
  };
  Expression body;
  const bool infinite =
      is_infinity(lexer_.peek()) || (lexer_.peek().kind == Kind::sign && is_infinity(lexer_.behind()));
  if (infinite) {
    body.constant = number("a number");
  } else {
    body = expression();
  }
  std::string sign = comparison();
  if (body.empty()) {  // 3 <= x + y [<= 8]
    take_side(mirrored(sign), as_side(body.constant));
    body = expression();
    if (at_comparison()) {
      sign = comparison();
      take_side(sign, side("a number"));
    }
  } else {
    take_side(sign, side("a number on the right-hand side"));
  }
  const LpToken& token = lexer_.peek();
  if (!token.begins_line && (token.kind == Kind::word || token.kind == Kind::sign) && !lexer_.behind().is(":")) {
    lexer_.fail(fmt::format("expected the end of the row, got {}: variables stand on one side only", lexer_.shown()));
  }
  if (body.empty() && lower == -kInfinity && upper == kInfinity) lexer_.fail("a row without variables and sides");
  add_row(name, std::move(body), lower, upper);
}

void LpParser::add_row(const std::string& name, Expression body, double lower, double upper) {
  const auto i = static_cast<Index>(out_.rows.size());
  if (!rows_.add(name, i)) lexer_.fail(fmt::format("row {} is defined twice", printable(name)));
  if (!(lower <= upper) || lower == kInfinity || upper == -kInfinity) {
    lexer_.fail(fmt::format("row {} has the lower side {} and the upper side {}", printable(name), lower, upper));
  }
  out_.rows.push_back(name);
  out_.row_lower.push_back(lower - body.constant);
  out_.row_upper.push_back(upper - body.constant);
  for (const auto& [j, value] : body.linear) out_.entries.push_back({i, j, value});
  if (!body.products.empty()) out_.quadratic_rows[i] = std::move(body.products);
}

void LpParser::limit(Index j, const std::string& sign, double value) {
  if (sign != "<=") out_.lower[at(j)] = value;
  if (sign != ">=") out_.upper[at(j)] = value;
}

void LpParser::bound() {
  std::optional<std::pair<double, std::string>> left;
  if (at_number()) {
    const double value = side("a number");
    left.emplace(value, comparison());
  }
  if (lexer_.peek().kind != Kind::word) lexer_.fail(fmt::format("expected a bound, got {}", lexer_.shown()));
  const Index j = variable(lexer_.take());
  if (left) limit(j, mirrored(left->second), left->first);
  if (!left && one_of(lexer_.peek(), kFreeWords)) {
    lexer_.take();
    out_.lower[at(j)] = -kInfinity;
    out_.upper[at(j)] = kInfinity;
    return;
  }
  if (left && !at_comparison()) return;
  const std::string sign = comparison();
  limit(j, sign, side("a number"));
}

}  // namespace pliant::io
