#include "conformance/holders/holders.hpp"

#include "cones/spectral.hpp"
#include "pliant/io.hpp"
#include "pliant/svec.hpp"
#include "rows/local_rows.hpp"
#include "support/group_of_holders.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace pliant::testing {
namespace {

class InMemory final : public HeldRows {
 public:
  explicit InMemory(Problem problem)
      : problem_(std::move(problem)), system_(problem_), rows_(problem_, system_, known_, kSlack) {}
  StepwiseRows& rows() override { return rows_; }
  ConstraintSystem& account() override { return system_; }

 private:
  Problem problem_;
  ConstraintSystem system_;
  RowKnowledge known_;
  LocalRows rows_;
};

// The problem through a file, mapped; problems that no file can hold (cones as rows) are refused there.
std::unique_ptr<HeldRows> mapped(const Problem& problem) {
  const auto file = std::filesystem::temp_directory_path() / ("pliant_holder_" + std::to_string(::getpid()) + "_" +
                                                              std::to_string(problem.constraints()) + ".h5");
  write_problem(problem, file);
  const Index before = mapped_bytes();
  Problem read = read_problem(file, {Index{2} << 20, nullptr});
  std::filesystem::remove(file);  // the mapping keeps it
  EXPECT_GT(mapped_bytes(), before);
  return std::make_unique<InMemory>(std::move(read));
}

class Grouped final : public HeldRows {
 public:
  Grouped(Problem problem, Index parts)
      : problem_(std::move(problem)), system_(problem_), rows_(problem_, system_, kSlack, parts) {}
  StepwiseRows& rows() override { return rows_; }
  ConstraintSystem& account() override { return system_; }

 private:
  Problem problem_;
  ConstraintSystem system_;
  GroupOfHolders rows_;
};

HolderKind group(Index parts) {
  return {"group_of_" + std::to_string(parts),
          [parts](const Problem& problem) { return std::make_unique<Grouped>(problem, parts); }};
}

}  // namespace

const std::vector<HolderKind>& holders() {
  static const std::vector<HolderKind> all{
      {"memory", [](const Problem& problem) { return std::make_unique<InMemory>(problem); }},
      {"mapped", mapped},
      group(1),
      group(2),
      group(3),
  };
  return all;
}

Problem mixed_rows(std::uint64_t seed) {
  Random random(seed);
  constexpr Index n = 24, linear = 6000, curved = 300;
  Problem out(n);  // 0 is strictly feasible
  out.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector(5.0 * random.vector(n)))));
  const Matrix G = random.matrix(linear, n);
  Vector h(linear);
  for (double& c : h) c = random.uniform(0.5, 3.0);
  out.subject_to(linear_le(DataMatrix::from(G), to_array(h)), "half spaces");
  out.subject_to(quadratic_lowrank_le(Tensor({curved, 2, n}, random.numbers(curved * 2 * n)),
                                      Tensor({curved, n}, to_array(Vector::Zero(curved * n))),
                                      to_array(Vector::Constant(curved, -8.0))));
  std::vector<double> diagonals = random.numbers(curved * n);
  for (double& d : diagonals) d = std::abs(d);
  out.subject_to(quadratic_diagonal_le(Tensor({curved, n}, std::move(diagonals)),
                                       Tensor({curved, n}, random.numbers(curved * n)),
                                       to_array(Vector::Constant(curved, -8.0))));
  out.subject_to(log_sum_exp_le(Tensor({curved, 3, n}, random.numbers(curved * 3 * n)),
                                Tensor({curved, 3}, to_array(Vector::Constant(curved * 3, -6.0)))));
  std::vector<double> P;
  for (Index i = 0; i < curved; ++i) {
    const Matrix B = random.matrix(n, 3);
    const Matrix form = B * B.transpose();
    P.insert(P.end(), form.data(), form.data() + form.size());
  }
  out.subject_to(quadratic_le(Tensor({curved, n, n}, std::move(P)), Tensor({curved, n}, random.numbers(curved * n)),
                              to_array(Vector::Constant(curved, -20.0))));
  const Matrix F = random.matrix(curved, n);
  out.subject_to(linear_range(to_array(Vector::Constant(curved, -2.0)), DataMatrix::from(F),
                              to_array(Vector::Constant(curved, 2.0))));
  return out;
}

Problem grouped_rows(std::uint64_t seed) {
  Random random(seed);
  constexpr Index n = 8, linear = 1500, cones = 1400, rows = 3;
  Problem out(n);
  out.minimize(quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector(3.0 * random.vector(n)))));
  out.subject_to(linear_le(DataMatrix::from(random.matrix(linear, n)), to_array(Vector::Constant(linear, 2.0))));
  Vector h = Vector::Zero(cones * rows);
  for (Index c = 0; c < cones; ++c) h[c * rows] = random.uniform(3.0, 6.0);
  Matrix G = 0.5 * random.matrix(cones * rows, n);
  const Cone cone{ConeKind::second_order, rows};
  out.subject_to(
      std::make_shared<SpectralBatch>(ConeBlock(DataMatrix::from(G), to_array(h), 0, cones, shape_of(cone))));
  return out;
}

Problem points(std::uint64_t seed) {
  Random random(seed);
  constexpr Index d = 3, m = 50000;
  Problem out(svec_size(d + 1));
  out.minimize(log_det(d + 1));
  Matrix cloud = random.matrix(d, m);
  cloud.row(0) *= 20.0;
  out.subject_to(rank_one_lifted_le(Tensor({m, d}, to_array(cloud.reshaped())), to_array(Vector::Ones(m))));
  return out;
}

}  // namespace pliant::testing
