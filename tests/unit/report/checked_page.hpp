// A page as a browser needs it: well-formed, finite, and with nothing in it that acts.
#pragma once

#include "pliant/report.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <string>
#include <vector>

namespace pliant::testing {

// Every element is closed in its place; attributes are quoted; nothing refers to another place.
inline void expect_well_formed(const std::string& page) {
  const std::set<std::string> empty{"meta", "link", "input"};
  std::vector<std::string> open;
  const std::regex attributes(R"re((\s+[a-zA-Z-]+(="[^"<>]*")?)*)re");
  std::size_t at = page.find("<html");
  while ((at = page.find('<', at)) != std::string::npos) {
    const std::size_t end = page.find('>', at);
    ASSERT_NE(end, std::string::npos);
    std::string tag = page.substr(at + 1, end - at - 1);
    if (tag[0] == '/') {
      ASSERT_FALSE(open.empty()) << tag;
      ASSERT_EQ(tag.substr(1), open.back());
      open.pop_back();
    } else {
      const bool closed = tag.back() == '/';
      if (closed) tag.pop_back();
      const std::string name = tag.substr(0, tag.find_first_of(" \n"));
      if (tag.size() < 5000) {  // paths are long, and a regular expression recurses
        EXPECT_TRUE(std::regex_match(tag.substr(name.size()), attributes)) << tag;
      }
      if (!closed && empty.count(name) == 0) open.push_back(name);
      if (name == "script" || name == "style") {
        at = page.find("</" + name + ">", end);
        ASSERT_NE(at, std::string::npos);
        continue;
      }
    }
    at = end;
  }
  EXPECT_TRUE(open.empty()) << open.back();
  EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr("http://www.example")));
  for (const char* outward : {"src=", "href=\"h", "@import", "url(", "fetch("})
    EXPECT_THAT(page, ::testing::Not(::testing::HasSubstr(outward)));
}

inline void expect_finite_drawing(const std::string& page) {
  const std::regex attribute(
      R"re( (d|x|y|x1|x2|y1|y2|width|height|cx|cy|style|data-x|data-y|data-reference)="([^"]{0,2000}))re");
  for (auto i = std::sregex_iterator(page.begin(), page.end(), attribute); i != std::sregex_iterator(); ++i) {
    EXPECT_THAT((*i)[2].str(),
                ::testing::Not(::testing::AnyOf(::testing::HasSubstr("nan"), ::testing::HasSubstr("inf"))))
        << (*i)[1];
  }
}

inline std::string checked_page(const Result& result, const ReportOptions& options = {}) {
  std::string page = report_html(result, options);
  expect_well_formed(page);
  expect_finite_drawing(page);
  return page;
}

}  // namespace pliant::testing
