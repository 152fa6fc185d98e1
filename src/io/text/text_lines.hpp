// Lines of a text file, plain or compressed with gzip.
#pragma once

#include "pliant/types.hpp"

#include <zlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace pliant::io {

/// An InputError that says how far the file was understood.
class TextError : public InputError {
 public:
  TextError(const std::string& what, Index line) : InputError(what), line_(line) {}
  Index line() const { return line_; }

 private:
  Index line_;
};

/// Reads a file line by line in memory that does not depend on the file. Lines end with LF or CR LF.
class TextLines {
 public:
  /// Longer lines are not text somebody wrote; they also bound what a hostile file can make us hold.
  static constexpr std::size_t kLongestLine = std::size_t{1} << 16;

  explicit TextLines(const std::filesystem::path& file, std::size_t longest_line = kLongestLine);
  ~TextLines();
  TextLines(const TextLines&) = delete;
  TextLines& operator=(const TextLines&) = delete;

  /// The next line without its end, valid until the next call; false at the end of the file.
  bool next(std::string_view& line);
  /// Number of the last line, from 1.
  Index number() const { return number_; }
  /// Throws "FILE: line N: what".
  [[noreturn]] void fail(std::string_view what) const { fail_at(number_, what); }
  /// The same for an earlier line.
  [[noreturn]] void fail_at(Index line, std::string_view what) const;

 private:
  bool fill();
  void make_room();

  std::string shown_;
  std::size_t longest_, capacity_;
  std::unique_ptr<char[]> buffer_;  // not filled with zeros first: small files are read by the thousand
  gzFile file_;
  std::size_t begin_ = 0, end_ = 0;  // unread part of the buffer
  Index number_ = 0;
};

}  // namespace pliant::io
