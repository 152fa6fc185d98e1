// What can be said at the end of an LP file only, and what a file becomes.
#include "io/file_error.hpp"
#include "io/lp/lp_problem.hpp"
#include "io/lp/parser.hpp"
#include "io/mps/mps_problem.hpp"
#include "io/text/at.hpp"
#include "io/text/first_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <tuple>

namespace pliant::io {
namespace {

// Adds up entries of the same place; `key` orders them.
void add_up(auto& entries, const auto& key) {
  std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  std::remove_reference_t<decltype(entries)> sums;
  for (const auto& e : entries) {
    if (!sums.empty() && key(sums.back()) == key(e)) {
      sums.back().value += e.value;
    } else {
      sums.push_back(e);
    }
  }
  std::erase_if(sums, [](const auto& e) { return e.value == 0.0; });
  entries = std::move(sums);
}

// value x_i x_j as entries of Q in 1/2 x'Qx: both triangles, twice the value on the diagonal.
void to_symmetric(std::vector<QuadraticEntry>& products) {
  const auto place = [](const QuadraticEntry& e) { return std::pair(e.row, e.column); };
  add_up(products, place);
  const std::size_t count = products.size();
  for (std::size_t k = 0; k < count; ++k) {
    const QuadraticEntry e = products[k];
    if (e.row == e.column) {
      products[k].value *= 2.0;
    } else {
      products.push_back({e.column, e.row, e.value});
    }
  }
  std::sort(products.begin(), products.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
}

}  // namespace

void LpParser::finish() {
  if (out_.columns.empty()) lexer_.fail("there are no variables, expected at least one");
  add_up(out_.entries, [](const MpsFile::Entry& e) { return std::pair(e.column, e.row); });
  to_symmetric(out_.quadratic);
  for (auto& [i, products] : out_.quadratic_rows) to_symmetric(products);
  std::erase_if(out_.quadratic_rows, [](const auto& row) { return row.second.empty(); });
  for (std::size_t j = 0; j < out_.columns.size(); ++j) {
    const double lower = out_.lower[j], upper = out_.upper[j];
    if (lower <= upper && lower < kInfinity && upper > -kInfinity) continue;
    lexer_.fail(
        fmt::format("variable {} has the lower bound {} and the upper bound {} (the lower one is 0 where nothing "
                    "is said)",
                    printable(out_.columns[j]), lower, upper));
  }
}

MpsFile parse_lp(const std::filesystem::path& file) { return LpParser(file).parse(); }

Problem read_lp_problem(const std::filesystem::path& file) { return to_problem(parse_lp(file), file.string()); }

bool looks_like_lp(const std::filesystem::path& file) {
  const std::string line = first_line(file, "\\");
  std::string word = line.substr(0, line.find_first_of(" \t"));
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  return word == "min" || word == "max" || word.starts_with("minimi") || word.starts_with("maximi") ||
         word == "minimum" || word == "maximum";
}

}  // namespace pliant::io
