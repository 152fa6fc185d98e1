// Text files as they are written: plain, or compressed with gzip where the name ends in .gz.
#pragma once

#include "pliant/types.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>

namespace pliant::io {

/// Text into a file through one buffer.
class TextSink {
 public:
  TextSink(const std::filesystem::path& target, const std::filesystem::path& shown) : shown_(shown.string()) {
    std::string ending = shown.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(), [](unsigned char c) { return std::tolower(c); });
    errno = 0;
    file_ = gzopen(target.c_str(), ending == ".gz" ? "wb" : "wbT");  // T: as it is
    if (file_ == nullptr) fail();
  }
  ~TextSink() {
    if (file_ != nullptr) gzclose(file_);
  }
  TextSink(const TextSink&) = delete;
  TextSink& operator=(const TextSink&) = delete;

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<Args>(args)...);
    buffer_ += '\n';
    if (buffer_.size() >= kBuffer) flush();
  }
  void close() {
    flush();
    errno = 0;
    if (gzclose(std::exchange(file_, nullptr)) != Z_OK) fail();
  }

 private:
  static constexpr std::size_t kBuffer = std::size_t{1} << 20;

  void flush() {
    errno = 0;
    if (!buffer_.empty() && gzwrite(file_, buffer_.data(), static_cast<unsigned>(buffer_.size())) <= 0) fail();
    buffer_.clear();
  }
  [[noreturn]] void fail() const {
    throw InputError(fmt::format("{}: writing failed ({})", shown_, std::strerror(errno != 0 ? errno : EIO)));
  }

  std::string shown_;
  gzFile file_;
  std::string buffer_;
};

}  // namespace pliant::io
