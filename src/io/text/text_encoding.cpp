#include "io/text/text_encoding.hpp"

#include <cstddef>
#include <cstdint>

namespace pliant::io {
namespace {

struct Lead {
  std::size_t length;     // bytes of the character, 0: no character begins so
  std::uint32_t payload;  // bits of the lead byte
  std::uint32_t least;    // smallest code point that needs this length
};

Lead classify(unsigned char byte) {
  if (byte < 0x80) return {1, byte, 0};
  if ((byte & 0xe0) == 0xc0) return {2, byte & 0x1fu, 0x80};
  if ((byte & 0xf0) == 0xe0) return {3, byte & 0x0fu, 0x800};
  if ((byte & 0xf8) == 0xf0) return {4, byte & 0x07u, 0x10000};
  return {0, 0, 0};
}

}  // namespace

bool is_plain_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const Lead lead = classify(static_cast<unsigned char>(text[i]));
    if (lead.length == 0 || i + lead.length > text.size()) return false;
    std::uint32_t code = lead.payload;
    for (std::size_t k = 1; k < lead.length; ++k) {
      const auto byte = static_cast<unsigned char>(text[i + k]);
      if ((byte & 0xc0) != 0x80) return false;
      code = (code << 6) | (byte & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code <= 0xdfff;
    const bool control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    if (code < lead.least || code > 0x10ffff || surrogate || control) return false;
    i += lead.length;
  }
  return true;
}

}  // namespace pliant::io
