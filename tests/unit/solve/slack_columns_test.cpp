// Slack columns as soft rows: found where they are, and nowhere else; values and duals as without.
#include "solve/soft_form.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace pliant {
namespace {

using testing::Random;

Settings accurate() {
  Settings settings;
  settings.tol_gap = settings.tol_feas = 1e-8;
  return settings;
}

// min c'x + sum_i price_i phi_i(x) over -reach <= x <= reach, H x <= k, with phi_i one of these forms, all of the
// r_i = g_i'x - y_i: max(floor, r) with a bound or a row of its own for the floor, max(up r, -down r), both parts, or
// max(floor, up |r| / down - eps) by two rows, with or without a column for |r| / down.
struct RawProgram {
  enum class Form { bound, row, pair, parts, tube, linked };
  Index n, m;
  Matrix G, H;
  Vector c, y, k, price, up, down, floor, eps;
  std::vector<Form> form;
  double reach = 4.0;

  RawProgram(Random& random, Index variables, Index rows, Index hard)
      : n(variables),
        m(rows),
        G(m, n),
        H(hard, n),
        c(0.1 * random.vector(n)),
        y(m),
        k(hard),
        price(m),
        up(m),
        down(m),
        floor(m),
        eps(m) {
    for (Index i = 0; i < m; ++i) {
      for (Index j = 0; j < n; ++j) G(i, j) = j > 0 && random.uniform() < 0.3 ? 0.0 : random.normal();
      y[i] = random.normal();
      price[i] = random.log_uniform(1e-2, 1e1) / static_cast<double>(m);
      up[i] = random.uniform(0.2, 2.0);
      down[i] = random.uniform(0.2, 2.0);
      floor[i] = random.uniform(-0.5, 0.5);
      eps[i] = std::max(0.0, -floor[i]) + random.uniform();
      form.push_back(static_cast<Form>(random.integer(0, 5)));
    }
    for (Index i = 0; i < hard; ++i) {
      for (Index j = 0; j < n; ++j) H(i, j) = random.normal();
      k[i] = random.uniform(0.0, 1.0);
    }
  }

  long double value(const Vector& x) const {
    long double sum = 0.0L;
    for (Index j = 0; j < n; ++j) sum += static_cast<long double>(c[j]) * x[j];
    for (Index i = 0; i < m; ++i) {
      long double r = -y[i];
      for (Index j = 0; j < n; ++j) r += static_cast<long double>(G(i, j)) * x[j];
      switch (form[static_cast<std::size_t>(i)]) {
        case Form::bound:
        case Form::row:
          sum += price[i] * std::max(static_cast<long double>(floor[i]), r / up[i]);
          break;
        case Form::pair:
        case Form::parts:
          sum += price[i] * std::max(up[i] * r, -down[i] * r);
          break;
        case Form::tube:
        case Form::linked:
          sum += price[i] * std::max(static_cast<long double>(floor[i]), up[i] * std::abs(r) / down[i] - eps[i]);
          break;
      }
    }
    return sum;
  }

