#include "io/sdpa/sdpa.hpp"
#include "io/text/fields.hpp"
#include "io/text/text_lines.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace pliant::io {
namespace {

constexpr std::string_view kSeparators = " \t,{}()";
// The costs and the block sizes may stand in one line each.
constexpr std::size_t kLongestLine = std::size_t{1} << 24;
// Numbers of all blocks together, with the zeros: h is stored in full.
constexpr Index kMostRows = 100'000'000;
// Of so many at most one is given: a small file justifies no large problem.
constexpr Index kRowsPerEntry = 10'000;
constexpr Index kMostVariables = 100'000'000;

// What is left of a line, token by token.
class LineTokens {
 public:
  explicit LineTokens(std::string_view line) : rest_(line) {}
  /// Empty at the end of the line.
  std::string_view next() {
    const std::size_t begin = std::min(rest_.size(), rest_.find_first_not_of(kSeparators));
    rest_.remove_prefix(begin);
    const std::size_t end = std::min(rest_.size(), rest_.find_first_of(kSeparators));
    const std::string_view token = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return token;
  }

 private:
  std::string_view rest_;
};

std::optional<Index> parse_integer(std::string_view token) {
  constexpr double kLargest = 1e15;
  const std::optional<double> value = parse_number(token);
  if (!value || !(std::abs(*value) <= kLargest) || *value != std::floor(*value)) return std::nullopt;
  return static_cast<Index>(*value);
}

class SdpaReader {
 public:
  explicit SdpaReader(const std::filesystem::path& file) : lines_(file, kLongestLine) {}

  Problem read() {
    read_sizes();
    read_costs();
    read_entries();
    return problem();
  }

 private:
  struct Block {
    Index order;
    bool diagonal;
    Index first_row;
  };
  struct Entry {
    Index row, variable;  // variable -1: F0
    double value;
    Index line;
  };

  // The next line that is neither blank nor a comment; false at the end of the file.
  bool next_line() {
    while (lines_.next(line_)) {
      if (!line_.starts_with('*') && !line_.starts_with('"') && !trim(line_).empty()) return true;
    }
    return false;
  }

  void expect_line(std::string_view what) {
    if (!next_line()) lines_.fail(fmt::format("the file ends, expected {}", what));
  }

  Index count(std::string_view what, Index most) {
    expect_line(what);
    const std::string_view token = LineTokens(line_).next();
    const std::optional<Index> value = parse_integer(token);
    if (!value || *value < 1 || *value > most) {
      lines_.fail(fmt::format("expected {} from 1 to {}, got \"{}\"", what, most, token.substr(0, 40)));
    }
    return *value;
  }

  // `wanted` numbers, over as many lines as they take; what follows them in the last line is text.
  template <class Take>
  void numbers(Index wanted, std::string_view what, std::string_view expected, const Take& take) {
    for (Index got = 0; got < wanted;) {
      expect_line(fmt::format("{} {} (of {})", what, got + 1, wanted));
      LineTokens tokens(line_);
      for (std::string_view token = tokens.next(); !token.empty() && got < wanted; token = tokens.next()) {
        if (!take(token)) {
          lines_.fail(fmt::format("{} {}: expected {}, got \"{}\"", what, got + 1, expected, token.substr(0, 40)));
        }
        ++got;
      }
    }
  }

  void read_sizes() {
    variables_ = count("the number of variables", kMostVariables);
    const Index blocks = count("the number of blocks", kMostRows);
    numbers(blocks, "size of block", "a whole number other than 0", [&](std::string_view token) {
      const std::optional<Index> size = parse_integer(token);
      if (!size || *size == 0 || std::abs(*size) > kMostRows) return false;
      const Block block{std::abs(*size), *size < 0, rows_};
      const double rows = block.diagonal
                              ? static_cast<double>(block.order)
                              : 0.5 * static_cast<double>(block.order) * static_cast<double>(block.order + 1);
      if (static_cast<double>(rows_) + rows > static_cast<double>(kMostRows)) {
        lines_.fail(fmt::format("the blocks have more than {} entries together", kMostRows));
      }
      rows_ += block.diagonal ? block.order : svec_size(block.order);
      blocks_.push_back(block);
      return true;
    });
  }

