#include "io/mps/data_line.hpp"

#include "io/text/fields.hpp"

#include <utility>

namespace pliant::io {
namespace {

// Columns begin..end-1, counted from 0, without the blanks around.
std::string_view columns(std::string_view line, std::size_t begin, std::size_t end) {
  return begin < line.size() ? trim(line.substr(begin, end - begin)) : std::string_view();
}

}  // namespace

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

}  // namespace pliant::io
