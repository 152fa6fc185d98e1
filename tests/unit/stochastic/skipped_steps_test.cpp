// Steps that touch only the nonzeros of a row against steps that touch everything.
#include "engines/stochastic/skipped_steps.hpp"

#include "engines/stochastic/katyusha.hpp"
#include "engines/stochastic/svrg.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace pliant {
namespace {

using testing::Random;

// l2 alone, with l1, with bounds on either side of 0 or around it, and everything.
ProxPtr random_psi(Random& random, Index kind) {
  ProxPtr psi = kind % 2 == 0 ? l2_squared(1, random.log_uniform(1e-3, 10.0)) : no_regularizer(1);
  if (kind >= 2) psi = combine(psi, l1(1, random.log_uniform(1e-3, 3.0)));
  if (kind >= 4) {
    const double a = random.normal(), b = random.normal();
    const double lo = random.uniform() < 0.2 ? -kInfinity : std::min(a, b);
    const double hi = random.uniform() < 0.2 ? kInfinity : std::max(a, b);
    psi = combine(psi, box(Doubles({lo}), Doubles({hi})));
  }
  return psi;
}

TEST(SkippedProxSteps, EqualTheStepsTheyStandFor) {
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const ProxPtr psi = random_psi(random, static_cast<Index>(seed % 6));
    const StepProx prox(*psi, random.uniform() < 0.5 ? 0.0 : random.log_uniform(1e-3, 3.0));
    const double eta = random.log_uniform(1e-3, 1.0), g = random.log_uniform(1e-2, 10.0) * random.normal();
    const Index most = random.integer(1, 200), k = random.integer(0, most);
    SkippedProxSteps skipped;
    skipped.prepare(prox, eta, most);
    Vector x(1);
    x[0] = random.uniform() < 0.2 ? 0.0 : random.log_uniform(1e-3, 10.0) * random.normal();
    psi->project(x);
    const double start = x[0];
    for (Index step = 0; step < k; ++step) {
      const double once = skipped.once(x[0], g, 0);
      x[0] -= eta * g;
      prox.apply(eta, x);
      ASSERT_NEAR(once, x[0], 1e-13 * (1.0 + std::abs(x[0])));
    }
    ASSERT_NEAR(skipped(start, g, k, 0), x[0], 1e-11 * (1.0 + std::abs(start) + std::abs(x[0])));
  }
}

TEST(SkippedKatyushaSteps, EqualTheStepsTheyStandFor) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const double t1 = random.uniform(0.01, 0.5);
    const KatyushaStep one{t1,
                           0.5,
                           0.5 - t1,
                           random.uniform(0.5, 1.0),
                           random.log_uniform(1e-3, 1.0),
                           random.uniform(0.5, 1.0),
                           random.uniform(0.5, 1.0)};
    const Index most = random.integer(1, 100), k = random.integer(0, most);
    SkippedKatyushaSteps skipped;
    skipped.prepare(one, most);
    const double s = random.normal(), g = random.normal();
    double z = random.normal(), y = random.normal(), sum = random.normal();
    double z2 = z, y2 = y, sum2 = sum;
    for (Index step = 0; step < k; ++step) {
      const double x = t1 * z + 0.5 * s + (0.5 - t1) * y, before = z;
      z = one.rho * (one.pull * z + (1.0 - one.pull) * x - one.step * g);
      y = x + t1 * (z - before);
      sum = one.d * sum + (y - s);
    }
    skipped(z2, y2, sum2, s, g, k);
    ASSERT_NEAR(z2, z, 1e-12 * (1.0 + std::abs(z)));
    ASSERT_NEAR(y2, y, 1e-12 * (1.0 + std::abs(y)));
    ASSERT_NEAR(sum2, sum, 1e-10 * (1.0 + std::abs(sum)));
  }
}

// Rows with few entries, and the same numbers with their zeros stored.
struct SparseAndDense {
  SparseAndDense(std::uint64_t seed, Index psi_kind) : random(seed), n(random.integer(80, 140)), sparse(n), dense(n) {
    const Index l = 40, m = 25;
    const auto [A, A_dense] = rows(l);
    const auto [G, G_dense] = rows(m);
    std::vector<double> y;
    for (Index i = 0; i < l; ++i) y.push_back(random.uniform() < 0.5 ? -1.0 : 1.0);
    const Vector h = random.vector(m).cwiseAbs();
    ProxPtr psi = l2_squared(n, 0.05);
    if (psi_kind == 1) psi = combine(psi, l1(n, 0.02));
    if (psi_kind == 2) {
      psi = combine(psi, box(to_array(Vector::Constant(n, -0.1)), to_array(Vector::Constant(n, 0.2))));
    }
    const auto fill = [&](Problem& p, const DataMatrix& losses, const DataMatrix& constraints) {
      p.minimize(logistic(losses, Doubles(y)), 3.0);
      p.minimize(linear(to_array(Vector::Constant(n, 0.1))));
      p.regularize(psi);
      p.subject_to(linear_le(constraints, to_array(h)));
    };
    fill(sparse, A, G);
    fill(dense, A_dense, G_dense);
  }
  std::pair<DataMatrix, DataMatrix> rows(Index count) {
    Matrix full = Matrix::Zero(count, n);
    std::vector<Index> starts{0}, columns;
    std::vector<double> values;
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j < n; ++j) {
        if (j != i % n && random.uniform() > 0.03) continue;
        full(i, j) = random.normal();
        columns.push_back(j);
        values.push_back(full(i, j));
      }
      starts.push_back(static_cast<Index>(columns.size()));
    }
    return {
        DataMatrix::csr(count, n, Indices(std::move(starts)), Indices(std::move(columns)), Doubles(std::move(values))),
        DataMatrix::from(full)};
  }
  Random random;
  Index n;
  Problem sparse, dense;
};

template <class Method, class Parameters>
Vector after_epochs(const Problem& problem, bool loopless, Index batch, Index epochs) {
  ConstraintSystem system(problem);
  PenalizedFunction phi(problem, system);
  phi.xi = 2.0;
  phi.delta = 0.3;
  Parameters parameters;
  parameters.ball = 0.0;  // looks at the ball at other times would end epochs elsewhere
  parameters.loopless = loopless;
  parameters.batch_size = batch;
  Method method(3, parameters);
  InnerPoint point;
  point.x = Vector::Zero(problem.dimension());
  method.advance(
      phi, point, [](const InnerPoint&) { return false; }, epochs);
  return point.x;
}

TEST(LazySteps, EqualDenseOnesOnSparseData) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const SparseAndDense data(seed, static_cast<Index>(seed % 3));
    for (const bool loopless : {false, true}) {
      for (const Index batch : {1, 2}) {
        SCOPED_TRACE(::testing::Message() << seed << " loopless " << loopless << " batch " << batch);
        const Vector svrg = after_epochs<Svrg, SvrgParameters>(data.sparse, loopless, batch, 4);
        EXPECT_GT(svrg.norm(), 0.0);
        EXPECT_LE((svrg - after_epochs<Svrg, SvrgParameters>(data.dense, loopless, batch, 4)).norm(),
                  1e-11 * (1.0 + svrg.norm()));
        const Vector katyusha = after_epochs<Katyusha, KatyushaParameters>(data.sparse, loopless, batch, 4);
        EXPECT_GT(katyusha.norm(), 0.0);
        EXPECT_LE((katyusha - after_epochs<Katyusha, KatyushaParameters>(data.dense, loopless, batch, 4)).norm(),
                  1e-11 * (1.0 + katyusha.norm()));
      }
    }
  }
}

}  // namespace
}  // namespace pliant
