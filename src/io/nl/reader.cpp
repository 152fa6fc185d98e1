// The segments of an NL file, one function each (D. M. Gay, "Writing .nl files").
#include "io/file_error.hpp"
#include "io/nl/nl_file.hpp"
#include "io/nl/operations.hpp"
#include "io/nl/source.hpp"
#include "io/text/at.hpp"
#include "io/text/text_encoding.hpp"
#include "io/text/text_lines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

namespace pliant::io {
namespace {

constexpr Index kMostNlParts = Index{1} << 28;          // variables, rows, entries
constexpr std::size_t kDeepest = std::size_t{1} << 22;  // operations inside one another

// A letter for messages; 0 is the end of the file.
std::string shown_letter(char c) {
  return c == '\0' ? "the end of the file" : fmt::format("'{}'", printable(std::string(1, c)));
}

class NlReader {
 public:
  explicit NlReader(const std::filesystem::path& file) : in_(file) {}
  NlFile read();

 private:
  void header();
  std::vector<Index> header_numbers(std::size_t least, std::string_view what);
  void segment(char key);
  void bounds(std::string_view what, Index count, std::vector<double>& lower, std::vector<double>& upper);
  void defined_variable();
  void body();
  void objective();
  void linear_part(Index limit, std::string_view what, bool is_objective);
  void guesses(bool primal);
  void suffix();
  Index index(std::string_view what, Index limit);
  Index expression();
  std::vector<std::pair<Index, double>> entries(Index count);
  bool first_of(char key, Index i) { return seen_.emplace(key, i).second; }

