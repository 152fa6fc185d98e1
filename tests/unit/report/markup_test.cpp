// Text of any kind must not leave its place in the page.
#include "report/page/markup.hpp"

#include "io/text/text_encoding.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace pliant::report {
namespace {

TEST(Markup, SpecialCharactersBecomeEntities) {
  EXPECT_EQ(escape("<a href='x'>\"&\"</a>"), "&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;");
  EXPECT_EQ(escape("\xCE\xB4 = 1 \xE2\x88\x9E \xF0\x9F\x98\x80"), "\xCE\xB4 = 1 \xE2\x88\x9E \xF0\x9F\x98\x80");
  EXPECT_EQ(escape("caf\xE9!"), "caf\xEF\xBF\xBD!");
  EXPECT_EQ(escape(std::string_view("a\0b\nc", 5)),
            "a\xEF\xBF\xBD"
            "b\xEF\xBF\xBD"
            "c");
  EXPECT_EQ(escape("\xF0\x9F\x98"), "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD");  // cut short
}

TEST(Markup, AnyBytesBecomePlainTextWithoutMarkup) {
  testing::Random random(1);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string bytes;
    for (Index k = random.integer(0, 12); k > 0; --k) bytes += static_cast<char>(random.integer(0, 255));
    const std::string text = escape(bytes);
    EXPECT_TRUE(io::is_plain_utf8(text)) << trial;
    EXPECT_EQ(text.find_first_of("<>\"'"), std::string::npos) << text;
  }
}

TEST(Markup, TimesHaveTheirUnit) {
  EXPECT_EQ(seconds(0.0), "0 s");
  EXPECT_EQ(seconds(1.43e-5), "14.3 &micro;s");
  EXPECT_EQ(seconds(0.99949e-3), "999 &micro;s");
  EXPECT_EQ(seconds(0.9996e-3), "1 ms");
  EXPECT_EQ(seconds(0.0471), "47.1 ms");
  EXPECT_EQ(seconds(0.9996), "1 s");
  EXPECT_EQ(seconds(71.23), "71.2 s");
}

TEST(Markup, NumbersSayWhatTheyAre) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(number(3.1234e-8, 2), "3.1e-8");
  EXPECT_EQ(number(1e12, 3), "1e12");
  EXPECT_EQ(number(-0.5, 3), "-0.5");
  EXPECT_EQ(number(infinity, 3), "&infin;");
  EXPECT_EQ(number(-infinity, 3), "&minus;&infin;");
  EXPECT_EQ(number(std::numeric_limits<double>::quiet_NaN(), 3), "unknown");
  EXPECT_EQ(count(999), "999");
  EXPECT_EQ(count(1234567), "1&#8239;234&#8239;567");
  EXPECT_EQ(count(-1234), "-1&#8239;234");
  EXPECT_EQ(plural(1, "row"), "1 row");
  EXPECT_EQ(plural(0, "row"), "0 rows");
}

TEST(Markup, JsonNumbersReadBackToTheirDigits) {
  testing::Random random(2);
  EXPECT_EQ(json_number(std::numeric_limits<double>::infinity(), 5), "null");
  EXPECT_EQ(json_number(std::nan(""), 5), "null");
  for (int trial = 0; trial < 2000; ++trial) {
    const double value = random.normal() * std::pow(10.0, random.uniform(-300.0, 300.0));
    const double back = std::strtod(json_number(value, 6).c_str(), nullptr);
    EXPECT_LE(std::abs(back - value), 5.1e-6 * std::abs(value)) << value;
    EXPECT_EQ(std::strtod(json_number(value, 17).c_str(), nullptr), value);
  }
}

}  // namespace
}  // namespace pliant::report