  // Variables: x, then one or two columns for each row, rows and columns shuffled by nothing: order does not matter.
  Problem problem() const {
    Index columns = n;
    for (const Form f : form) columns += f == Form::parts || f == Form::linked ? 2 : 1;
    CsrBuilder rows(columns), equalities(columns);
    std::vector<double> h, e, cost(c.begin(), c.end()), lo(static_cast<std::size_t>(n), -reach),
        hi(static_cast<std::size_t>(n), reach);
    const auto row = [&](CsrBuilder& out, Index i, double factor) {
      for (Index j = 0; j < n; ++j) {
        if (G(i, j) != 0.0) out.entry(j, factor * G(i, j));
      }
    };
    const auto column = [&](double price_of_it, double lower) {
      cost.push_back(price_of_it);
      lo.push_back(lower);
      hi.push_back(kInfinity);
      return static_cast<Index>(cost.size()) - 1;
    };
    for (Index i = 0; i < m; ++i) {
      const Form f = form[static_cast<std::size_t>(i)];
      const Index t = column(f == Form::parts ? price[i] * down[i] : price[i], f == Form::bound   ? floor[i]
                                                                               : f == Form::parts ? 0.0
                                                                                                  : -kInfinity);
      if (f == Form::parts) {  // y = g'x + u - v
        const Index v = column(price[i] * up[i], 0.0);
        row(equalities, i, 1.0);
        equalities.entry(t, 1.0);
        equalities.entry(v, -1.0);
        equalities.end_row();
        e.push_back(y[i]);
        continue;
      }
      if (f == Form::tube || f == Form::linked) {
        add_tube(rows, h, i, t, f == Form::linked ? column(0.0, -kInfinity) : -1);
        continue;
      }
      row(rows, i, f == Form::pair ? up[i] : 1.0);
      rows.entry(t, f == Form::pair ? -1.0 : -up[i]);
      rows.end_row();
      h.push_back(f == Form::pair ? up[i] * y[i] : y[i]);
      if (f == Form::bound) continue;
      if (f == Form::pair) row(rows, i, -down[i]);
      rows.entry(t, -1.0);
      rows.end_row();
      h.push_back(f == Form::pair ? -down[i] * y[i] : -floor[i]);
    }
    for (Index i = 0; i < k.size(); ++i) {
      for (Index j = 0; j < n; ++j) rows.entry(j, H(i, j));
      rows.end_row();
      h.push_back(k[i]);
    }
    Problem out(columns);
    out.minimize(linear(std::move(cost)));
    out.regularize(box(std::move(lo), std::move(hi)));
    if (!h.empty()) out.subject_to(linear_le(rows.take(), std::move(h)));
    if (!e.empty()) out.equal(equalities.take(), std::move(e));
    return out;
  }

  // +-r - down u <= 0 and up u - t <= eps, or +-r - (down / up) t <= eps (down / up); the second side is doubled. The floor
  // is a row of t.
  void add_tube(CsrBuilder& rows, std::vector<double>& h, Index i, Index t, Index u) const {
    const double lift = u >= 0 ? down[i] : down[i] / up[i];
    for (const double factor : {1.0, -2.0}) {
      for (Index j = 0; j < n; ++j) {
        if (G(i, j) != 0.0) rows.entry(j, factor * G(i, j));
      }
      rows.entry(u >= 0 ? u : t, -std::abs(factor) * lift);
      rows.end_row();
      h.push_back(factor * y[i] + (u >= 0 ? 0.0 : std::abs(factor) * eps[i] * lift));
    }
    if (u >= 0) {
      rows.entry(t, -1.0);
      rows.entry(u, up[i]);
      rows.end_row();
      h.push_back(eps[i]);
    }
    rows.entry(t, -1.0);
    rows.end_row();
    h.push_back(-floor[i]);
  }
};

// Of rows and equalities; NaN is infinite.
double largest_violation(const Problem& problem, const Vector& x) {
  double out = 0.0;
  const auto add = [&](double a) { out = a <= out ? out : a > out ? a : kInfinity; };
  for (const BatchPtr& batch : problem.batches()) {
    const LinearRows& rows = *batch->linear_rows();
    for (Index i = 0; i < rows.constraints(); ++i) {
      add(rows.side(i).sign * rows.matrix().row(rows.side(i).row).dot(x) - rows.constant(i));
    }
  }
  for (Index i = 0; problem.has_equalities() && i < problem.equality_matrix().rows(); ++i) {
    add(std::abs(problem.equality_matrix().row(i).dot(x) - problem.equality_rhs()[i]));
  }
  return out;
}

TEST(SlackColumns, AreFoundInEveryForm) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const RawProgram raw(random, random.integer(1, 4), random.integer(1, 40), random.integer(0, 3));
    const Problem problem = raw.problem();
    ASSERT_STREQ(slack_columns_obstacle(problem), "");
    const std::vector<SlackColumn> found = find_slack_columns(problem, 1).columns;
    ASSERT_EQ(static_cast<Index>(found.size()), raw.m) << "seed " << seed;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const bool tube = raw.form[i] == RawProgram::Form::tube || raw.form[i] == RawProgram::Form::linked;
      EXPECT_EQ(found[i].kind == SlackColumn::Kind::tube, tube) << "seed " << seed << ", row " << i;
    }
  }
}

