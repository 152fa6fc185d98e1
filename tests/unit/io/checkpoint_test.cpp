// Checkpoints: whole or refused, of this problem or refused.
#include "pliant/checkpoint.hpp"
#include "support/random.hpp"
#include "support/refusal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <set>

namespace pliant {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::Random;

class Checkpoints : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("pliant-checkpoints-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    file_ = folder_ / "c.h5";
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path folder_, file_;
};

// Every kind of part, all numbers from one list, so that any one of them can be changed.
struct Parts {
  std::vector<double> numbers;
  explicit Parts(Random& random) : numbers(random.numbers(64)) {}

  double at(std::size_t i) const { return numbers[i % numbers.size()]; }
  std::vector<double> some(std::size_t from, std::size_t count) const {
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i) out.push_back(at(from + i));
    return out;
  }
  Problem problem() const {
    Problem out(3);
    out.minimize(linear(some(0, 3), at(3)), 1.0 + std::abs(at(4)));
    Matrix P = Matrix::Identity(3, 3);
    for (Index j = 0; j < 3; ++j) P(j, j) = 1.0 + std::abs(at(5 + static_cast<std::size_t>(j)));
    out.minimize(quadratic(DataMatrix::from(P), some(8, 3)));
    out.subject_to(linear_le(DataMatrix::dense(4, 3, some(11, 12)), some(23, 4)));
    out.subject_to(linear_le(DataMatrix::csr(2, 3, {0, 1, 2}, {0, 2}, some(27, 2)), some(29, 2)));
    std::vector<double> prices = some(31, 5);
    for (double& p : prices) p = std::abs(p);
    out.minimize(positive_part(DataMatrix::dense(5, 3, some(36, 15)), some(51, 5), prices));
    out.equal(DataMatrix::dense(1, 3, some(56, 3)), some(59, 1));
    std::vector<double> lo = some(60, 3);
    for (double& v : lo) v = -1.0 - std::abs(v);
    out.regularize(box(lo, {5.0, 5.0, 5.0}));
    return out;
  }
};

TEST(Fingerprint, EveryNumberCountsAndThreadsDoNot) {
  Random random(1);
  const Parts parts(random);
  std::set<std::uint64_t> seen{fingerprint(parts.problem())};
  EXPECT_TRUE(seen.contains(fingerprint(parts.problem())));
  for (std::size_t i = 0; i < 63; ++i) {
    Parts other = parts;
    other.numbers[i] = std::nextafter(other.numbers[i], 9.0);
    // Some numbers enter through 1 + |t|, which may swallow the last digit.
    if (fingerprint(other.problem()) == fingerprint(parts.problem())) other.numbers[i] *= 1.0 + 1e-9;
    EXPECT_TRUE(seen.insert(fingerprint(other.problem())).second) << "number " << i;
  }
}

Checkpoint some_point(Random& random, const Problem& problem) {
  Checkpoint out;
  out.best.x = random.vector(problem.dimension());
  for (const BatchPtr& batch : problem.batches()) out.best.multipliers.lambda.push_back(random.vector(batch->size()));
  out.best.multipliers.nu = random.vector(problem.has_equalities() ? problem.equality_matrix().rows() : 0);
  out.best.proved_bound = random.normal();
  return out;
}

TEST_F(Checkpoints, ComeBackAsTheyWere) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    Random random(seed);
    const Problem problem = Parts(random).problem();
    const Checkpoint point = some_point(random, problem);
    const CheckpointWriter writer(problem, file_, 17, 2.5);
    writer.write(point.best);
    const Checkpoint back = read_checkpoint(file_, problem);
    EXPECT_EQ(back.best.x, point.best.x);
    for (std::size_t b = 0; b < problem.batches().size(); ++b) {
      EXPECT_EQ(back.best.multipliers.lambda[b], point.best.multipliers.lambda[b]);
    }
    EXPECT_EQ(back.best.multipliers.nu, point.best.multipliers.nu);
    EXPECT_EQ(back.best.proved_bound, point.best.proved_bound);
    EXPECT_EQ(back.seed, 17);
    EXPECT_GE(back.seconds, 2.5);
  }
}

