// Eigenvalues of cones as rows: the sum of a function over all of them is what the softplus path follows.
#include "cones/spectral.hpp"

#include "parallel/parallel.hpp"
#include "softplus/softplus.hpp"
#include "support/cone_samples.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace pliant {
namespace {

using pliant::testing::in_cone;
using pliant::testing::Random;

struct Cones {
  Cone cone;
  Index m, n;
  Matrix G;
  Vector h;
  std::shared_ptr<SpectralBatch> batch;

  Vector slack(Index i, const Vector& x) const {
    return h.segment(i * cone.rows, cone.rows) - G.middleRows(i * cone.rows, cone.rows) * x;
  }
  /// Eigenvalues of -s by definition, the largest first.
  Vector eigenvalues(Index i, const Vector& x) const {
    const Vector s = slack(i, x);
    if (cone.kind == ConeKind::second_order) {
      const double norm = s.tail(cone.rows - 1).norm();
      return Vector{{norm - s[0], -norm - s[0]}};
    }
    const Matrix S = testing::long_smat(s, testing::psd_order(cone.rows)).cast<double>();
    return Eigen::SelfAdjointEigenSolver<Matrix>(-S, Eigen::EigenvaluesOnly).eigenvalues().reverse();
  }
  double penalty(const Vector& x, double delta) const {
    double sum = 0.0;
    for (Index i = 0; i < m; ++i) {
      for (const double a : eigenvalues(i, x)) {
        sum += std::max(a, 0.0) + delta * std::log1p(std::exp(-std::abs(a) / delta));
      }
    }
    return sum;
  }
  Rows all() const { return Rows::range(0, batch->size()); }
};

Cones make(const Cone& cone, Random& random, bool sparse = false) {
  Cones out{cone, random.integer(3, 9), random.integer(2, 7), {}, {}, nullptr};
  out.G = random.matrix(out.m * cone.rows, out.n);
  if (sparse) {
    for (double& v : out.G.reshaped()) v *= random.uniform() < 0.4 ? 1.0 : 0.0;
  }
  out.h = random.vector(out.m * cone.rows);
  DataMatrix data = DataMatrix::from(out.G);
  if (sparse) {
    std::vector<Index> starts{0}, columns;
    std::vector<double> values;
    for (Index i = 0; i < out.G.rows(); ++i) {
      for (Index j = 0; j < out.n; ++j) {
        if (out.G(i, j) == 0.0) continue;
        columns.push_back(j);
        values.push_back(out.G(i, j));
      }
      starts.push_back(static_cast<Index>(values.size()));
    }
    data = DataMatrix::csr(out.G.rows(), out.n, Indices(starts), Indices(columns), Doubles(values));
  }
  out.batch = std::make_shared<SpectralBatch>(ConeBlock(data, to_array(out.h), 0, out.m, shape_of(cone)));
  return out;
}

const std::vector<Cone> kShapes{{ConeKind::second_order, 2, 0.5}, {ConeKind::second_order, 3, 0.5},
                                {ConeKind::second_order, 6, 0.5}, {ConeKind::semidefinite, 3, 0.5},
                                {ConeKind::semidefinite, 6, 0.5}, {ConeKind::semidefinite, 21, 0.5}};

// f(cones, random) for every shape, dense and sparse, a few seeds each.
template <class F>
void for_all(const F& f) {
  for (std::size_t shape = 0; shape < kShapes.size(); ++shape) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(::testing::Message() << "shape " << shape << ", seed " << seed);
      Random random(seed + 100 * shape);
      const Cones cones = make(kShapes[shape], random, seed % 2 == 0);
      f(cones, random);
    }
  }
}

// Weights of the penalty at x: first and second derivatives of p_delta.
struct Weights {
  Vector first, second;
};
Weights weights(const Vector& a, double delta) {
  Weights w{Vector(a.size()), Vector(a.size())};
  for (Index i = 0; i < a.size(); ++i) {
    w.first[i] = penalty::sigmoid(a[i] / delta);
    w.second[i] = w.first[i] * penalty::sigmoid(-a[i] / delta) / delta;
  }
  return w;
}

