// Quadratic and log-sum-exp rows on a device, and proofs of infeasibility beside one, against the truth recomputed from raw
// data.
#include "constraints/log_sum_exp.hpp"
#include "constraints/quadratic.hpp"
#include "pliant/certificate.hpp"
#include "pliant/device.hpp"
#include "pliant/pliant.hpp"
#include "rows/device_rows.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace pliant::testing {
namespace {

constexpr double kCurvedSlack = 1e-6;
constexpr double kCurvedRounding = 1e-11;

/// Rows with `terms` times n numbers each: of F beside q and r, or of A beside b.
struct Curved {
  Index m, n, terms;
  bool exponential;
  Vector numbers, beside, r;

  Eigen::Map<const RowMajorMatrix> matrix(Index i) const { return {numbers.data() + i * terms * n, terms, n}; }
  BatchPtr batch() const {
    if (exponential) return std::make_shared<LogSumExpBatch>(m, n, terms, to_array(numbers), to_array(beside));
    return std::make_shared<QuadraticLowRankBatch>(m, n, terms, to_array(numbers), to_array(beside), to_array(r));
  }
  struct Truth {
    double value, norm, smoothness, size;
  };
  Truth at(Index i, const Vector& x) const {
    using Long = Eigen::Matrix<long double, Eigen::Dynamic, 1>;
    const auto A = matrix(i).cast<long double>().eval();
    const Long z = A * x.cast<long double>();
    const double reach = matrix(i).norm() * (1.0 + x.norm());
    if (!exponential) {
      const Long q = beside.segment(i * n, n).cast<long double>();
      const Long gradient = A.transpose() * z + q;
      const double largest = Matrix(matrix(i) * matrix(i).transpose()).selfadjointView<Eigen::Lower>().operatorNorm();
      return {static_cast<double>(0.5L * z.squaredNorm() + q.dot(x.cast<long double>()) + r[i]),
              static_cast<double>(gradient.norm()), largest,
              reach * reach + static_cast<double>(q.norm()) * (1.0 + x.norm()) + std::abs(r[i])};
    }
    const Long inner = z + beside.segment(i * terms, terms).cast<long double>();
    const long double most = inner.maxCoeff();
    const Long e = (inner.array() - most).exp().matrix();
    const Long gradient = A.transpose() * e / e.sum();
    // A'(diag p - pp')A there, whose norm the constant bounds everywhere.
    const Long p = e / e.sum();
    const Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> spread =
        A.transpose() * (p.asDiagonal().toDenseMatrix() - p * p.transpose()) * A;
    const double curvature = static_cast<double>(spread.norm()) / std::sqrt(static_cast<double>(terms));
    return {static_cast<double>(most + std::log(e.sum())), static_cast<double>(gradient.norm()), curvature,
            reach + beside.segment(i * terms, terms).lpNorm<Eigen::Infinity>()};
  }
};

Curved random_curved(Random& random, Index m, Index n, Index terms, bool exponential) {
  Curved out{m, n, terms, exponential, random.vector(m * terms * n), {}, {}};
  out.beside = random.vector(m * (exponential ? terms : n));
  if (exponential) out.beside.array() -= 3.0;
  out.r = -(1.0 + random.vector(m).array().abs()).matrix();
  for (Index i = 0; i < m; i += 7) out.numbers.segment(i * terms * n, terms * n) *= random.log_uniform(1e-3, 10.0);
  return out;
}

struct CurvedShape {
  Index n, m, terms;
  bool exponential;
};

TEST(DeviceCurved, ReadsAreThoseOfTheRows) {
  Random random(70);
  for (const CurvedShape& s : std::vector<CurvedShape>{{1, 40, 1, false},
                                                       {3, 500, 2, false},
                                                       {20, 1100, 3, false},
                                                       {33, 300, 5, false},
                                                       {100, 200, 3, false},
                                                       {2, 60, 1, true},
                                                       {5, 700, 2, true},
                                                       {17, 300, 4, true},
                                                       {50, 1030, 5, true},
                                                       {64, 90, 6, true}}) {
    SCOPED_TRACE(::testing::Message() << s.n << " " << s.m << " " << s.terms << " " << s.exponential);
    const Curved rows = random_curved(random, s.m, s.n, s.terms, s.exponential);
    Problem problem(s.n);
    problem.subject_to(rows.batch());
    ConstraintSystem account(problem);
    DeviceRows holder(problem, account, 0, kCurvedSlack);
    EXPECT_FALSE(holder.linear());
    Vector x = 0.1 * random.vector(s.n);
    for (int round = 0; round < 4; ++round) {
      const StepwiseRows::Found found = holder.check(x, 0.3, 0.8);
      Vector bounds(s.m);
      holder.values(x, bounds);
      double worst = 0.0, size = 1.0;
      std::vector<Index> list;
      for (Index i = 0; i < s.m; ++i) {
        const Curved::Truth truth = rows.at(i, x);
        const double rounding = kCurvedRounding * (1.0 + truth.size);
        size = std::max(size, truth.size);
        worst = std::max(worst, truth.value);
        EXPECT_LE(truth.value, bounds[i] + rounding) << i;
        EXPECT_TRUE(bounds[i] <= -kCurvedSlack || std::abs(bounds[i] - truth.value) <= rounding) << i;
        if (truth.value > rounding) {
          EXPECT_TRUE(std::binary_search(found.rows.begin(), found.rows.end(), i)) << i;
        }
        if (random.uniform() < 0.4) list.push_back(i);
      }
      EXPECT_NEAR(found.worst, worst, kCurvedRounding * (1.0 + size));
      const auto count = static_cast<Index>(list.size());
      Vector values(count), norms(count), smoothness(count), again(count);
      holder.measure(list, x, values, norms, smoothness);
      if (count > 0) holder.fetch(list).front()->values(x, Rows::range(0, count), again);
      for (Index k = 0; k < count; ++k) {
        const Curved::Truth truth = rows.at(list[static_cast<std::size_t>(k)], x);
        const double rounding = kCurvedRounding * (1.0 + truth.size);
        EXPECT_NEAR(values[k], truth.value, rounding);
        EXPECT_NEAR(again[k], truth.value, rounding);
        EXPECT_GE(norms[k], truth.norm * (1.0 - 1e-12));  // an upper bound, which cancellation may loosen a little
        EXPECT_LE(norms[k], truth.norm + 1e-5 * (1.0 + truth.size));
        EXPECT_GE(smoothness[k], truth.smoothness * (1.0 - 1e-9));
        EXPECT_TRUE(std::isfinite(smoothness[k]));
      }
      x += random.log_uniform(1e-4, 0.1) * random.vector(s.n);
    }
    EXPECT_LE(account.passes(), 8.1);
  }
}

TEST(DeviceCurved, SolvesAgreeWithTheProcessor) {
  Random random(71);
  Settings tight;
  tight.tol_feas = tight.tol_gap = 1e-8;
  tight.method = Method::path;
  for (const bool exponential : {false, true}) {
    const Index n = 6;
    Curved rows = random_curved(random, 2500, n, 3, exponential);
    if (exponential) rows.beside = rows.beside.cwiseMin(-2.0);  // 0 is inside: ln(3 exp(-2)) < 0
    const auto objective =
        quadratic(DataMatrix::from(Matrix::Identity(n, n)), to_array(Vector(3.0 * random.vector(n))));
    Problem problem(n), rest(n);
    for (Problem* p : {&problem, &rest}) p->minimize(objective);
    problem.subject_to(rows.batch());
    const Result here = solve(problem, tight);
    ASSERT_EQ(here.status, Status::optimal) << here.message;
    Settings on_card = tight;
    on_card.device.card = 0;
    const Result copied = solve(problem, on_card);
    ASSERT_EQ(copied.status, Status::optimal) << copied.message;
    const DeviceResult held = solve(rest, {DeviceBatch::copy_of(*rows.batch(), 0)}, tight);
    ASSERT_EQ(held.result.status, Status::optimal) << held.result.message;
    const double scale = 1.0 + std::abs(here.certificate.objective);
    EXPECT_NEAR(copied.certificate.objective, here.certificate.objective, 1e-7 * scale);
    EXPECT_NEAR(held.result.certificate.objective, here.certificate.objective, 1e-7 * scale);
    Multipliers multipliers = zero_multipliers(problem);
    for (std::size_t k = 0; k < held.rows.size(); ++k) {
      multipliers.lambda[0][held.rows[k]] = held.result.multipliers.lambda.front()[static_cast<Index>(k)];
    }
    const Certificate judged = certify(problem, held.result.x, multipliers);
    EXPECT_TRUE(judged.satisfies(tight)) << judged.violation_linf << " " << judged.gap_rel();
  }
}

// Two rows among many exclude each other: sum x <= -margin and sum x >= margin.
TEST(DeviceProofs, OfRowsThatExcludeEachOther) {
  Random random(72);
  Settings tight;
  tight.tol_feas = tight.tol_gap = 1e-8;
  for (const double margin : {1.0, 0.02}) {
    const Index n = 5, m = 2000;
    constexpr double kEdge = 10.0;
    Matrix G = random.matrix(m, n);
    Vector h = (1.0 + G.rowwise().norm().array()).matrix();
    G.row(700).setOnes();
    G.row(1300).setConstant(-1.0);
    h[700] = h[1300] = -margin;
    Problem rest(n);
    rest.minimize(linear(to_array(random.vector(n))));
    rest.regularize(box(to_array(Vector::Constant(n, -kEdge)), to_array(Vector::Constant(n, kEdge))));
    const BatchPtr rows = linear_le(DataMatrix::from(G), to_array(h));
    const DeviceResult found = solve(rest, {DeviceBatch::copy_of(*rows, 0)}, tight);
    ASSERT_EQ(found.result.status, Status::primal_infeasible) << found.result.message;
    ASSERT_TRUE(found.result.infeasibility.has_value());
    // Farkas: lambda'(Gx - h) is positive everywhere in the box.
    Vector slope = Vector::Zero(n);
    double least = 0.0, largest = 0.0;
    std::size_t k = 0;
    for (const Vector& part : found.result.multipliers.lambda) {
      for (const double lambda : part) {
        const Index row = found.rows.at(k++);
        EXPECT_GE(lambda, 0.0);
        slope += lambda * G.row(row).transpose();
        least -= lambda * h[row];
        largest = std::max(largest, lambda);
      }
    }
    EXPECT_EQ(k, found.rows.size());
    EXPECT_GT(least - kEdge * slope.lpNorm<1>(), 1e-9 * largest);
  }
}

}  // namespace
}  // namespace pliant::testing
