#include "io/nl/source.hpp"

#include "io/file_error.hpp"
#include "io/text/fields.hpp"
#include "io/text/text_lines.hpp"
#include "parallel/stop.hpp"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <new>

namespace pliant::io {
namespace {

constexpr std::size_t kNlBuffer = std::size_t{1} << 16;
// Numbers and lines of the header are short; this bounds what a hostile file can make us hold.
constexpr std::size_t kLongestNlWord = 4096;
constexpr int kEndOfFile = -1;

bool is_blank(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

NlSource::NlSource(const std::filesystem::path& file)
    : shown_(file.string()), buffer_(std::make_unique_for_overwrite<unsigned char[]>(kNlBuffer)) {
  static_assert(std::endian::native == std::endian::little, "binary NL files are read as they stand");
  errno = 0;
  file_ = gzopen(file.c_str(), "rb");
  if (file_ == nullptr) {
    if (errno == 0) throw std::bad_alloc();
    throw InputError(fmt::format("{}: {}", shown_, std::strerror(errno)));
  }
}

NlSource::~NlSource() { gzclose(file_); }

void NlSource::fail(std::string_view what) const {
  if (binary_) throw TextError(fmt::format("{}: byte {}: {}", shown_, byte_, what), line_);
  throw TextError(fmt::format("{}: line {}: {}", shown_, line_, what), line_);
}

bool NlSource::fill() {
  parallel::poll();
  const int got = gzread(file_, buffer_.get(), static_cast<unsigned>(kNlBuffer));
  int error = Z_OK;
  const std::string_view reason = gzerror(file_, &error);
  if (got < 0 || (error != Z_OK && error != Z_STREAM_END)) {
    fail(fmt::format("cannot be read ({})", error == Z_ERRNO ? std::strerror(errno) : reason));
  }
  begin_ = 0;
  end_ = static_cast<std::size_t>(got);
  return got > 0;
}

int NlSource::peek() { return begin_ < end_ || fill() ? buffer_[begin_] : kEndOfFile; }

int NlSource::take() {
  const int c = peek();
  if (c == kEndOfFile) return c;
  ++begin_;
  ++byte_;
  if (c == '\n') ++line_;
  return c;
}

std::string NlSource::header_line() {
  std::string out;
  bool comment = false;
  if (peek() == kEndOfFile) fail("the file ends here, expected a header of ten lines");
  for (int c = take(); c != '\n' && c != kEndOfFile; c = take()) {
    comment = comment || c == '#';
    if (comment) continue;
    out += static_cast<char>(c);
    if (out.size() > kLongestNlWord) fail(fmt::format("longer than {} characters, expected a header", kLongestNlWord));
  }
  return out;
}

void NlSource::skip_blanks() {
  while (true) {
    const int c = peek();
    if (c == '#') {
      while (peek() != '\n' && peek() != kEndOfFile) take();
    } else if (is_blank(c)) {
      take();
    } else {
      return;
    }
  }
}

char NlSource::letter() {
  if (!binary_) skip_blanks();
  const int c = take();
  if (c == 0) fail("a zero byte, expected a letter");
  return c == kEndOfFile ? '\0' : static_cast<char>(c);
}

std::string NlSource::word(std::string_view what) {
  skip_blanks();
  std::string out;
  while (peek() != kEndOfFile && !is_blank(peek()) && peek() != '#') {
    out += static_cast<char>(take());
    if (out.size() > kLongestNlWord)
      fail(fmt::format("expected {}, got more than {} characters", what, kLongestNlWord));
  }
  if (out.empty()) fail(fmt::format("expected {}, got the end of the file", what));
  return out;
}

template <class T>
T NlSource::raw() {
  std::array<char, sizeof(T)> bytes;
  for (char& b : bytes) {
    const int c = take();
    if (c == kEndOfFile) fail("the file ends in the middle of a number");
    b = static_cast<char>(c);
  }
  return std::bit_cast<T>(bytes);
}

Index NlSource::integer(std::string_view what) {
  if (binary_) return raw<std::int32_t>();
  const std::string text = word(what);
  Index value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail(fmt::format("expected {}, got '{}'", what, printable(text)));
  }
  return value;
}

Index NlSource::short_integer() { return binary_ ? raw<std::int16_t>() : integer("an integer"); }

double NlSource::number(std::string_view what) {
  if (binary_) {
    const double value = raw<double>();
    if (std::isnan(value)) fail(fmt::format("expected {}, got nan", what));
    return value;
  }
  const std::string text = word(what);
  const std::optional<double> value = parse_number(text);
  if (!value) fail(fmt::format("expected {}, got '{}'", what, printable(text)));
  return *value;
}

std::string NlSource::name() {
  if (!binary_) return word("a name");
  const Index length = integer("the length of a name");
  if (length < 0 || length > static_cast<Index>(kLongestNlWord)) fail(fmt::format("a name of {} bytes", length));
  std::string out;
  for (Index i = 0; i < length; ++i) out += static_cast<char>(take());
  return out;
}

}  // namespace pliant::io