// Cones that touch few columns add to their own entries of the Hessian; stored densely they take another way.
TEST(Spectral, SparseConesHaveTheHessianOfDenseOnes) {
  constexpr Index kCones = 30, kColumns = 40, kTouched = 5;
  for (const Cone& cone : kShapes) {
    Random random(static_cast<std::uint64_t>(cone.rows) + testing::base_seed());
    SCOPED_TRACE(::testing::Message() << cone.rows << " rows, base seed " << testing::base_seed());
    const Index rows = kCones * cone.rows;
    Matrix G = Matrix::Zero(rows, kColumns);
    std::vector<Index> starts{0}, columns;
    std::vector<double> values;
    for (Index i = 0; i < rows; ++i) {
      for (Index k = 0; k < kTouched; ++k) {  // cone c: columns c, c + 8, c + 16, ..., some rows without some of them
        if (random.uniform() < 0.3) continue;
        const Index column = i / cone.rows % 8 + 8 * k;
        columns.push_back(column);
        values.push_back(G(i, column) = random.uniform() - 0.5);
      }
      starts.push_back(static_cast<Index>(columns.size()));
    }
    const Vector h = random.vector(rows), x = random.vector(kColumns);
    const SpectralBatch dense(ConeBlock(DataMatrix::from(G), to_array(h), 0, kCones, shape_of(cone)));
    const SpectralBatch sparse(
        ConeBlock(DataMatrix::csr(rows, kColumns, Indices(starts), Indices(columns), Doubles(values)), to_array(h), 0,
                  kCones, shape_of(cone)));
    ConePatch patch;
    ASSERT_TRUE(sparse.cones().patch(0, kColumns / 4, patch));  // the way under test
    ASSERT_FALSE(dense.cones().patch(0, kColumns / 4, patch));
    const Rows all = Rows::range(0, dense.size());
    Vector a(dense.size());
    dense.values(x, all, a);
    const Weights w = weights(a, 0.3);
    Matrix expected = Matrix::Zero(kColumns, kColumns), found = expected;
    dense.add_weighted_hessian(x, all, w.first, w.second, expected);
    sparse.add_weighted_hessian(x, all, w.first, w.second, found);
    const Matrix difference = (expected - found).triangularView<Eigen::Lower>();
    EXPECT_GT(expected.norm(), 0.0);
    EXPECT_LE(difference.lpNorm<Eigen::Infinity>(), 1e-12 * expected.lpNorm<Eigen::Infinity>());
    for (Index c = 0; c < kCones; ++c) {
      EXPECT_NEAR(sparse.cones().lipschitz(c), dense.cones().lipschitz(c), 1e-12 * dense.cones().lipschitz(c));
    }
  }
}

TEST(Spectral, ValuesAreTheEigenvalues) {
  for_all([](const Cones& c, Random& random) {
    const Vector x = random.vector(c.n);
    Vector a(c.batch->size());
    c.batch->values(x, c.all(), a);
    for (Index i = 0; i < c.m; ++i) {
      const Vector expected = c.eigenvalues(i, x);
      for (Index j = 0; j < expected.size(); ++j) {
        EXPECT_NEAR(a[i * c.batch->group() + j], expected[j], 1e-12 * (1.0 + expected.lpNorm<Eigen::Infinity>()));
      }
    }
  });
}

TEST(Spectral, DerivativesOfThePenaltyMatchDifferences) {
  for_all([](const Cones& c, Random& random) {
    const double delta = random.log_uniform(0.3, 3.0);
    const Vector x = random.vector(c.n);
    Vector a(c.batch->size());
    c.batch->values(x, c.all(), a);
    const Weights w = weights(a, delta);
    Matrix gradient = Matrix::Zero(c.n, 1), H = Matrix::Zero(c.n, c.n);
    c.batch->add_weighted_derivatives(x, c.all(), w.first, w.first, w.second, gradient, H);
    const double step = 1e-4;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const Vector d = random.vector(c.n).normalized();
      const double plus = c.penalty(x + step * d, delta), minus = c.penalty(x - step * d, delta);
      const double here = c.penalty(x, delta);
      const double scale = c.G.norm() + 1.0;
      EXPECT_NEAR((plus - minus) / (2 * step), gradient.col(0).dot(d), 1e-6 * scale * scale * scale);
      const double curvature = d.dot(H.selfadjointView<Eigen::Lower>() * d);
      EXPECT_NEAR((plus - 2 * here + minus) / (step * step), curvature, 1e-4 * (1.0 + curvature) + 1e-6 * scale);
      EXPECT_GE(curvature, 0.0);
    }
  });
}

