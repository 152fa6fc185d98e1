// Everything that can be written comes back with the same bits and the same function values.
#include "constraints/linear.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/quadratic.hpp"
#include "constraints/rank_one.hpp"
#include "io_support.hpp"
#include "objective/generalized_linear.hpp"
#include "objective/linear.hpp"
#include "objective/log_det.hpp"
#include "objective/multinomial.hpp"
#include "objective/quadratic.hpp"
#include "sample_problems.hpp"

namespace pliant::testing {
namespace {

class RoundTrip : public ::testing::Test {
 protected:
  Problem through_file(const Problem& problem) {
    write_problem(problem, directory_ / "p.h5");
    EXPECT_EQ(directory_.entries(), 1u);
    return read_problem(directory_ / "p.h5");
  }

  /// The only term, of class T, before and after; values at random points agree to the bit.
  template <class T, class Compare>
  void expect_term(const TermPtr& term, double weight, Compare compare) {
    Problem written(term->dimension());
    written.minimize(term, weight);
    const Problem read = through_file(written);
    ASSERT_EQ(read.terms().size(), 1u);
    EXPECT_EQ(read.terms()[0].weight, weight);
    const auto* before = dynamic_cast<const T*>(term.get());
    const auto* after = dynamic_cast<const T*>(read.terms()[0].term.get());
    ASSERT_TRUE(before != nullptr && after != nullptr);
    compare(*before, *after);
    for (int k = 0; k < 3; ++k) {
      const Vector x = random_.vector(term->dimension());
      EXPECT_EQ(read.objective(x), written.objective(x));
    }
  }

  template <class T, class Compare>
  void expect_batch(const BatchPtr& batch, Compare compare) {
    Problem written(batch->dimension());
    written.subject_to(batch, "rows \xe2\x89\xa4 0");
    const Problem read = through_file(written);
    ASSERT_EQ(read.batches().size(), 1u);
    EXPECT_EQ(read.batches()[0]->name, "rows \xe2\x89\xa4 0");
    const auto* before = dynamic_cast<const T*>(batch.get());
    const auto* after = dynamic_cast<const T*>(read.batches()[0].get());
    ASSERT_TRUE(before != nullptr && after != nullptr);
    compare(*before, *after);
    ASSERT_EQ(after->size(), before->size());
    const Vector x = random_.vector(batch->dimension());
    Vector a(batch->size()), b(batch->size());
    before->values(x, Rows::range(0, batch->size()), a);
    after->values(x, Rows::range(0, batch->size()), b);
    EXPECT_TRUE(same_bits(a, b));
  }

  void expect_prox(const ProxPtr& prox) {
    Problem written(prox->dimension());
    written.regularize(prox);
    const Problem read = through_file(written);
    EXPECT_EQ(read.prox().kind(), written.prox().kind());
    for (int k = 0; k < 3; ++k) {
      const Vector x = random_.vector(prox->dimension());
      EXPECT_EQ(read.prox().value(x), written.prox().value(x));
      EXPECT_EQ(read.prox().domain_violation(x), written.prox().domain_violation(x));
      Vector before(x.size()), after(x.size());
      written.prox().prox(x, 0.7, before);
      read.prox().prox(x, 0.7, after);
      EXPECT_TRUE(same_bits(before, after));
    }
  }

