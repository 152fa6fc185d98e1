// Containers as other programs write them: other widths, compression, other kinds of text.
#include "constraints/linear.hpp"
#include "io_support.hpp"
#include "objective/linear.hpp"
#include "objective/multinomial.hpp"

#include <numeric>

namespace pliant::testing {
namespace {

class OtherWriters : public ::testing::Test {
 protected:
  /// A root with n variables.
  RawFile problem_file(int n) {
    RawFile file = RawFile::create(path_);
    file.text("/", "format", "pliant-problem");
    file.integers("/", "version", {1});
    file.integers("/", "n", {n});
    return file;
  }
  const LinearBatch& only_batch(const Problem& problem) {
    return dynamic_cast<const LinearBatch&>(*problem.batches().at(0));
  }

  TemporaryDirectory directory_;
  fs::path path_ = directory_ / "other.h5";
};

// The example of docs/container.md in C.
TEST_F(OtherWriters, MinimalFile) {
  {
    RawFile file = problem_file(2);
    file.group("objective");
    file.group("objective/0");
    file.text("objective/0", "kind", "linear");
    file.doubles("objective/0/c", {2}, {1.0, 2.0});
    file.group("constraints");
    file.group("constraints/0");
    file.text("constraints/0", "family", "linear");
    file.doubles("constraints/0/G", {3, 2}, {1, 2, 3, 4, 5, 6});
    file.doubles("constraints/0/upper", {3}, {7, 8, 9});
  }
  const Problem problem = read_problem(path_);
  EXPECT_EQ(problem.terms()[0].weight, 1.0);
  EXPECT_EQ(problem.objective(Eigen::Vector2d(10.0, 100.0)), 210.0);
  const LinearBatch& batch = only_batch(problem);
  EXPECT_FALSE(batch.two_sided());
  EXPECT_EQ(batch.name, "");
  EXPECT_EQ(batch.matrix().row(1), Eigen::Vector2d(3.0, 4.0));
  EXPECT_EQ(batch.upper()[2], 9.0);
}

TEST_F(OtherWriters, NarrowNumbersAndFixedText) {
  {
    RawFile file = problem_file(3);
    file.remove_attribute("/", "format");
    file.fixed_text("/", "format", "pliant-problem", H5T_STR_NULLPAD);
    file.remove_attribute("/", "n");
    file.number("/", "n", 3.0);  // writers that know only double
    file.group("constraints");
    file.group("constraints/0");
    file.fixed_text("constraints/0", "family", "linear   ", H5T_STR_SPACEPAD);
    file.fixed_text("constraints/0", "name", std::string("short\0\0\0", 8), H5T_STR_NULLTERM);
    file.group("constraints/0/G");
    file.integers("constraints/0/G", "shape", {2, 3});
    file.doubles("constraints/0/G/indptr", {3}, {0, 1, 3}, H5T_STD_I32LE);
    file.doubles("constraints/0/G/indices", {3}, {2, 0, 1}, H5T_STD_U16BE);
    file.doubles("constraints/0/G/data", {3}, {0.5, -1.25, 3.0}, H5T_IEEE_F32BE);
    file.doubles("constraints/0/upper", {1, 2}, {4, 5}, H5T_STD_I8LE);     // a row
    file.doubles("constraints/0/lower", {2, 1}, {-4, -5}, H5T_STD_I64LE);  // a column
  }
  const Problem problem = read_problem(path_);
  const LinearBatch& batch = only_batch(problem);
  EXPECT_EQ(batch.name, "short");
  EXPECT_TRUE(batch.two_sided() && batch.matrix().is_sparse());
  EXPECT_EQ(batch.matrix().row(0), Eigen::Vector3d(0.0, 0.0, 0.5));
  EXPECT_EQ(batch.matrix().row(1), Eigen::Vector3d(-1.25, 3.0, 0.0));
  EXPECT_EQ(batch.upper()[1], 5.0);
  EXPECT_EQ(batch.lower()[1], -5.0);
}

TEST_F(OtherWriters, CompressedChunks) {
  std::vector<double> G(50 * 40);
  std::iota(G.begin(), G.end(), 0.0);
  {
    RawFile file = problem_file(40);
    file.group("constraints");
    file.group("constraints/0");
    file.text("constraints/0", "family", "linear");
    const RawId properties(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t chunk[] = {7, 9};
    H5Pset_chunk(properties, 2, chunk);
    H5Pset_shuffle(properties);
    H5Pset_deflate(properties, 9);
    H5Pset_fletcher32(properties);
    file.doubles("constraints/0/G", {50, 40}, G, H5T_IEEE_F64LE, properties);
    file.doubles("constraints/0/upper", {50}, std::vector<double>(50, 1.0));
  }
  EXPECT_TRUE(same_bits(only_batch(read_problem(path_)).matrix().values(), Doubles(G)));
}

// Zeros shrink as much as deflate allows and must not be taken for an unwritten array.
TEST_F(OtherWriters, HighlyCompressibleArray) {
  {
    RawFile file = problem_file(1000);
    file.group("objective");
    file.group("objective/0");
    file.text("objective/0", "kind", "least_squares");
    const RawId properties(H5Pcreate(H5P_DATASET_CREATE));
    const hsize_t chunk[] = {1000, 1000};
    H5Pset_chunk(properties, 2, chunk);
    H5Pset_deflate(properties, 9);
    file.doubles("objective/0/A", {1000, 1000}, std::vector<double>(1000000, 0.0), H5T_IEEE_F64LE, properties);
    file.doubles("objective/0/b", {1000}, std::vector<double>(1000, 1.0));
  }
  ASSERT_LT(fs::file_size(path_), 100000u);
  EXPECT_NEAR(read_problem(path_).objective(Vector::Ones(1000)), 0.5, 1e-12);
}

TEST_F(OtherWriters, OneSidedBoundsAndWeights) {
  {
    RawFile file = problem_file(2);
    file.group("prox");
    file.text("prox", "kind", "separable");
    file.number("prox", "l1", 0.5);
    file.doubles("prox/lo", {2}, {0.0, -1.0});
  }
  const Problem problem = read_problem(path_);
  const SeparableParameters* parameters = separable_parameters(problem.prox());
  ASSERT_NE(parameters, nullptr);
  EXPECT_EQ(parameters->l1, 0.5);
  EXPECT_EQ(parameters->l2, 0.0);
  EXPECT_EQ(parameters->lo[1], -1.0);
  EXPECT_EQ(parameters->hi[1], kInfinity);
}

TEST_F(OtherWriters, UserNamesAreFree) {
  {
    RawFile file = problem_file(2);
    file.group("user_notes");
    file.text("/", "user_author", "somebody");
    file.group("constraints");
    file.group("constraints/user_groups");
  }
  EXPECT_TRUE(read_problem(path_).batches().empty());
}

// Two terms may share one array through hard links.
TEST_F(OtherWriters, HardLinksShareArrays) {
  {
    RawFile file = problem_file(2);
    file.group("objective");
    for (const char* term : {"objective/0", "objective/1"}) {
      file.group(term);
      file.text(term, "kind", "linear");
    }
    file.doubles("objective/0/c", {2}, {1.0, 2.0});
    H5Lcreate_hard(file.id(), "objective/0/c", file.id(), "objective/1/c", H5P_DEFAULT, H5P_DEFAULT);
  }
  EXPECT_EQ(read_problem(path_).objective(Vector::Ones(2)), 6.0);
}

}  // namespace
}  // namespace pliant::testing
