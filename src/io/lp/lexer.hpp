// Words, numbers and signs of LP files (CPLEX's format).
#pragma once

#include "io/text/text_lines.hpp"

#include <string>
#include <string_view>

namespace pliant::io {

/// A piece of the file. Section headings ("subject to", "bounds") are words that begin a line; the parser knows them.
struct LpToken {
  enum class Kind { end_of_file, word, number, sign };
  Kind kind = Kind::end_of_file;
  std::string text;    ///< as it stands; of a sign the canonical one: + - * / ^ [ ] : <= >= = ->
  double value = 0.0;  ///< of a number
  bool begins_line = false;
  Index line = 0;

  bool is(std::string_view sign) const { return kind == Kind::sign && text == sign; }
  /// Compares a word without regard to case; `small` is in small letters.
  bool is_word(std::string_view small) const;
};

class LpLexer {
 public:
  explicit LpLexer(const std::filesystem::path& file);

  /// The token at hand, and the one behind it.
  const LpToken& peek() const { return token_; }
  const LpToken& behind() const { return next_; }
  LpToken take();

  /// Throws "FILE: line N: what" with the line of the token at hand.
  [[noreturn]] void fail(std::string_view what) const;
  /// The token at hand for messages.
  std::string shown() const;

 private:
  LpToken read();
  LpToken read_number();
  LpToken read_sign();

  TextLines lines_;
  std::string line_;
  std::size_t at_ = 0;
  bool ended_ = false;
  LpToken token_, next_;
};

/// Whether a text is one word that no reader takes for something else.
bool is_lp_name(std::string_view text);

}  // namespace pliant::io
