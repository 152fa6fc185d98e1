// Arrays beyond the memory limit: mapped where they can be, the same numbers, and no surprise where they cannot.
#include "constraints/linear.hpp"
#include "io/mapped_file.hpp"
#include "io_support.hpp"
#include "pliant/generate.hpp"
#include "pliant/solve.hpp"
#include "support/random.hpp"

#include <algorithm>

namespace pliant::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr Index kRows = 20000;
constexpr Index kColumns = 10;
constexpr Index kMatrixBytes = kRows * kColumns * 8;  // 1.6 MB

const LinearBatch& batch_of(const Problem& problem) {
  return dynamic_cast<const LinearBatch&>(*problem.batches().at(0));
}

class Mapping : public ::testing::Test {
 protected:
  /// A problem of kRows linear rows as another program writes it.
  template <class WriteMatrix>
  void write_foreign(const fs::path& path, WriteMatrix write_matrix, hid_t creation = H5P_DEFAULT) {
    Random random(5);
    values_ = random.numbers(kRows * kColumns);
    RawFile file = RawFile::create(path, creation);
    file.text("/", "format", "pliant-problem");
    file.integers("/", "version", {1});
    file.integers("/", "n", {static_cast<int>(kColumns)});
    file.group("constraints");
    file.group("constraints/0");
    file.text("constraints/0", "family", "linear");
    write_matrix(file);
    file.doubles("constraints/0/upper", {kRows}, random.numbers(kRows));
  }
  /// The matrix with the given type and properties.
  void matrix(RawFile& file, hid_t stored = H5T_IEEE_F64LE, hid_t properties = H5P_DEFAULT) {
    file.doubles("constraints/0/G", {kRows, kColumns}, values_, stored, properties);
  }
  bool matrix_arrived(const Problem& problem) {
    const Doubles& got = batch_of(problem).matrix().values();
    return std::equal(got.begin(), got.end(), values_.begin(), values_.end());
  }
  /// What cannot be mapped is read up to the limit and refused beyond it.
  void expect_read_or_refused(const std::string& obstacle) {
    SCOPED_TRACE(obstacle);
    const Index before = mapped_bytes();
    const Problem problem = read_problem(path_, {kMatrixBytes + 8 * kRows});
    EXPECT_EQ(mapped_bytes(), before);
    EXPECT_EQ(batch_of(problem).matrix().values().size(), kRows * kColumns);
    const std::string error = error_of([&] { read_problem(path_, {kMatrixBytes - 1}); });
    EXPECT_THAT(error, AllOf(HasSubstr(path_.string() + ": constraints/0/G: "), HasSubstr(obstacle),
                             HasSubstr("--memory-limit"), HasSubstr("h5repack")));
    EXPECT_EQ(std::count(error.begin(), error.end(), '\n'), 0);
  }

  TemporaryDirectory directory_;
  fs::path path_ = directory_ / "p.h5";
  std::vector<double> values_;
};

TEST_F(Mapping, LargeArraysAreMappedAndEqual) {
  Random random(1);
  Problem written(kColumns);
  written.subject_to(
      linear_le(DataMatrix::dense(kRows, kColumns, random.numbers(kRows * kColumns)), random.numbers(kRows)));
  write_problem(written, path_);
  const LinearBatch& original = batch_of(written);
  // Half of the limit decides whether their pages come at once, which changes nothing but the time; the right-hand side
  // is too small to be mapped whatever the limit.
  for (const std::optional<Index> limit :
       {std::optional<Index>(), {2 * kMatrixBytes + 16 * kRows}, {2 * kMatrixBytes - 1}, {Index{1}}}) {
    const Problem problem = read_problem(path_, {limit});
    EXPECT_EQ(mapped_bytes(), kMatrixBytes) << limit.value_or(0);
    EXPECT_TRUE(same_bits(batch_of(problem).matrix(), original.matrix()));
    EXPECT_TRUE(same_bits(batch_of(problem).upper(), original.upper()));
  }
  EXPECT_EQ(mapped_bytes(), 0);
}