  TemporaryDirectory directory_;
  Random random_{1};
};

TEST_F(RoundTrip, LinearTerm) {
  expect_term<LinearTerm>(linear(random_.numbers(5), -2.5), 1.0, [](const auto& a, const auto& b) {
    EXPECT_TRUE(same_bits(a.c(), b.c()));
    EXPECT_EQ(a.constant(), b.constant());
  });
}

TEST_F(RoundTrip, QuadraticTerm) {
  const auto compare = [](const auto& a, const auto& b) {
    EXPECT_TRUE(same_bits(a.P(), b.P()));
    EXPECT_TRUE(same_bits(a.q(), b.q()));
  };
  expect_term<QuadraticTerm>(quadratic(gram_matrix(random_, 5), random_.numbers(5)), 0.1, compare);
  expect_term<QuadraticTerm>(quadratic(sparse_diagonal(random_, 5), random_.numbers(5)), 3.0, compare);
}

TEST_F(RoundTrip, LeastSquaresTerm) {
  for (const DataMatrix& A : {dense_matrix(random_, 7, 4), sparse_matrix(random_, 7, 4)}) {
    expect_term<LeastSquaresTerm>(least_squares(A, random_.numbers(7)), 1.5, [](const auto& a, const auto& b) {
      EXPECT_TRUE(same_bits(a.A(), b.A()));
      EXPECT_TRUE(same_bits(a.b(), b.b()));
    });
  }
}

TEST_F(RoundTrip, LogisticTerm) {
  for (const DataMatrix& A : {dense_matrix(random_, 6, 4), sparse_matrix(random_, 6, 4)}) {
    expect_term<LogisticTerm>(logistic(A, std::vector<double>{1, -1, 1, 1, -1, -1}), 1.0,
                              [](const auto& a, const auto& b) {
                                EXPECT_TRUE(same_bits(a.A(), b.A()));
                                EXPECT_TRUE(same_bits(a.y(), b.y()));
                              });
  }
}

TEST_F(RoundTrip, HuberTerm) {
  expect_term<HuberTerm>(huber(dense_matrix(random_, 7, 4), random_.numbers(7), 0.3), 1.0,
                         [](const auto& a, const auto& b) {
                           EXPECT_TRUE(same_bits(a.A(), b.A()));
                           EXPECT_TRUE(same_bits(a.b(), b.b()));
                           EXPECT_EQ(a.k(), b.k());
                         });
}

TEST_F(RoundTrip, MultinomialTerm) {
  for (const DataMatrix& A : {dense_matrix(random_, 5, 2), sparse_matrix(random_, 5, 2)}) {
    expect_term<MultinomialTerm>(multinomial(A, std::vector<Index>{0, 2, 1, 1, 0}, 3), 1.0,
                                 [](const auto& a, const auto& b) {
                                   EXPECT_TRUE(same_bits(a.A(), b.A()));
                                   EXPECT_TRUE(same_bits(a.labels(), b.labels()));
                                   EXPECT_EQ(a.classes(), b.classes());
                                 });
  }
}

TEST_F(RoundTrip, LogDetTerm) {
  expect_term<LogDetTerm>(log_det(3), 0.5, [](const auto& a, const auto& b) {
    EXPECT_EQ(a.order(), b.order());
    const Vector x{{3.0, 1.0, -0.5, 2.0, 0.7, 4.0}};  // inside the domain, where random points seldom lie
    EXPECT_TRUE(std::isfinite(a.value(x)));
    EXPECT_EQ(a.value(x), b.value(x));
  });
}

TEST_F(RoundTrip, ProxTerms) {
  expect_prox(no_regularizer(4));
  expect_prox(l1(4, 0.3));
  expect_prox(l2_squared(4, 0.3));
  expect_prox(elastic_net(4, 0.3, 0.7));
  expect_prox(nonnegative(4));
  expect_prox(
      box(std::vector<double>{-0.1, -kInfinity, 0.0, -kInfinity}, std::vector<double>{0.1, 0.0, kInfinity, kInfinity}));
  expect_prox(combine(elastic_net(4, 0.3, 0.7), box(std::vector<double>(4, -0.2), std::vector<double>(4, 0.2))));
  expect_prox(simplex(4, 1.5));
  expect_prox(ball(4, 0.5));
  expect_prox(group_l2(std::vector<Index>{0, 1, 0, 1}, std::vector<double>{0.3, 0.4}));
}

TEST_F(RoundTrip, LinearConstraints) {
  const auto compare = [](const LinearBatch& a, const LinearBatch& b) {
    EXPECT_TRUE(same_bits(a.matrix(), b.matrix()));
    EXPECT_TRUE(same_bits(a.upper(), b.upper()));
    EXPECT_TRUE(same_bits(a.lower(), b.lower()));
    EXPECT_EQ(a.two_sided(), b.two_sided());
  };
  for (const Index m : {Index{0}, Index{1}, Index{9}}) {
    for (const DataMatrix& G : {dense_matrix(random_, m, 4), sparse_matrix(random_, m, 4)}) {
      expect_batch<LinearBatch>(linear_le(G, random_.numbers(m)), compare);
      std::vector<double> lo(static_cast<std::size_t>(m), -1.0), hi(static_cast<std::size_t>(m), 1.0);
      if (m > 1) lo[0] = -kInfinity, hi[1] = kInfinity;
      expect_batch<LinearBatch>(linear_range(lo, G, hi), compare);
    }
  }
}

TEST_F(RoundTrip, QuadraticConstraints) {
  const Index m = 3, n = 4, rank = 2;
  const auto linear_part = [](const auto& a, const auto& b) {
    EXPECT_TRUE(same_bits(a.q(), b.q()));
    EXPECT_TRUE(same_bits(a.r(), b.r()));
  };
  std::vector<double> P;
  for (Index i = 0; i < m; ++i) {
    const DataMatrix block = gram_matrix(random_, n);
    P.insert(P.end(), block.values().begin(), block.values().end());
  }
  expect_batch<QuadraticDenseBatch>(
      quadratic_le(Tensor({m, n, n}, P), Tensor({m, n}, random_.numbers(m * n)), random_.numbers(m)),
      [&](const auto& a, const auto& b) {
        EXPECT_TRUE(same_bits(a.P(), b.P()));
        linear_part(a, b);
      });
  expect_batch<QuadraticLowRankBatch>(quadratic_lowrank_le(Tensor({m, rank, n}, random_.numbers(m * rank * n)),
                                                           Tensor({m, n}, random_.numbers(m * n)), random_.numbers(m)),
                                      [&](const auto& a, const auto& b) {
                                        EXPECT_TRUE(same_bits(a.factors(), b.factors()));
                                        EXPECT_EQ(a.rank(), b.rank());
                                        linear_part(a, b);
                                      });
  expect_batch<QuadraticDiagonalBatch>(
      quadratic_diagonal_le(Tensor({m, n}, std::vector<double>(static_cast<std::size_t>(m * n), 0.5)),
                            Tensor({m, n}, random_.numbers(m * n)), random_.numbers(m)),
      [&](const auto& a, const auto& b) {
        EXPECT_TRUE(same_bits(a.diagonals(), b.diagonals()));
        linear_part(a, b);
      });
}

TEST_F(RoundTrip, LogSumExpConstraints) {
  expect_batch<LogSumExpBatch>(
      log_sum_exp_le(Tensor({3, 2, 4}, random_.numbers(24)), Tensor({3, 2}, random_.numbers(6))),
      [](const auto& a, const auto& b) {
        EXPECT_TRUE(same_bits(a.A(), b.A()));
        EXPECT_TRUE(same_bits(a.b(), b.b()));
        EXPECT_EQ(a.terms(), b.terms());
      });
}

TEST_F(RoundTrip, RankOneConstraints) {
  const auto compare = [](const RankOneBatch& a, const RankOneBatch& b) {
    EXPECT_TRUE(same_bits(a.points(), b.points()));
    EXPECT_TRUE(same_bits(a.b(), b.b()));
    EXPECT_EQ(a.lifted(), b.lifted());
    EXPECT_EQ(a.order(), b.order());
  };
  for (const Index m : {Index{0}, Index{1}, Index{9}}) {
    expect_batch<RankOneBatch>(rank_one_le(Tensor({m, 3}, random_.numbers(3 * m)), random_.numbers(m)), compare);
    expect_batch<RankOneBatch>(rank_one_lifted_le(Tensor({m, 2}, random_.numbers(2 * m)), random_.numbers(m)), compare);
  }
}

TEST_F(RoundTrip, Equalities) {
  for (const DataMatrix& E : {dense_matrix(random_, 2, 4), sparse_matrix(random_, 2, 4)}) {
    Problem written(4);
    written.equal(E, random_.numbers(2));
    const Problem read = through_file(written);
    ASSERT_TRUE(read.has_equalities());
    EXPECT_TRUE(same_bits(read.equality_matrix(), E));
    EXPECT_TRUE(same_bits(read.equality_rhs(), written.equality_rhs()));
  }
}

TEST_F(RoundTrip, WholeProblem) {
  const Problem written = rich_problem();
  const Problem read = through_file(written);
  EXPECT_EQ(read.dimension(), written.dimension());
  EXPECT_EQ(read.name, written.name);
  EXPECT_EQ(read.terms().size(), written.terms().size());
  EXPECT_EQ(read.constraints(), written.constraints());
  EXPECT_TRUE(same_bits(read.start.value(), written.start.value()));
  EXPECT_TRUE(same_bits(read.slater_point.value(), written.slater_point.value()));
  EXPECT_EQ(read.known_optimum.value().objective, written.known_optimum.value().objective);
  EXPECT_TRUE(same_bits(read.known_optimum->x, written.known_optimum->x));
  const Vector x = random_.vector(written.dimension());
  EXPECT_EQ(read.objective(x), written.objective(x));
}

TEST_F(RoundTrip, EmptyProblem) {
  const Problem read = through_file(Problem(2));
  EXPECT_EQ(read.dimension(), 2);
  EXPECT_TRUE(read.terms().empty());
  EXPECT_TRUE(read.batches().empty());
  EXPECT_FALSE(read.has_equalities() || read.start || read.slater_point || read.known_optimum);
}

TEST_F(RoundTrip, MoreThanTenMembersKeepTheirOrder) {
  Problem written(1);
  for (int i = 0; i < 12; ++i) written.minimize(linear(std::vector<double>{double(i)}));
  const Problem read = through_file(written);
  ASSERT_EQ(read.terms().size(), 12u);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(dynamic_cast<const LinearTerm&>(*read.terms()[i].term).c()[0], static_cast<double>(i));
  }
}

TEST_F(RoundTrip, EqualProblemsGiveEqualBytes) {
  const Problem problem = rich_problem();
  write_problem(problem, directory_ / "a.h5");
  write_problem(read_problem(directory_ / "a.h5"), directory_ / "b.h5");
  EXPECT_EQ(bytes_of(directory_ / "a.h5"), bytes_of(directory_ / "b.h5"));
}

TEST_F(RoundTrip, LargeArraysAreContiguous) {
  write_problem(rich_problem(), directory_ / "p.h5");
  const RawFile file = RawFile::change(directory_ / "p.h5");
  const RawId dataset(H5Dopen2(file.id(), "constraints/0/G", H5P_DEFAULT));
  const RawId properties(H5Dget_create_plist(dataset));
  EXPECT_EQ(H5Pget_layout(properties), H5D_CONTIGUOUS);
  EXPECT_EQ(H5Pget_nfilters(properties), 0);
}

TEST_F(RoundTrip, CallbacksAreRefused) {
  Problem problem(2);
  CallbackFunctions functions;
  functions.values = [](ConstVectorRef x, Rows, VectorRef a) { a.setConstant(x.sum()); };
  functions.jacobian = [](ConstVectorRef, Rows, MatrixRef J) { J.setOnes(); };
  problem.subject_to(callback_le(1, 2, functions));
  EXPECT_EQ(error_of([&] { write_problem(problem, directory_ / "p.h5"); }),
            (directory_ / "p.h5").string() + ": constraints/0: family \"callback\" cannot be written to a file");
  EXPECT_EQ(directory_.entries(), 0u);
}

}  // namespace
}  // namespace pliant::testing
