// Endings of files, in any case and with or without .gz behind.
#pragma once

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <string>
#include <string_view>

namespace pliant::io {

/// The name of a file in small letters, without .gz.
inline std::string plain_name(const std::filesystem::path& file) {
  std::string name = file.filename().string();
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  if (name.ends_with(".gz")) name.resize(name.size() - 3);
  return name;
}

inline bool ends_with_format(const std::filesystem::path& file, std::string_view ending) {
  return plain_name(file).ends_with(ending);
}

}  // namespace pliant::io
