#include "report/page/markup.hpp"

#include "io/text/text_encoding.hpp"

#include <fmt/format.h>

#include <cmath>

namespace pliant::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Length of the well-formed sequence at the beginning; 0: there is none.
std::size_t sequence_length(std::string_view text) {
  for (std::size_t length = 1; length <= 4 && length <= text.size(); ++length) {
    if (io::is_plain_utf8(text.substr(0, length))) return length;
  }
  return 0;
}

// e-08 -> e-8, e+12 -> e12
std::string shorten_exponent(std::string text) {
  const std::size_t e = text.find('e');
  if (e == std::string::npos) return text;
  std::string out = text.substr(0, e + 1);
  if (text[e + 1] == '-') out += '-';
  const std::size_t digit = text.find_first_not_of("+-0", e + 1);
  return out + (digit == std::string::npos ? "0" : text.substr(digit));
}

}  // namespace

std::string escape(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    const std::string_view piece = text.substr(i, length);
    if (length == 0) {
      out += kReplacement;
    } else if (piece == "&") {
      out += "&amp;";
    } else if (piece == "<") {
      out += "&lt;";
    } else if (piece == ">") {
      out += "&gt;";
    } else if (piece == "\"") {
      out += "&quot;";
    } else if (piece == "'") {
      out += "&#39;";
    } else {
      out += piece;
    }
    i += length == 0 ? 1 : length;
  }
  return out;
}

std::string number(double value, int digits) {
  if (std::isnan(value)) return "unknown";
  if (std::isinf(value)) return value > 0.0 ? "&infin;" : "&minus;&infin;";
  return shorten_exponent(fmt::format("{:.{}g}", value, digits));
}

std::string count(Index value) {
  std::string digits = fmt::format("{}", value);
  const std::size_t first = digits[0] == '-' ? 1 : 0;
  for (std::size_t i = digits.size(); i > first + 3;) digits.insert(i -= 3, "&#8239;");
  return digits;
}

std::string seconds(double value) {
  constexpr double kThousand = 999.5;  // as a number of three digits
  if (value > 0.0 && 1e6 * value < kThousand) return number(1e6 * value, 3) + " &micro;s";
  if (value > 0.0 && 1e3 * value < kThousand) return number(1e3 * value, 3) + " ms";
  return number(value, 3) + " s";
}

std::string plural(Index value, std::string_view noun) {
  return fmt::format("{} {}{}", count(value), noun, value == 1 ? "" : "s");
}

std::string json_number(double value, int digits) {
  if (!std::isfinite(value)) return "null";
  return shorten_exponent(fmt::format("{:.{}g}", value, digits));
}

}  // namespace pliant::report
