// How formats are told apart by content.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace pliant::io {

/// The first line that is neither blank nor begins with one of the characters of comments, without blanks around it.
/// Empty where there is none among the first thousand or the file is no text.
std::string first_line(const std::filesystem::path& file, std::string_view comments);

}  // namespace pliant::io
