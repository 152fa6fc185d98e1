// Letters and numbers of an NL file in either form: text, where they stand between blanks and # begins a comment, or
// binary, where integers have four bytes and numbers eight.
#pragma once

#include "pliant/types.hpp"

#include <zlib.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace pliant::io {

class NlSource {
 public:
  explicit NlSource(const std::filesystem::path& file);
  ~NlSource();
  NlSource(const NlSource&) = delete;
  NlSource& operator=(const NlSource&) = delete;

  /// A line of the header, which is text in both forms, without its comment.
  std::string header_line();
  /// From here on numbers are binary.
  void begin_binary() { binary_ = true; }

  /// The next letter that begins something; 0 at the end of the file.
  char letter();
  Index integer(std::string_view what);
  double number(std::string_view what);
  /// A short integer of the binary form.
  Index short_integer();
  /// The name of a suffix or function.
  std::string name();

  /// Throws "FILE: line N: what", or "FILE: byte N: what" in the binary form.
  [[noreturn]] void fail(std::string_view what) const;

 private:
  int peek();
  int take();
  bool fill();
  void skip_blanks();
  std::string word(std::string_view what);
  template <class T>
  T raw();

  std::string shown_;
  gzFile file_;
  std::unique_ptr<unsigned char[]> buffer_;  // not filled with zeros first
  std::size_t begin_ = 0, end_ = 0;
  Index line_ = 1, byte_ = 0;
  bool binary_ = false;
};

}  // namespace pliant::io