  NlSource in_;
  NlFile out_;
  Index functions_ = 0;
  std::vector<Index> defined_;  // roots of defined variables
  std::set<std::pair<char, Index>> seen_;
};

std::vector<Index> NlReader::header_numbers(std::size_t least, std::string_view what) {
  const std::string line = in_.header_line();
  std::vector<Index> out;
  const char *p = line.data(), *const end = line.data() + line.size();
  while (true) {
    while (p != end && (*p == ' ' || *p == '\t' || *p == '\r')) ++p;
    if (p == end) break;
    Index value = 0;
    const auto [stop, error] = std::from_chars(p, end, value);
    const bool ends = stop == end || *stop == ' ' || *stop == '\t' || *stop == '\r' || *stop == '.';
    if (error != std::errc() || !ends) break;  // a tolerance may follow the options
    out.push_back(value);
    p = stop;
  }
  if (out.size() < least || std::any_of(out.begin(), out.end(), [](Index v) { return v < 0 || v > kMostNlParts; })) {
    in_.fail(fmt::format("expected {} (at least {} numbers of a header), got '{}'", what, least, printable(line)));
  }
  return out;
}

void NlReader::header() {
  const char form = in_.letter();
  if (form != 'g' && form != 'b') in_.fail("expected an NL file, which begins with g or b");
  std::vector<Index> options = header_numbers(1, "options behind g or b");
  options.erase(options.begin());
  out_.options = std::move(options);
  const std::vector<Index> sizes = header_numbers(3, "numbers of variables, constraints and objectives");
  out_.variables = sizes[0];
  out_.rows = sizes[1];
  out_.objectives = sizes[2];
  if (out_.variables < 1) in_.fail("there are no variables, expected at least one");
  if (sizes.size() > 5 && sizes[5] > 0) in_.fail("logical constraints are not supported");
  const std::vector<Index> nonlinear = header_numbers(1, "numbers of nonlinear constraints and objectives");
  if (nonlinear.size() > 2 && std::any_of(nonlinear.begin() + 2, nonlinear.end(), [](Index v) { return v > 0; })) {
    in_.fail("complementarity conditions are not supported");
  }
  header_numbers(1, "numbers of network constraints");
  header_numbers(1, "numbers of nonlinear variables");
  const std::vector<Index> functions = header_numbers(1, "numbers of network variables and functions");
  functions_ = functions.size() > 1 ? functions[1] : 0;
  if (form == 'b' && functions.size() > 2 && functions[2] > 1) {
    in_.fail(
        fmt::format("binary numbers of kind {} are not supported (expected 1: IEEE, little-endian)", functions[2]));
  }
  const std::vector<Index> discrete = header_numbers(1, "numbers of discrete variables");
  if (std::any_of(discrete.begin(), discrete.end(), [](Index v) { return v > 0; })) {
    in_.fail("integer variables are not supported: the problem would not be convex");
  }
  header_numbers(1, "numbers of nonzeros");
  header_numbers(1, "lengths of names");
  header_numbers(1, "numbers of common expressions");
  if (form == 'b') in_.begin_binary();
}

Index NlReader::index(std::string_view what, Index limit) {
  const Index i = in_.integer(what);
  if (i < 0 || i >= limit) in_.fail(fmt::format("expected {} from 0 to {}, got {}", what, limit - 1, i));
  return i;
}

std::vector<std::pair<Index, double>> NlReader::entries(Index count) {
  std::vector<std::pair<Index, double>> out;
  for (Index k = 0; k < count; ++k) {
    const Index j = index("a variable", out_.variables);
    const double value = in_.number("a coefficient");
    if (!std::isfinite(value)) in_.fail("expected a finite coefficient");
    out.emplace_back(j, value);
  }
  return out;
}

// Polish notation: an operation, then its operands. Open operations wait on a stack of their own, however deep.
Index NlReader::expression() {
  struct Open {
    NlOperation operation;
    std::size_t wanted;
    std::vector<Index> operands;
  };
  std::vector<Open> open;
  while (true) {
    Index node = -1;
    const char letter = in_.letter();
    if (letter == 'o') {
      const Index code = in_.integer("the number of an operation");
      const std::optional<NlOperation> operation = nl_operation(code);
      if (!operation) {
        in_.fail(fmt::format("the operation '{}' is not supported: it is not smooth, or not a function of numbers",
                             nl_operation_name(code)));
      }
      std::size_t wanted = operation->arity == NlOperation::Arity::one ? 1 : 2;
      if (operation->arity == NlOperation::Arity::list) {
        wanted = at(index("a number of operands", kMostNlParts));
        if (wanted == 0) in_.fail("a sum of nothing, expected operands");
      }
      if (open.size() >= kDeepest) in_.fail(fmt::format("more than {} operations inside one another", kDeepest));
      open.push_back({*operation, wanted, {}});
      continue;
    }
    if (letter == 'n') node = out_.graph.constant(in_.number("a number"));
    if (letter == 's') node = out_.graph.constant(static_cast<double>(in_.short_integer()));
    if (letter == 'l') node = out_.graph.constant(static_cast<double>(in_.integer("a number")));
    if (letter == 'v') {
      const Index j = in_.integer("a variable");
      const Index d = j - out_.variables;
      const bool known = d < 0 || (d < static_cast<Index>(defined_.size()) && defined_[at(d)] >= 0);
      if (j < 0 || !known) in_.fail(fmt::format("variable {} is not defined before its use", j));
      node = d < 0 ? out_.graph.variable(j) : defined_[at(d)];
    }
    if (letter == 'f') in_.fail("functions of libraries (f) are not supported");
    if (node < 0) in_.fail(fmt::format("expected an expression (o, n or v), got {}", shown_letter(letter)));
    while (!open.empty()) {
      open.back().operands.push_back(node);
      if (open.back().operands.size() < open.back().wanted) break;
      node = open.back().operation.build(out_.graph, open.back().operands);
      open.pop_back();
    }
    if (open.empty()) return node;
  }
}

void NlReader::defined_variable() {
  const Index d = index("a defined variable", kMostNlParts) - out_.variables;
  const Index count = index("a number of linear terms", kMostNlParts);
  in_.integer("the use of a defined variable");
  if (d < 0 || d > static_cast<Index>(defined_.size()) + kMostNlParts / 256)
    in_.fail("expected a defined variable behind the others");
  std::vector<Index> parts;
  for (const auto& [j, value] : entries(count)) parts.push_back(out_.graph.multiple(value, out_.graph.variable(j)));
  parts.push_back(expression());
  if (d >= static_cast<Index>(defined_.size())) defined_.resize(at(d) + 1, -1);
  if (defined_[at(d)] >= 0) in_.fail("a defined variable is given twice");
  defined_[at(d)] = out_.graph.sum(parts);
}

void NlReader::body() {
  const Index i = index("a constraint", out_.rows);
  if (!first_of('C', i)) in_.fail(fmt::format("constraint {} is given twice", i));
  out_.bodies[i].root = expression();
}

void NlReader::objective() {
  const Index i = index("an objective", out_.objectives);
  const bool maximize = in_.integer("a sense (0 or 1)") != 0;
  if (!first_of('O', i)) in_.fail(fmt::format("objective {} is given twice", i));
  const Index root = expression();
  if (i != 0) return;
  out_.maximize = maximize;
  out_.objective.root = root;
}

void NlReader::linear_part(Index limit, std::string_view what, bool is_objective) {
  const Index i = index(what, limit);
  const Index count = index("a number of entries", out_.variables + 1);
  if (!first_of(is_objective ? 'G' : 'J', i)) in_.fail(fmt::format("the linear part of {} {} is given twice", what, i));
  auto list = entries(count);
  if (!is_objective) {
    out_.bodies[i].linear = std::move(list);
  } else if (i == 0) {
    out_.objective.linear = std::move(list);
  }
}

//   0 l u   l <= . <= u      2 l  l <= .      4 c  . = c
//   1 u     . <= u           3    free
void NlReader::bounds(std::string_view what, Index count, std::vector<double>& lower, std::vector<double>& upper) {
  if (!lower.empty()) in_.fail(fmt::format("{} are given twice", what));
  for (Index i = 0; i < count; ++i) {
    const char kind = in_.letter();
    double below = -kInfinity, above = kInfinity;
    if (kind == '5') in_.fail("complementarity conditions are not supported");
    if (kind < '0' || kind > '4')
      in_.fail(fmt::format("expected {}, which begin with 0 to 4, got {}", what, shown_letter(kind)));
    if (kind == '0' || kind == '2' || kind == '4') below = in_.number("a lower bound");
    if (kind == '0' || kind == '1') above = in_.number("an upper bound");
    if (kind == '4') above = below;
    if (!(below <= above) || below == kInfinity || above == -kInfinity) {
      in_.fail(fmt::format("the lower bound {} and the upper bound {} of {} {} leave nothing", below, above,
                           what == "bounds of variables" ? "variable" : "constraint", i));
    }
    lower.push_back(below);
    upper.push_back(above);
  }
}

void NlReader::guesses(bool primal) {
  const Index limit = primal ? out_.variables : out_.rows;
  const Index count = index("a number of guesses", limit + 1);
  for (Index k = 0; k < count; ++k) {
    const Index j = index(primal ? "a variable" : "a constraint", limit);
    const double value = in_.number("a guess");
    if (primal && std::isfinite(value)) out_.start[j] = value;
  }
}

// Nothing of ours is told by suffixes.
void NlReader::suffix() {
  constexpr Index kReal = 4;
  const Index kind = in_.integer("the kind of a suffix");
  const Index count = index("a number of values", kMostNlParts);
  in_.name();
  for (Index k = 0; k < count; ++k) {
    in_.integer("an item of a suffix");
    if ((kind & kReal) != 0) {
      in_.number("a value of a suffix");
    } else {
      in_.integer("a value of a suffix");
    }
  }
}

void NlReader::segment(char key) {
  switch (key) {
    case 'C':
      return body();
    case 'O':
      return objective();
    case 'V':
      return defined_variable();
    case 'J':
      return linear_part(out_.rows, "constraint", false);
    case 'G':
      return linear_part(out_.objectives, "objective", true);
    case 'b':
      return bounds("bounds of variables", out_.variables, out_.lower, out_.upper);
    case 'r':
      return bounds("sides of constraints", out_.rows, out_.row_lower, out_.row_upper);
    case 'x':
      return guesses(true);
    case 'd':
      return guesses(false);
    case 'S':
      return suffix();
    case 'k': {
      const Index count = index("a number of columns", out_.variables + 1);
      for (Index k = 0; k < count; ++k) in_.integer("a count of entries");
      return;
    }
    case 'F':
      in_.fail("functions of libraries (F) are not supported");
    case 'L':
      in_.fail("logical constraints (L) are not supported");
    default:
      in_.fail(fmt::format("expected a segment (C, O, V, J, G, b, r, k, x, d or S), got {}", shown_letter(key)));
  }
}

NlFile NlReader::read() {
  header();
  for (char key = in_.letter(); key != '\0'; key = in_.letter()) segment(key);
  if (out_.lower.empty()) in_.fail("the file ends without bounds of the variables (segment b)");
  if (out_.row_lower.empty() && out_.rows > 0) in_.fail("the file ends without sides of the constraints (segment r)");
  if (out_.objectives > 0 && !seen_.contains({'O', 0}) && !seen_.contains({'G', 0})) {
    in_.fail("the file ends without its objective (segment O)");
  }
  if (out_.objectives > 1) out_.notes.push_back(fmt::format("of {} objectives the first is taken", out_.objectives));
  return std::move(out_);
}

// Names beside the file, one per line; those that do not fit are left alone.
std::vector<std::string> names_beside(std::filesystem::path file, const char* ending, Index count) {
  if (file.extension() == ".gz") file.replace_extension();
  file.replace_extension(ending);
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  std::vector<std::string> out;
  TextLines lines(file);
  for (std::string_view line; static_cast<Index>(out.size()) < count && lines.next(line);) {
    if (line.empty() || !is_plain_utf8(line)) return {};
    out.emplace_back(line);
  }
  const std::set<std::string> different(out.begin(), out.end());
  return static_cast<Index>(different.size()) == count ? out : std::vector<std::string>();
}

}  // namespace

NlFile parse_nl(const std::filesystem::path& file) {
  NlFile out = NlReader(file).read();
  out.row_names = names_beside(file, ".row", out.rows);
  out.column_names = names_beside(file, ".col", out.variables);
  return out;
}

}  // namespace pliant::io
