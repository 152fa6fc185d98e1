// Instances written while they are made: the same bytes as those made in memory.
#include "io/deferred_arrays.hpp"
#include "pliant/generate.hpp"
#include "pliant/io.hpp"
#include "support/random.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace pliant {
namespace {

namespace fs = std::filesystem;
using Values = std::map<std::string, double>;

class Streamed : public ::testing::Test {
 protected:
  Streamed() {
    std::string pattern = (fs::temp_directory_path() / "pliant-streamed-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Streamed() override { fs::remove_all(folder_); }

  static std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }
  void expect_same(const std::string& family, Values values, const std::vector<Index>& blocks) {
    values["seed"] = static_cast<double>(testing::base_seed() % 1000);
    write_problem(generate(family, values), folder_ / "whole.h5");
    const std::string expected = bytes_of(folder_ / "whole.h5");
    ASSERT_GT(expected.size(), 500u);
    for (const Index block : blocks) {
      std::string trace = family + " block=" + std::to_string(block);
      for (const auto& [name, value] : values) trace += " " + name + "=" + std::to_string(value);
      SCOPED_TRACE(trace);
      Index last = 0, total = 0;
      GenerateFileOptions options;
      options.block_bytes = block;
      options.progress = [&](Index written, Index all) {
        EXPECT_GT(written, last);
        last = written;
        total = all;
      };
      generate_file(family, values, folder_ / "pieces.h5", options);
      EXPECT_TRUE(bytes_of(folder_ / "pieces.h5") == expected);
      EXPECT_EQ(last, total);
    }
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  fs::path folder_;
};

TEST_F(Streamed, EveryFamilyGivesTheSameBytes) {
  for (const FamilyInfo& family : generated_families()) {
    const bool entrywise = family.name.starts_with("entrywise");
    if (family.name == "ellipsoid") {  // n follows from d, and m > d
      expect_same(family.name, {{"d", 3}, {"m", 61}}, {1, 1000, 1 << 24});
      continue;
    }
    if (family.name == "shor_boxqp" || family.name == "soc_rlt") {
      for (const double m : {0, 61}) expect_same(family.name, {{"d", 4}, {"m", m}}, {1, 1000, 1 << 24});
      continue;
    }
    if (family.name == "opf") {
      for (const double k : {0, 2}) expect_same(family.name, {{"k", k}, {"m", 200}}, {1, 1000, 1 << 24});
      continue;
    }
    expect_same(family.name, {{"n", 7}, {"m", entrywise ? 5 : 61}}, {1, 1000, 1 << 24});
    const bool needs_rows = family.name == "infeasible" || family.name == "barely_feasible";  // more than n
    if (needs_rows) continue;
    if (family.name != "cvar") expect_same(family.name, {{"n", 1}, {"m", 1}}, {1});
    expect_same(family.name, {{"n", 3}, {"m", 0}}, {1});
  }
}

TEST_F(Streamed, EveryVariantGivesTheSameBytes) {
  for (const char* family : {"dense_lp", "dense_qp"}) {
    for (const Values& variant :
         {Values{{"duplicate", 3}}, Values{{"correlation", 0.5}}, Values{{"heavy", 1}}, Values{{"degenerate", 1}},
          Values{{"duplicate", 4}, {"correlation", 1.0}, {"heavy", 1}, {"degenerate", 1}}}) {
      Values values = variant;
      values.insert({{"n", 5}, {"m", 101}});
      expect_same(family, values, {1, 777});
    }
  }
  expect_same("sparse_qp", {{"n", 9}, {"m", 101}, {"duplicate", 3}, {"heavy", 1}, {"nnz", 4}}, {1, 777});
  expect_same("ridge", {{"n", 9}, {"m", 5}, {"planted", 0}, {"l", 33}}, {1, 777});
  expect_same("logistic", {{"n", 9}, {"m", 40}, {"l", 33}}, {1, 777});
}

// Beyond the size from which arrays are aligned for mapping; blocks that do not divide the rows.
TEST_F(Streamed, LargeArraysGiveTheSameBytes) {
  expect_same("dense_qp", {{"n", 20}, {"m", 20011}, {"degenerate", 1}}, {100000, 1 << 24});
  expect_same("log_sum_exp", {{"n", 10}, {"m", 5003}, {"terms", 4}}, {100000});
}

TEST_F(Streamed, NothingIsLeftWhenWritingIsGivenUp) {
  struct GiveUp {};
  GenerateFileOptions options;
  options.block_bytes = 1000;
  options.progress = [](Index written, Index) {
    if (written > 5000) throw GiveUp{};
  };
  EXPECT_THROW(generate_file("dense_qp", {}, folder_ / "out.h5", options), GiveUp);
  EXPECT_EQ(files(), 0u);
}

// A full disk, imitated by a limit on the size of files, ends the work at once.
TEST_F(Streamed, FullDiskEndsTheWork) {
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit original{};
  ::getrlimit(RLIMIT_FSIZE, &original);
  const rlimit limited{100000, original.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &limited);
  std::string error = "(no error)";
  Index written = 0;
  GenerateFileOptions options;
  options.block_bytes = 50000;
  options.progress = [&](Index so_far, Index) { written = so_far; };
  try {
    generate_file("dense_qp", {{"n", 10}, {"m", 100000}}, folder_ / "out.h5", options);
  } catch (const InputError& failed) {
    error = failed.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &original);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(error, (folder_ / "out.h5").string() + ": writing failed (File too large)");
  EXPECT_LE(written, 150000);
  EXPECT_EQ(files(), 0u);
}

TEST_F(Streamed, InstancesLargerThanTheDiskAreRefusedAtOnce) {
  const Values values{{"n", 1000.0}, {"m", 1e9}};  // 8 TB
  if (fs::space(folder_).available > 8'000'000'000'000) GTEST_SKIP() << "the disk is larger";
  try {
    generate_file("dense_qp", values, folder_ / "out.h5");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("out.h5: the instance takes 8008000000000 bytes"));
  }
  EXPECT_EQ(files(), 0u);
}

TEST_F(Streamed, PlaceholdersHaveASizeAndNoMemory) {
  io::DeferredArrays deferred;
  const Doubles huge = deferred.add<double>(Index{1} << 30, 10, [](Index, double*) {});
  EXPECT_EQ(huge.size(), Index{10} << 30);
  ASSERT_NE(deferred.find(huge.data()), nullptr);
  EXPECT_EQ(deferred.find(huge.data())->row_bytes, 80);
  EXPECT_EQ(deferred.find(&deferred), nullptr);
}

}  // namespace
}  // namespace pliant
