// What is said of files that cannot be read.
#pragma once

#include "pliant/types.hpp"

#include <string>
#include <string_view>

namespace pliant::io {

/// An InputError that already names the file and the place in it.
class FileError : public InputError {
 public:
  using InputError::InputError;
};

/// Text from a file made fit for a one-line message: control and non-ASCII bytes escaped, length limited.
std::string printable(std::string_view text);

}  // namespace pliant::io
