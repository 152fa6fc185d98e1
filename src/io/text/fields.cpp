#include "io/text/fields.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

namespace pliant::io {
namespace {

constexpr std::string_view kBlank = " \t";

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