// At an apex all eigenvalues of a cone agree: any frame is as good as any other.
TEST(Spectral, HessianAtAnApexIsThatNearby) {
  for_all([](const Cones& c, Random& random) {
    Cones at = c;
    const Vector x = random.vector(c.n);
    at.h = c.G * x;
    at.batch =
        std::make_shared<SpectralBatch>(ConeBlock(DataMatrix::from(c.G), to_array(at.h), 0, c.m, shape_of(c.cone)));
    const auto hessian = [&](const Vector& y) {
      Vector a(at.batch->size());
      at.batch->values(y, at.all(), a);
      const Weights w = weights(a, 1.0);
      Matrix H = Matrix::Zero(c.n, c.n);
      at.batch->add_weighted_hessian(y, at.all(), w.first, w.second, H);
      return H;
    };
    const Matrix H = hessian(x);
    ASSERT_TRUE(H.allFinite());
    for (const double distance : {1e-12, 1e-9, 1e-6}) {
      const Matrix nearby = hessian(x + distance * random.vector(c.n));
      EXPECT_LE((H - nearby).norm(), 1e-4 * (1.0 + H.norm()));
    }
  });
}

TEST(Spectral, LipschitzConstantsBoundEveryEigenvalue) {
  for_all([](const Cones& c, Random& random) {
    const Vector x = random.vector(c.n);
    Vector a(c.batch->size()), norms(a.size()), smoothness(a.size()), b(a.size());
    c.batch->values_and_bounds(x, c.all(), a, norms, smoothness);
    EXPECT_EQ(smoothness.lpNorm<Eigen::Infinity>(), 0.0);
    for (int repeat = 0; repeat < 20; ++repeat) {
      const Vector y = x + random.log_uniform(1e-3, 10.0) * random.vector(c.n);
      c.batch->values(y, c.all(), b);
      EXPECT_TRUE(((b - a).array().abs() <= norms.array() * (y - x).norm() + 1e-12 * (1.0 + a.norm())).all());
    }
    // Not by more than the cone's dimensions allow.
    for (Index i = 0; i < c.m; ++i) {
      EXPECT_LE(norms[i * c.batch->group()],
                1.5 * std::sqrt(2.0) * c.G.middleRows(i * c.cone.rows, c.cone.rows).norm() + 1e-12);
    }
  });
}

TEST(Spectral, LinesNeedNoData) {
  for_all([](const Cones& c, Random& random) {
    const Vector x = random.vector(c.n), d = random.vector(c.n);
    LineModel line;
    c.batch->prepare_line(x, d, c.all(), line);
    Vector a(c.batch->size()), slope(a.size()), b(a.size()), s(a.size());
    for (const double t : {0.0, 0.3, 1.0, -2.0}) {
      c.batch->line_values(line, t, a, slope);
      c.batch->values(x + t * d, c.all(), b);
      c.batch->slopes(x + t * d, d, c.all(), s);
      EXPECT_LE((a - b).lpNorm<Eigen::Infinity>(), 1e-10 * (1.0 + b.norm()));
      // Slopes of single eigenvalues depend on the frame where they agree; their sum does not.
      EXPECT_NEAR(slope.sum(), s.sum(), 1e-9 * (1.0 + s.norm()));
    }
  });
}