  void read_costs() {
    numbers(variables_, "cost", "a finite number", [&](std::string_view token) {
      const std::optional<double> value = parse_number(token);
      if (!value || !std::isfinite(*value)) return false;
      costs_.push_back(*value);
      return true;
    });
  }

  Index integer(LineTokens& tokens, std::string_view what, Index least, Index most) {
    const std::string_view token = tokens.next();
    const std::optional<Index> value = parse_integer(token);
    if (!value || *value < least || *value > most) {
      lines_.fail(fmt::format("expected {} from {} to {}, got \"{}\"", what, least, most, token.substr(0, 40)));
    }
    return *value;
  }

  void read_entries() {
    while (next_line()) {
      LineTokens tokens(line_);
      const Index matrix = integer(tokens, "a matrix", 0, variables_);
      const Index number = integer(tokens, "a block", 1, static_cast<Index>(blocks_.size()));
      const Block& block = blocks_[static_cast<std::size_t>(number - 1)];
      Index i = integer(tokens, "a row", 1, block.order) - 1;
      Index j = integer(tokens, "a column", 1, block.order) - 1;
      const std::string_view token = tokens.next();
      const std::optional<double> value = parse_number(token);
      if (!value || !std::isfinite(std::numbers::sqrt2 * *value)) {  // off-diagonal entries are stored times sqrt(2)
        lines_.fail(fmt::format("expected a finite number as value, got \"{}\"", token.substr(0, 40)));
      }
      if (block.diagonal && i != j) {
        lines_.fail(fmt::format("row {} and column {} differ, but block {} is diagonal", i + 1, j + 1, number));
      }
      if (i < j) std::swap(i, j);  // svec counts the lower triangle
      const Index row = block.first_row + (block.diagonal ? i : j * block.order - j * (j - 1) / 2 + (i - j));
      // S = sum x F - F0 = h - Gx.
      entries_.push_back({row, matrix - 1, -svec_scale(i, j) * *value, lines_.number()});
    }
  }

  Problem problem() {
    if (rows_ / kRowsPerEntry > 100 + static_cast<Index>(entries_.size())) {
      lines_.fail(fmt::format("the file ends with {} entries, expected more for blocks of {}", entries_.size(), rows_));
    }
    std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
      return std::tie(a.row, a.variable, a.line) < std::tie(b.row, b.variable, b.line);
    });
    std::vector<double> h(static_cast<std::size_t>(rows_), 0.0), values;
    std::vector<Index> starts(static_cast<std::size_t>(rows_) + 1, 0), columns;
    for (std::size_t k = 0; k < entries_.size(); ++k) {
      const Entry& e = entries_[k];
      if (k > 0 && entries_[k - 1].row == e.row && entries_[k - 1].variable == e.variable) {
        lines_.fail_at(e.line, fmt::format("the entry was given before, in line {}", entries_[k - 1].line));
      }
      if (e.variable < 0) {
        h[static_cast<std::size_t>(e.row)] = e.value;
      } else if (e.value != 0.0) {
        columns.push_back(e.variable);
        values.push_back(e.value);
        ++starts[static_cast<std::size_t>(e.row) + 1];
      }
    }
    for (std::size_t r = 1; r < starts.size(); ++r) starts[r] += starts[r - 1];
    ConicConstraint conic;
    conic.G = DataMatrix::csr(rows_, variables_, std::move(starts), std::move(columns), std::move(values));
    conic.h = Doubles(std::move(h));
    for (const Block& block : blocks_) {
      conic.cones.push_back(block.diagonal ? Cone{ConeKind::nonnegative, block.order}
                                           : Cone{ConeKind::semidefinite, svec_size(block.order)});
    }
    Problem out(variables_);
    out.minimize(linear(Doubles(std::move(costs_))));
    out.subject_to(std::move(conic));
    return out;
  }

  TextLines lines_;
  std::string_view line_;
  Index variables_ = 0, rows_ = 0;
  std::vector<Block> blocks_;
  std::vector<double> costs_;
  std::vector<Entry> entries_;
};

}  // namespace

Problem read_sdpa_problem(const std::filesystem::path& file) { return SdpaReader(file).read(); }

}  // namespace pliant::io
