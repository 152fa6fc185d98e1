// Names travel into messages, tables and JSON: they must be valid UTF-8 on one line.
#pragma once

#include <string_view>

namespace pliant::io {

/// Whether the text is well-formed UTF-8 (RFC 3629) without control characters.
bool is_plain_utf8(std::string_view text);

}  // namespace pliant::io
