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

/// Whether the name announces HDF5, which is never compressed as a whole.
inline bool announces_hdf5(const std::filesystem::path& file) {
  const std::string name = plain_name(file);
  return (name.ends_with(".h5") || name.ends_with(".hdf5")) && name.size() == file.filename().string().size();
}

}  // namespace pliant::io