// Pages that end in the middle of the file, and a size that is no multiple of a page.
TEST_F(Mapping, FetchingPagesReadsNothingElse) {
  Random random(2);
  for (const Index rows : {Index{4500}, Index{4501}, Index{4777}}) {
    Problem written(37);
    const std::vector<double> numbers = random.numbers(rows * 37);
    written.subject_to(linear_le(DataMatrix::dense(rows, 37, numbers), random.numbers(rows)));
    write_problem(written, path_);
    const Problem problem = read_problem(path_);
    EXPECT_EQ(mapped_bytes(), rows * 37 * 8);
    const Doubles& got = batch_of(problem).matrix().values();
    EXPECT_TRUE(std::equal(got.begin(), got.end(), numbers.begin(), numbers.end()));
  }
}

TEST_F(Mapping, ArraysOutliveProblemReaderAndFile) {
  write_foreign(path_, [&](RawFile& file) { matrix(file); });
  Doubles kept;
  {
    const Problem problem = read_problem(path_, {1});
    kept = batch_of(problem).matrix().values();
  }
  fs::remove(path_);
  EXPECT_EQ(mapped_bytes(), kMatrixBytes);
  EXPECT_TRUE(std::equal(kept.begin(), kept.end(), values_.begin(), values_.end()));
  kept = {};
  EXPECT_EQ(mapped_bytes(), 0);
}

// Dense, sparse and curved constraints, and samples of an objective.
TEST_F(Mapping, SolvesGiveTheSameBytes) {
  struct Case {
    std::string family;
    std::map<std::string, double> parameters;
  };
  const auto seed = static_cast<double>(base_seed() % 1000);
  for (const auto& [family, parameters] : {Case{"dense_qp", {{"n", 10}, {"m", 20000}, {"seed", seed}}},
                                           Case{"dense_lp", {{"n", 7}, {"m", 20000}, {"seed", seed}}},
                                           Case{"sparse_qp", {{"n", 20}, {"m", 30000}, {"seed", seed}}},
                                           Case{"qcqp_lowrank", {{"n", 10}, {"m", 5000}, {"rank", 3}, {"seed", seed}}},
                                           Case{"logistic", {{"n", 7}, {"m", 500}, {"l", 20000}, {"seed", seed}}}}) {
    SCOPED_TRACE(family);
    const Problem held = generate(family, parameters);
    write_problem(held, path_);
    Settings settings;
    settings.max_iterations = 60;
    const Result expected = solve(held, settings);
    const Problem mapped = read_problem(path_, {1});
    EXPECT_GT(mapped_bytes(), Index{1} << 20);
    for (const int threads : {1, 2}) {
      settings.threads = threads;
      const Result got = solve(mapped, settings);
      EXPECT_EQ(got.status, expected.status);
      EXPECT_TRUE(same_bits(got.x, expected.x));
      EXPECT_TRUE(same_bits(got.multipliers.lambda.at(0), expected.multipliers.lambda.at(0)));
    }
  }
}

TEST_F(Mapping, OtherWritersWithAUserBlock) {
  const RawId creation(H5Pcreate(H5P_FILE_CREATE));
  H5Pset_userblock(creation, 1024);
  write_foreign(
      path_, [&](RawFile& file) { matrix(file); }, creation);
  const Problem problem = read_problem(path_, {1});
  EXPECT_EQ(mapped_bytes(), kMatrixBytes);
  EXPECT_TRUE(matrix_arrived(problem));
}

