#include "io/lp/lexer.hpp"

#include "io/file_error.hpp"
#include "io/lp/words.hpp"
#include "io/text/text_encoding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace pliant::io {
namespace {

// Some programs write a row on one line, however long; this bounds what a hostile file can make us hold.
constexpr std::size_t kLongestLpLine = std::size_t{1} << 24;
constexpr std::size_t kLongestLpName = 255;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Letters, digits, and what CPLEX allows besides; bytes of UTF-8 are letters.
bool is_name_byte(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalnum(byte) != 0 || byte >= 0x80 ||
         std::string_view("!\"#$%&(),.;?@_'`{}~|").find(c) != std::string_view::npos;
}

bool begins_number(std::string_view rest) {
  return is_digit(rest.front()) || (rest.front() == '.' && rest.size() > 1 && is_digit(rest[1]));
}

std::string small_letters(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return std::tolower(c); });
  return out;
}

// What stands in the file, and what it means.
struct Sign {
  std::string_view text, meaning;
};
constexpr std::array kSigns{Sign{"<=", "<="}, Sign{"=<", "<="}, Sign{">=", ">="}, Sign{"=>", ">="},
                            Sign{"->", "->"}, Sign{"<", "<="},  Sign{">", ">="},  Sign{"=", "="},
                            Sign{"+", "+"},   Sign{"-", "-"},   Sign{"*", "*"},   Sign{"/", "/"},
                            Sign{"^", "^"},   Sign{"[", "["},   Sign{"]", "]"},   Sign{":", ":"}};

}  // namespace

bool LpToken::is_word(std::string_view small) const { return kind == Kind::word && small_letters(text) == small; }

LpLexer::LpLexer(const std::filesystem::path& file) : lines_(file, kLongestLpLine) {
  token_ = read();
  next_ = read();
}

LpToken LpLexer::take() {
  LpToken out = std::move(token_);
  token_ = std::move(next_);
  next_ = read();
  return out;
}

void LpLexer::fail(std::string_view what) const { lines_.fail_at(std::max<Index>(token_.line, 1), what); }

std::string LpLexer::shown() const {
  return token_.kind == LpToken::Kind::end_of_file ? "the end of the file"
                                                   : fmt::format("'{}'", printable(token_.text));
}

LpToken LpLexer::read() {
  constexpr std::string_view kBlanks = " \t";
  bool begins = at_ == 0 && !line_.empty();
  while (!ended_) {
    at_ = std::min(line_.find_first_not_of(kBlanks, at_), line_.size());
    if (at_ < line_.size() && line_[at_] != '\\') break;  // a backslash begins a comment
    std::string_view line;
    ended_ = !lines_.next(line);
    line_ = ended_ ? std::string() : std::string(line);
    at_ = 0;
    begins = true;
  }
  LpToken out;
  out.line = lines_.number();
  if (ended_) return out;
  const std::string_view rest = std::string_view(line_).substr(at_);
  if (begins_number(rest)) {
    out = read_number();
  } else if (is_name_byte(rest.front())) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_name_byte);
    out.kind = LpToken::Kind::word;
    out.text = std::string(rest.begin(), end);
    at_ += out.text.size();
    if (out.text.size() > kLongestLpName) {
      lines_.fail(fmt::format("a name of {} characters, expected at most {}", out.text.size(), kLongestLpName));
    }
    if (!is_plain_utf8(out.text)) lines_.fail(fmt::format("'{}' is not valid UTF-8", printable(out.text)));
  } else {
    out = read_sign();
  }
  out.begins_line = begins;
  out.line = lines_.number();
  return out;
}

LpToken LpLexer::read_number() {
  LpToken out;
  out.kind = LpToken::Kind::number;
  const char* const begin = line_.data() + at_;
  const auto [end, error] = std::from_chars(begin, line_.data() + line_.size(), out.value);
  out.text = std::string(begin, end);
  at_ += out.text.size();
  if (error != std::errc())
    lines_.fail(fmt::format("'{}' is too large or too small for a number", printable(out.text)));
  return out;
}

LpToken LpLexer::read_sign() {
  const std::string_view rest = std::string_view(line_).substr(at_);
  for (const Sign& sign : kSigns) {
    if (!rest.starts_with(sign.text)) continue;
    at_ += sign.text.size();
    LpToken out;
    out.kind = LpToken::Kind::sign;
    out.text = sign.meaning;
    return out;
  }
  lines_.fail(fmt::format("'{}' has no meaning here", printable(rest.substr(0, 1))));
}

bool is_lp_name(std::string_view text) {
  if (text.empty() || text.size() > kLongestLpName || begins_number(text) || text.front() == '.') return false;
  if (!std::all_of(text.begin(), text.end(), is_name_byte) || !is_plain_utf8(text)) return false;
  const std::string small = small_letters(text);
  const auto among = [&small](const auto&... words) {
    return ((std::find(words.begin(), words.end(), small) != words.end()) || ...);
  };
  if (among(kMinimizeWords, kMaximizeWords, kRowsWords, kFirstOfTwoWords, kBoundsWords, kEndWords, kRefusedWords,
            kInfinityWords, kFreeWords)) {
    return false;
  }
  // "e5" behind a number would be its exponent.
  return !((text.front() == 'e' || text.front() == 'E') && text.size() > 1 && is_digit(text[1]));
}

}  // namespace pliant::io
