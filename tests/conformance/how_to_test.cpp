// The how-to pages name files of this repository; this keeps the names true.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>

namespace {

namespace fs = std::filesystem;

TEST(HowTo, FilesNamedInThePagesExist) {
  const fs::path root = PLIANT_SOURCE_DIR;
  const std::regex path_pattern("`((src|include|tests|docs|cli|python|scripts|bench|examples)/[^` ]*)`");
  int pages = 0;
  for (const fs::directory_entry& page : fs::directory_iterator(root / "docs" / "how-to")) {
    std::ifstream file(page.path());
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    ++pages;
    for (std::sregex_iterator match(text.begin(), text.end(), path_pattern), end; match != end; ++match) {
      EXPECT_TRUE(fs::exists(root / (*match)[1].str())) << page.path().filename() << " names " << (*match)[1].str();
    }
  }
  EXPECT_GT(pages, 0);
}

}  // namespace