TEST_F(Mapping, WhatCannotBeMappedIsReadOrRefused) {
  const RawId chunked(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk[] = {1000, kColumns};
  H5Pset_chunk(chunked, 2, chunk);
  write_foreign(path_, [&](RawFile& file) { matrix(file, H5T_IEEE_F64LE, chunked); });
  expect_read_or_refused("chunked or compressed");
  H5Pset_deflate(chunked, 1);
  write_foreign(path_, [&](RawFile& file) { matrix(file, H5T_IEEE_F64LE, chunked); });
  expect_read_or_refused("chunked or compressed");
  for (const hid_t type : {H5T_IEEE_F32LE, H5T_IEEE_F64BE, H5T_STD_I64LE}) {
    write_foreign(path_, [&](RawFile& file) { matrix(file, type); });
    expect_read_or_refused("type");
  }
  write_foreign(path_, [&](RawFile& file) {
    file.doubles("user_odd", {3001}, std::vector<double>(3001), H5T_STD_U8LE);
    matrix(file);
    const RawId dataset(H5Dopen2(file.id(), "constraints/0/G", H5P_DEFAULT));
    ASSERT_NE(H5Dget_offset(dataset) % 8, 0u);
  });
  expect_read_or_refused("not at a multiple of 8");
}

// Together the arrays may not exceed the limit either.
TEST_F(Mapping, TheLimitHoldsForAllArraysTogether) {
  const RawId chunked(H5Pcreate(H5P_DATASET_CREATE));
  const hsize_t chunk[] = {1000, kColumns};
  H5Pset_chunk(chunked, 2, chunk);
  write_foreign(path_, [&](RawFile& file) {
    matrix(file, H5T_IEEE_F64LE, chunked);
    file.group("constraints/1");
    file.text("constraints/1", "family", "linear");
    file.doubles("constraints/1/G", {kRows, kColumns}, values_, H5T_IEEE_F64LE, chunked);
    file.doubles("constraints/1/upper", {kRows}, std::vector<double>(kRows, 1.0));
  });
  EXPECT_EQ(error_of([&] { read_problem(path_, {2 * kMatrixBytes + 16 * kRows}); }), "(no error)");
  EXPECT_THAT(error_of([&] { read_problem(path_, {2 * kMatrixBytes}); }), HasSubstr("constraints/1/G"));
}

// The library believes its own record of the file's end, which a repaired or hostile file may have wrong.
TEST_F(Mapping, DataBehindTheEndOfTheFileAreRefused) {
  constexpr std::size_t kEndOfFileField = 40;  // of the superblock, version 0
  write_foreign(path_, [&](RawFile& file) { matrix(file); });
  std::string bytes = bytes_of(path_);
  std::size_t at = bytes.find(std::string(reinterpret_cast<const char*>(values_.data()), 64));
  ASSERT_NE(at, std::string::npos);
  // The matrix is moved behind everything else: its address in the header now points to the last kilobyte.
  const std::uint64_t address = at;
  const std::string old(reinterpret_cast<const char*>(&address), 8);
  const std::uint64_t behind = (bytes.size() - 1024) / 8 * 8;
  std::size_t found = 0, places = 0;
  for (std::size_t p = bytes.find(old); p != std::string::npos; p = bytes.find(old, p + 1), ++places) found = p;
  ASSERT_EQ(places, 1u);
  std::memcpy(bytes.data() + found, &behind, 8);
  const std::uint64_t end = bytes.size();
  ASSERT_EQ(std::memcmp(bytes.data() + kEndOfFileField, &end, 8), 0);
  write_bytes(path_, bytes);
  EXPECT_THAT(error_of([&] { read_problem(path_, {1}); }),
              AllOf(HasSubstr("constraints/0/G: "), HasSubstr("but the file has only")));

  // The plain case, at every length.
  write_foreign(path_, [&](RawFile& file) { matrix(file); });
  const std::string whole = bytes_of(path_);
  Random random(9);
  for (int trial = 0; trial < 20; ++trial) {
    write_bytes(path_, whole.substr(0, static_cast<std::size_t>(random.integer(1, static_cast<Index>(end) - 1))));
    EXPECT_NE(error_of([&] { read_problem(path_, {1}); }), "(no error)");
  }
}

TEST_F(Mapping, MapFileLooksAtTheEndItself) {
  write_bytes(path_, std::string(10000, 'x'));
  const io::Hdf5Place place{path_.string(), "array"};
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path_.c_str(), "rb"), &std::fclose);
  const int descriptor = fileno(file.get());
  const auto last = io::map_file(descriptor, 5001, 4999, place);
  EXPECT_EQ(static_cast<const char*>(last.get())[4998], 'x');
  for (const auto& [offset, bytes] : std::initializer_list<std::pair<std::uint64_t, std::uint64_t>>{
           {5001, 5000}, {10001, 1}, {~0ull, 8}, {8, ~0ull}}) {
    EXPECT_THAT(error_of([&, o = offset, b = bytes] { io::map_file(descriptor, o, b, place); }),
                AllOf(HasSubstr("array: "), HasSubstr("but the file has only 10000")));
  }
}

TEST_F(Mapping, LimitsThatAreNoneAreRefused) {
  write_problem(generate("svm"), path_);
  for (const Index bad : {Index{0}, Index{-1}}) {
    EXPECT_THAT(error_of([&] { read_problem(path_, {bad}); }), HasSubstr("memory_limit"));
  }
}

}  // namespace
}  // namespace pliant::testing