// What is proved of a problem without a solution is no number; neither is a bound nobody has.
TEST_F(Checkpoints, WithoutABound) {
  Random random(2);
  const Problem problem = Parts(random).problem();
  for (const double bound : {kInfinity, -kInfinity}) {
    Checkpoint point = some_point(random, problem);
    point.best.proved_bound = bound;
    CheckpointWriter(problem, file_, 0).write(point.best);
    EXPECT_EQ(read_checkpoint(file_, problem).best.proved_bound, -kInfinity);
  }
}

TEST_F(Checkpoints, OfAnotherProblemAreRefused) {
  Random random(3);
  Parts parts(random);
  const Problem problem = parts.problem();
  CheckpointWriter(problem, file_, 0).write(some_point(random, problem).best);
  parts.numbers[12] += 1e-12;
  EXPECT_THAT(testing::refusal_of([&] { read_checkpoint(file_, parts.problem()); }), HasSubstr("another problem"));
}

std::string bytes_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Whatever byte is damaged: one line, or the numbers that were written.
TEST_F(Checkpoints, DamageIsNoticed) {
  Random random(4);
  const Problem problem = Parts(random).problem();
  const Checkpoint point = some_point(random, problem);
  CheckpointWriter(problem, file_, 0).write(point.best);
  const std::string whole = bytes_of(file_);
  int refused = 0;
  for (int trial = 0; trial < 200; ++trial) {
    std::string damaged = whole;
    const auto place = static_cast<std::size_t>(random.integer(0, static_cast<Index>(whole.size()) - 1));
    damaged[place] = static_cast<char>(damaged[place] ^ (1 << random.integer(0, 7)));
    if (trial % 4 == 0) damaged.resize(place);
    std::ofstream(file_, std::ios::binary) << damaged;
    try {
      const Checkpoint back = read_checkpoint(file_, problem);
      EXPECT_EQ(back.best.x, point.best.x);
      EXPECT_EQ(back.best.proved_bound, point.best.proved_bound);
    } catch (const InputError& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("c.h5"));
    }
  }
  EXPECT_GT(refused, 50);
}

TEST_F(Checkpoints, APlaceThatCannotBeWrittenCostsNoSolve) {
  Random random(5);
  const Problem problem = Parts(random).problem();
  EXPECT_THROW(CheckpointWriter(problem, folder_ / "missing" / "c.h5", 0), InputError);
  CheckpointWriter writer(problem, file_, 0);
  SolveHooks hooks;
  writer.install(hooks, 0.0);
  fs::remove_all(folder_);
  hooks.best(some_point(random, problem).best);  // no throw
  EXPECT_THAT(writer.failure(), HasSubstr("cannot be written"));
}

TEST(KeepBound, NoProvedBoundIsLost) {
  Checkpoint checkpoint;
  checkpoint.best.proved_bound = 1.5;
  Result result;
  result.status = Status::time_limit;
  result.certificate.objective = 2.0;
  result.certificate.proof = {1.0, BoundKind::proved};
  keep_bound(checkpoint, 1e-6, result);
  EXPECT_EQ(result.certificate.proof.value, 1.5);
  checkpoint.best.proved_bound = 1.2;
  keep_bound(checkpoint, 1e-6, result);
  EXPECT_EQ(result.certificate.proof.value, 1.5);
  result.status = Status::dual_infeasible;
  result.certificate.proof = {-kInfinity, BoundKind::proved};
  keep_bound(checkpoint, 1e-6, result);
  EXPECT_EQ(result.certificate.proof.value, -kInfinity) << "a proof that there is none stands";
}

}  // namespace
}  // namespace pliant
