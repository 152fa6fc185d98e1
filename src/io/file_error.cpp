#include "io/file_error.hpp"

#include <fmt/format.h>

namespace pliant::io {

std::string printable(std::string_view text) {
  constexpr std::size_t kLimit = 200;
  std::string out;
  for (const char c : text.substr(0, kLimit)) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      out += fmt::format("\\x{:02x}", byte);
    } else {
      out += c;
    }
  }
  if (text.size() > kLimit) out += "...";
  return out;
}

}  // namespace pliant::io