// The form at a point of its own, and what it says of the original there.
TEST(SlackColumns, TheFormCostsWhatTheProgramCosts) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    Random random(seed);
    const RawProgram raw(random, random.integer(1, 5), random.integer(1, 30), random.integer(0, 3));
    const Problem problem = raw.problem();
    const SoftForm form(problem, find_slack_columns(problem, 1));
    ASSERT_EQ(form.dimension(), raw.n);
    const Vector x = random.vector(raw.n);
    const auto expected = static_cast<double>(raw.value(x));
    const double scale = 1.0 + raw.price.cwiseAbs().sum() * (1.0 + x.norm());
    EXPECT_NEAR(form.at(0.0).objective(x), expected, 1e-12 * scale) << "seed " << seed;
    const Vector lifted = form.lift(x);
    EXPECT_NEAR(problem.smooth_value(lifted), expected, 1e-12 * scale) << "seed " << seed;
    EXPECT_EQ(form.restrict(lifted), x);
    const Vector hard = raw.H * x - raw.k;
    const double worst = hard.size() > 0 ? std::max(0.0, hard.maxCoeff()) : 0.0;
    EXPECT_NEAR(largest_violation(problem, lifted), worst, 1e-12 * scale) << "seed " << seed;
  }
}

TEST(SlackColumns, SolvedAsSoftRowsTheAnswerIsOneOfTheProgram) {
  int answered_by_others = 0;
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    Random random(seed);
    const RawProgram raw(random, random.integer(2, 6), 1500, random.integer(0, 3));
    const Problem problem = raw.problem();
    const Result soft = solve(problem, accurate());
    ASSERT_EQ(soft.status, Status::optimal) << "seed " << seed << ": " << soft.message;
    EXPECT_EQ(soft.attempts.front().engine, "path / bands of soft rows");
    if (soft.attempts.size() > 1) ++answered_by_others;
    EXPECT_EQ(soft.x.size(), problem.dimension());
    const auto value = static_cast<double>(raw.value(soft.x.head(raw.n)));
    EXPECT_NEAR(soft.certificate.objective, value, 1e-8 * (1.0 + std::abs(value))) << "seed " << seed;
    Settings plain = accurate();
    plain.linear_algebra = LinearAlgebra::sparse;
    const Result interior = solve(problem, plain);
    ASSERT_EQ(interior.status, Status::optimal) << "seed " << seed;
    EXPECT_NE(interior.attempts.front().engine, soft.attempts.front().engine);
    EXPECT_NEAR(soft.certificate.objective, interior.certificate.objective, 1e-7 * (1.0 + std::abs(value)))
        << "seed " << seed;
  }
  EXPECT_EQ(answered_by_others, 0);
}

// The band of these is widened after x has moved: rows that join it then are not where they were read.
TEST(SlackColumns, RowsThatJoinABandAreReadWhereXIs) {
  for (const std::uint64_t seed : {69U, 98U, 186U, 353U, 456U, 638U, 789U, 996U}) {
    Random random(seed);
    const RawProgram raw(random, random.integer(2, 6), 1500, random.integer(0, 3));
    const Result soft = solve(raw.problem(), accurate());
    ASSERT_EQ(soft.status, Status::optimal) << "seed " << seed << ": " << soft.message;
    EXPECT_EQ(soft.attempts.size(), 1U) << "seed " << seed << ": bands gave up";
  }
}

// min 1/2 curvature |x|^2 - mu'x over the simplex, the mean of the worst tenth of the losses L x (or of |L x|) at most kappa.
struct RawLimit {
  Index n, m;
  Matrix L;
  Vector mu;
  double curvature, kappa, share;
  bool absolute;

