#include "pliant/settings.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

namespace pliant {
namespace {

const SettingSpec& spec(const std::string& name) {
  for (const SettingSpec& s : settings_table()) {
    if (s.name == name) return s;
  }
  throw std::logic_error("no setting " + name);
}

std::string error_of(const std::string& name, const std::string& text) {
  Settings settings;
  try {
    spec(name).parse(spec(name), settings, text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Settings, NamesAreUniqueAndPrintedValuesParseBack) {
  std::set<std::string> names;
  for (const SettingSpec& s : settings_table()) {
    EXPECT_TRUE(names.insert(s.name).second) << s.name;
    EXPECT_FALSE(s.description.empty());
    Settings settings;
    const std::string text = s.print(settings);
    if (text == "none") continue;
    s.parse(s, settings, text);
    EXPECT_EQ(s.print(settings), text) << s.name;
  }
}

// Bars would end a table cell.
std::string escaped(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\|");
  return text;
}

// docs/settings.md is made from the table; PLIANT_UPDATE_DOCS=1 writes it.
std::string settings_page() {
  std::string page =
      "# Settings of a solve\n\nMade from the table in `src/settings/settings.cpp`; the same names are options of "
      "`pliant "
      "solve` and fields\nof `pliant::Settings`.\n\n| option | field | values | default | meaning "
      "|\n|---|---|---|---|---|\n";
  for (const SettingSpec& s : settings_table()) {
    page += "| `" + s.option() + "` | `" + s.name + "` | " + escaped(s.is_flag ? "flag" : s.value_name) + " | " +
            s.print(Settings{}) + " | " + escaped(s.description) + " |\n";
  }
  return page;
}

TEST(Settings, DocumentationIsUpToDate) {
  const std::string file = PLIANT_SOURCE_DIR "/docs/settings.md";
  if (std::getenv("PLIANT_UPDATE_DOCS") != nullptr) std::ofstream(file) << settings_page();
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  EXPECT_EQ(text.str(), settings_page()) << "run settings_test with PLIANT_UPDATE_DOCS=1";
}

TEST(Settings, ValuesArrive) {
  Settings s;
  spec("tol_feas").parse(spec("tol_feas"), s, "1e-9");
  spec("xi").parse(spec("xi"), s, "12.5");
  spec("outer").parse(spec("outer"), s, "nested");
  spec("norm").parse(spec("norm"), s, "1");
  spec("max_iterations").parse(spec("max_iterations"), s, "17");
  EXPECT_EQ(s.tol_feas, 1e-9);
  EXPECT_EQ(s.xi, 12.5);
  EXPECT_EQ(s.outer, Outer::nested);
  EXPECT_EQ(s.norm, ViolationNorm::l1);
  EXPECT_EQ(s.max_iterations, 17);
  EXPECT_EQ(spec("tol_feas").option(), "--tol-feas");
}

TEST(Settings, WrongValuesNameTheSettingAndTheBound) {
  EXPECT_EQ(error_of("tol_feas", "0"), "--tol-feas: expected a number > 0, got '0'");
  EXPECT_EQ(error_of("tol_gap", "nan"), "--tol-gap: expected a number > 0, got 'nan'");
  EXPECT_EQ(error_of("tol_gap", "1e-6x"), "--tol-gap: expected a number > 0, got '1e-6x'");
  EXPECT_EQ(error_of("xi", "-1"), "--xi: expected auto or a number > 0, got '-1'");
  EXPECT_EQ(error_of("outer", "nest"), "--outer: expected auto|static|nested|multiplier, got 'nest'");
  EXPECT_EQ(error_of("threads", "-1"), "--threads: expected an integer from 0 to 4096, got '-1'");
  EXPECT_EQ(error_of("max_iterations", "1.5"), "--max-iterations: expected an integer >= 0, got '1.5'");
}

TEST(Settings, SizesInEveryUnit) {
  const std::vector<std::pair<std::string, Index>> accepted{{"1", 1},
                                                            {"4096", 4096},
                                                            {"100B", 100},
                                                            {"0.5K", 512},
                                                            {"3k", 3072},
                                                            {"3KiB", 3072},
                                                            {"3kB", 3000},
                                                            {"512M", 536870912},
                                                            {"512m", 536870912},
                                                            {"2MB", 2000000},
                                                            {"1G", 1073741824},
                                                            {"1.5GiB", 1610612736},
                                                            {"2GB", 2000000000},
                                                            {"1e9", 1000000000},
                                                            {"1.5e3K", 1536000},
                                                            {"2T", Index{2} << 40},
                                                            {"0.25TiB", Index{1} << 38},
                                                            {"3TB", 3000000000000}};
  for (const auto& [text, bytes] : accepted) {
    Settings s;
    spec("memory_limit").parse(spec("memory_limit"), s, text);
    EXPECT_EQ(s.memory_limit, bytes) << text;
    EXPECT_EQ(spec("memory_limit").print(s), std::to_string(bytes));
    EXPECT_NO_THROW(validate(s));
  }
  for (const std::string text :
       {"",    "G",   "0",   "0G",  "-1G",  "0.1",   "1X",   "1GG",      "1 G",  " 1G",  "1G ",  "+1G",
        "1iB", "1Gi", "nan", "inf", "infG", "1e400", "1e30", "8388608T", "0x10", "1,5G", "none", "auto"}) {
    EXPECT_EQ(error_of("memory_limit", text),
              "--memory-limit: expected a size > 0 such as 512M, 1.5GiB or 2GB, got '" + text + "'");
  }
  Settings s;
  s.memory_limit = -5;
  EXPECT_THROW(validate(s), InputError);
}

TEST(Settings, ValidateChecksStructsMadeByHand) {
  Settings s;
  EXPECT_NO_THROW(validate(s));
  s.tol_gap = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW(validate(s), InputError);
  s = Settings{};
  s.xi = 0.0;
  EXPECT_THROW(validate(s), InputError);
  s = Settings{};
  s.threads = -2;
  EXPECT_THROW(validate(s), InputError);
}

}  // namespace
}  // namespace pliant
