#include "io/text/text_encoding.hpp"

#include <gtest/gtest.h>

namespace pliant::io {
namespace {

TEST(TextEncoding, AcceptsWellFormedText) {
  EXPECT_TRUE(is_plain_utf8(""));
  EXPECT_TRUE(is_plain_utf8("budget rows"));
  EXPECT_TRUE(is_plain_utf8("\xce\xb4 \xe2\x89\xa4 \xf0\x9f\x98\x80"));  // two, three and four bytes
}

TEST(TextEncoding, RefusesControlCharactersAndBrokenSequences) {
  EXPECT_FALSE(is_plain_utf8("two\nlines"));
  EXPECT_FALSE(is_plain_utf8("\x7f"));
  EXPECT_FALSE(is_plain_utf8("\xc2\x85"));          // next line, a control character beyond ASCII
  EXPECT_FALSE(is_plain_utf8("\xce"));              // cut off
  EXPECT_FALSE(is_plain_utf8("\xce\x20"));          // no continuation
  EXPECT_FALSE(is_plain_utf8("\x80"));              // a lone continuation
  EXPECT_FALSE(is_plain_utf8("\xc1\xa1"));          // longer than necessary
  EXPECT_FALSE(is_plain_utf8("\xed\xa0\x80"));      // a surrogate
  EXPECT_FALSE(is_plain_utf8("\xf4\x90\x80\x80"));  // beyond U+10FFFF
  EXPECT_FALSE(is_plain_utf8("\xff"));
}

}  // namespace
}  // namespace pliant::io