  RawLimit(Random& random, Index variables, Index rows, bool of_absolute_values)
      : n(variables),
        m(rows),
        L(m, n),
        mu(n),
        curvature(random.uniform() < 0.5 ? 0.0 : random.uniform(0.01, 1.0)),
        share(of_absolute_values ? 1.0 / static_cast<double>(m) : 10.0 / static_cast<double>(m)),
        absolute(of_absolute_values) {
    for (Index j = 0; j < n; ++j) {
      mu[j] = random.uniform(0.0, 0.2);
      const double spread = random.uniform(0.05, 0.4);
      for (Index i = 0; i < m; ++i) L(i, j) = spread * random.normal() - mu[j];
    }
    const double even = measure(Vector::Constant(n, 1.0 / static_cast<double>(n)));  // which keeps the budget
    kappa = even + random.uniform(0.01, 1.0) * std::abs(even);
  }

  // The mean of |L x|, or of the largest tenth of L x.
  double measure(const Vector& x) const {
    Vector losses = L * x;
    if (absolute) return losses.cwiseAbs().mean();
    std::sort(losses.begin(), losses.end(), std::greater<>());
    return losses.head(m / 10).mean();
  }

  // Variables x, alpha (unless of absolute values), one slack for each row of L.
  Problem problem() const {
    const Index level = absolute ? 0 : 1, columns = n + level + m;
    CsrBuilder rows(columns);
    std::vector<double> h;
    for (Index i = 0; i < m; ++i) {
      for (const double sign : absolute ? std::vector<double>{1.0, -1.0} : std::vector<double>{1.0}) {
        for (Index j = 0; j < n; ++j) rows.entry(j, sign * L(i, j));
        if (!absolute) rows.entry(n, -1.0);
        rows.entry(n + level + i, -1.0);
        rows.end_row();
        h.push_back(0.0);
      }
    }
    if (!absolute) rows.entry(n, 1.0);
    for (Index i = 0; i < m; ++i) rows.entry(n + level + i, share);
    rows.end_row();
    h.push_back(kappa);
    Vector cost = Vector::Zero(columns), lo = Vector::Zero(columns);
    cost.head(n) = -mu;
    if (!absolute) lo[n] = -kInfinity;
    Problem out(columns);
    out.minimize(linear(to_array(cost)));
    if (curvature > 0.0) {
      CsrBuilder P(columns);
      for (Index j = 0; j < columns; ++j) {
        if (j < n) P.entry(j, curvature);
        P.end_row();
      }
      out.minimize(quadratic(P.take(), to_array(Vector::Zero(columns))));
    }
    out.regularize(box(to_array(lo), to_array(Vector::Constant(columns, kInfinity))));
    out.subject_to(linear_le(rows.take(), std::move(h)));
    CsrBuilder sum(columns);
    for (Index j = 0; j < n; ++j) sum.entry(j, 1.0);
    sum.end_row();
    out.equal(sum.take(), {1.0});
    return out;
  }
};

TEST(SlackColumns, ALimitOfTheirSumIsABudget) {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    Random random(seed);
    const RawLimit raw(random, random.integer(2, 8), 1000 + 10 * random.integer(0, 50), seed % 2 == 1);
    const Problem problem = raw.problem();
    const SlackColumns found = find_slack_columns(problem, 100);
    EXPECT_EQ(static_cast<Index>(found.columns.size()), raw.m) << "seed " << seed;
    EXPECT_EQ(found.budget.constraint, problem.batches()[0]->size() - 1) << "seed " << seed;
    const Result soft = solve(problem, accurate());
    ASSERT_EQ(soft.status, Status::optimal) << "seed " << seed << ": " << soft.message;
    EXPECT_EQ(soft.attempts.front().engine, "path / bands of soft rows") << "seed " << seed;
    EXPECT_LE(raw.measure(soft.x.head(raw.n)), raw.kappa + 1e-7 * (1.0 + std::abs(raw.kappa))) << "seed " << seed;
    EXPECT_LE(largest_violation(problem, soft.x), 1e-7) << "seed " << seed;
    Settings plain = accurate();
    plain.linear_algebra = LinearAlgebra::sparse;
    const Result interior = solve(problem, plain);
    ASSERT_EQ(interior.status, Status::optimal) << "seed " << seed;
    EXPECT_NEAR(soft.certificate.objective, interior.certificate.objective, 1e-7) << "seed " << seed;
  }
}

}  // namespace
}  // namespace pliant