TEST(Spectral, DualPointsLieInTheDualConeAndCarryTheGradient) {
  for_all([](const Cones& c, Random& random) {
    const Vector x = random.vector(c.n);
    const Index r = c.batch->group();
    std::vector<Index> rows;
    for (Index i = 0; i < c.m; i += 2) {
      for (Index j = 0; j < r; ++j) rows.push_back(i * r + j);
    }
    Vector lambda(static_cast<Index>(rows.size()));
    for (double& v : lambda) v = random.uniform();
    const Vector z = c.batch->dual_points(x, Rows::list(rows), lambda);
    Vector expected = Vector::Zero(c.n), gradient = Vector::Zero(c.n), by_rows = Vector::Zero(c.n);
    double product = 0.0;
    for (Index k = 0; k < lambda.size() / r; ++k) {
      const Vector part = z.segment(k * c.cone.rows, c.cone.rows);
      EXPECT_TRUE(in_cone(c.cone, part, 1e-12 * part.norm()));  // these cones are their own duals
      expected += c.G.middleRows(2 * k * c.cone.rows, c.cone.rows).transpose() * part;
      product -= part.dot(c.slack(2 * k, x));
    }
    const double got = c.batch->add_dual_points(x, Rows::list(rows), z, gradient);
    c.batch->add_weighted_gradient(x, Rows::list(rows), lambda, by_rows);
    EXPECT_LE((gradient - expected).norm(), 1e-11 * (1.0 + expected.norm()));
    EXPECT_LE((by_rows - expected).norm(), 1e-11 * (1.0 + expected.norm()));
    EXPECT_NEAR(got, product, 1e-11 * (1.0 + z.norm() * c.h.norm()));
    Vector a(lambda.size());
    c.batch->values(x, Rows::list(rows), a);
    EXPECT_NEAR(got, lambda.dot(a), 1e-10 * (1.0 + z.norm() * (c.h.norm() + c.G.norm() * x.norm())));
  });
}

// The dual points of the penalty move with x as extrapolation says.
TEST(Spectral, DualPointsExtrapolateToFirstOrder) {
  for_all([](const Cones& c, Random& random) {
    const double delta = 1.0;
    const Vector x = random.vector(c.n), d = random.vector(c.n).normalized();
    const auto points = [&](const Vector& y) {
      Vector a(c.batch->size());
      c.batch->values(y, c.all(), a);
      return c.batch->dual_points(y, c.all(), weights(a, delta).first);
    };
    Vector a(c.batch->size());
    c.batch->values(x, c.all(), a);
    const Weights w = weights(a, delta);
    double before = 0.0;
    for (const double t : {1e-2, 1e-3}) {
      LineModel line;
      c.batch->prepare_line(x, t * d, c.all(), line);
      const Vector z = c.batch->dual_points_along(line, w.first, w.second, Vector::Zero(a.size()));
      const double error = (z - points(x + t * d)).norm();
      EXPECT_LE(error, 10.0 * t * t * (1.0 + std::pow(c.G.norm(), 2)));
      if (before > 1e-9) {
        EXPECT_LE(error, 0.05 * before);  // second order: a hundredth
      }
      before = error;
    }
  });
}

TEST(Spectral, SubsetsAndThreadsDoNotMatter) {
  for_all([](const Cones& c, Random& random) {
    const Vector x = random.vector(c.n);
    const Index r = c.batch->group();
    std::vector<Index> rows;
    for (Index i = 0; i < c.m; ++i) {
      for (Index j = 0; j < r && i != 1; ++j) rows.push_back(i * r + j);
    }
    Vector all(c.batch->size()), some(static_cast<Index>(rows.size()));
    c.batch->values(x, c.all(), all);
    c.batch->values(x, Rows::list(rows), some);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      EXPECT_NEAR(some[static_cast<Index>(k)], all[rows[k]], 1e-13 * (1.0 + all.norm()));
    }
    const Index bytes = c.batch->bytes(Rows::list(rows)), total = c.batch->bytes(c.all());
    EXPECT_GT(bytes, 0);
    EXPECT_LE(bytes, total);
    const auto hessian = [&](int threads) {
      const parallel::ThreadScope scope(threads);
      const Weights w = weights(all, 0.7);
      Matrix gradient = Matrix::Zero(c.n, 1), H = Matrix::Zero(c.n, c.n);
      c.batch->add_weighted_derivatives(x, c.all(), w.first, w.first, w.second, gradient, H);
      return H;
    };
    EXPECT_EQ(hessian(1), hessian(3));
  });
}

TEST(Spectral, NumbersThatAreNoneAreRefused) {
  Random random(5);
  Cones c = make(kShapes[1], random);
  c.G(0, 0) = std::numeric_limits<double>::quiet_NaN();
  const SpectralBatch broken(ConeBlock(DataMatrix::from(c.G), to_array(c.h), 0, c.m, shape_of(c.cone)));
  EXPECT_THROW(broken.validate(), InputError);
}

}  // namespace
}  // namespace pliant
