#include "io/text/text_lines.hpp"

#include "parallel/stop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <utility>

namespace pliant::io {

TextLines::TextLines(const std::filesystem::path& file, std::size_t longest_line)
    : shown_(file.string()),
      longest_(longest_line),
      capacity_(2 * std::min(longest_, kLongestLine)),
      buffer_(std::make_unique_for_overwrite<char[]>(capacity_)) {  // before there is a file to close
  errno = 0;
  file_ = gzopen(file.c_str(), "rb");
  if (file_ == nullptr) {
    if (errno == 0) throw std::bad_alloc();
    throw InputError(fmt::format("{}: {}", shown_, std::strerror(errno)));
  }
  gzbuffer(file_, static_cast<unsigned>(2 * kLongestLine));
}

TextLines::~TextLines() { gzclose(file_); }

// Moves the unread part to the front; a line that fills the buffer gets a larger one.
void TextLines::make_room() {
  std::copy(buffer_.get() + begin_, buffer_.get() + end_, buffer_.get());
  end_ -= begin_;
  begin_ = 0;
  if (end_ < capacity_) return;
  const std::size_t larger = std::min(2 * longest_, 2 * capacity_);
  auto moved = std::make_unique_for_overwrite<char[]>(larger);
  std::copy(buffer_.get(), buffer_.get() + end_, moved.get());
  buffer_ = std::move(moved);
  capacity_ = larger;
}

// Reads behind the unread part; false at the end of the file.
bool TextLines::fill() {
  parallel::poll();
  make_room();
  const int got = gzread(file_, buffer_.get() + end_, static_cast<unsigned>(capacity_ - end_));
  int error = Z_OK;
  std::string_view reason = gzerror(file_, &error);
  if (error == Z_MEM_ERROR) throw std::bad_alloc();
  if (got < 0 || (error != Z_OK && error != Z_STREAM_END)) {
    ++number_;
    if (reason.starts_with(shown_ + ": ")) reason.remove_prefix(shown_.size() + 2);
    fail(fmt::format("cannot be read ({})", error == Z_ERRNO ? std::strerror(errno) : reason));
  }
  end_ += static_cast<std::size_t>(got);
  return got > 0;
}

bool TextLines::next(std::string_view& line) {
  std::size_t searched = 0;
  while (true) {
    const std::string_view rest(buffer_.get() + begin_, end_ - begin_);
    std::size_t length = rest.find('\n', searched);
    if (length == std::string_view::npos && rest.size() <= longest_) {
      searched = rest.size();
      if (fill()) continue;
      if (rest.empty()) return false;
      length = end_ - begin_;
    }
    ++number_;
    if (length > longest_) fail(fmt::format("longer than {} characters, expected text", longest_));
    line = std::string_view(buffer_.get() + begin_, length);
    begin_ = std::min(end_, begin_ + length + 1);
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.find('\0') != std::string_view::npos) fail("contains a zero byte, expected text");
    return true;
  }
}

void TextLines::fail_at(Index line, std::string_view what) const {
  throw TextError(fmt::format("{}: line {}: {}", shown_, line, what), line);
}

}  // namespace pliant::io
