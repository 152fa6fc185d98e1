#include "io/text/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace pliant::io {
namespace {

constexpr std::string_view kBlank = " \t";

// Columns begin..end-1, counted from 0, without the blanks around.
std::string_view columns(std::string_view line, std::size_t begin, std::size_t end) {
  return begin < line.size() ? trim(line.substr(begin, end - begin)) : std::string_view();
}

std::optional<double> from_chars(std::string_view text) {
  double value = 0.0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || std::isnan(value)) return std::nullopt;
  return value;
}

}  // namespace

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin);
}

Tokens split(std::string_view line) {
  Tokens out;
  for (std::size_t begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.size(), line.find_first_of(kBlank, begin));
    if (out.count < Tokens::kMost) out.token[static_cast<std::size_t>(out.count)] = line.substr(begin, end - begin);
    ++out.count;
    begin = line.find_first_not_of(kBlank, end);
  }
  return out;
}

std::optional<DataLine> split_fixed(std::string_view line) {
  // Columns from 73 on held sequence numbers of cards.
  constexpr std::array<std::pair<std::size_t, std::size_t>, 7> kGaps{
      {{0, 1}, {3, 4}, {12, 14}, {22, 24}, {36, 39}, {47, 49}, {61, 72}}};
  for (const auto& [begin, end] : kGaps) {
    if (!columns(line, begin, end).empty()) return std::nullopt;
  }
  if (line.find('\t') != std::string_view::npos) return std::nullopt;
  DataLine out;
  out.code = columns(line, 1, 3);
  out.head = columns(line, 4, 12);
  out.pair[0] = {columns(line, 14, 22), columns(line, 24, 36)};
  out.pair[1] = {columns(line, 39, 47), columns(line, 49, 61)};
  out.pairs = !out.pair[1].name.empty() || !out.pair[1].number.empty() ? 2 : out.pair[0].name.empty() ? 0 : 1;
  return out;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) {
    text.remove_prefix(1);
    if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  }
  if (const auto value = from_chars(text)) return value;
  const std::size_t letter = text.find_first_of("dD");
  if (letter == std::string_view::npos || letter == 0) return std::nullopt;
  std::string with_e(text);
  with_e[letter] = 'e';
  return from_chars(with_e);
}

}  // namespace pliant::io
