#include "io/text/first_line.hpp"

#include "io/text/fields.hpp"
#include "io/text/text_lines.hpp"

namespace pliant::io {

std::string first_line(const std::filesystem::path& file, std::string_view comments) {
  constexpr int kMostLines = 1000;
  try {
    TextLines lines(file);
    std::string_view line;
    for (int i = 0; i < kMostLines && lines.next(line); ++i) {
      const std::string_view text = trim(line);
      if (!text.empty() && comments.find(text.front()) == std::string_view::npos) return std::string(text);
    }
  } catch (const InputError&) {
    return {};  // no text
  }
  return {};
}

}  // namespace pliant::io
