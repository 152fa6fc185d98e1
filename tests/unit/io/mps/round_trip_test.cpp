// A problem written as MPS, compressed or not, comes back the same; so it does through the container.
#include "../sample_problems.hpp"
#include "mps_support.hpp"

#include <cmath>

namespace pliant::testing {
namespace {

using ::testing::HasSubstr;

double some_number(Random& random) {
  const double scale = std::pow(10.0, random.uniform(-12.0, 12.0));
  return random.uniform() < 0.2 ? std::round(random.uniform(-9.0, 9.0)) : random.normal() * scale;
}

// Every kind of row, side and bound, in random places.
io::MpsFile random_file(Random& random) {
  io::MpsFile mps;
  const Index n = random.integer(1, 9), m = random.integer(0, 9);
  mps.name = "random";
  mps.objective = "cost";
  mps.maximize = random.uniform() < 0.5;
  mps.constant = random.uniform() < 0.5 ? some_number(random) : 0.0;
  const double sign = mps.maximize ? -1.0 : 1.0;
  for (Index i = 0; i < m; ++i) {
    mps.rows.push_back(fmt::format("row{}", i));
    double lower = some_number(random), upper = lower + std::abs(some_number(random));
    const Index kind = random.integer(0, 4);
    if (kind == 0) lower = upper;
    if (kind == 1 || kind == 4) lower = -kInfinity;
    if (kind == 2 || kind == 4) upper = kInfinity;
    mps.row_lower.push_back(lower);
    mps.row_upper.push_back(upper);
  }
  for (Index j = 0; j < n; ++j) {
    mps.columns.push_back(fmt::format("column{}", j));
    mps.cost.push_back(random.uniform() < 0.7 ? some_number(random) : 0.0);
    double lower = some_number(random), upper = lower + std::abs(some_number(random));
    const Index kind = random.integer(0, 5);
    if (kind == 0) lower = upper;
    if (kind == 1 || kind == 4) lower = -kInfinity;
    if (kind == 2 || kind == 4) upper = kInfinity;
    if (kind == 5) lower = 0.0, upper = random.uniform() < 0.5 ? kInfinity : 0.0;
    mps.lower.push_back(lower);
    mps.upper.push_back(upper);
    for (Index i = 0; i < m; ++i) {
      if (random.uniform() < 0.4) mps.entries.push_back({i, j, some_number(random)});
    }
  }
  std::erase_if(mps.entries, [](const auto& e) { return e.value == 0.0; });
  // Diagonally dominant, so that it is convex (concave where the objective is maximised).
  for (Index i = 0; random.uniform() < 0.7 && i < n; ++i) {
    for (Index j = 0; j < n; ++j) mps.quadratic.push_back({i, j, sign * (i == j ? 10.0 + random.uniform() : 1.0)});
  }
  if (static_cast<Index>(mps.quadratic.size()) != n * n) mps.quadratic.clear();
  for (Index i = 0; i < m; ++i) {
    const bool below = std::isinf(mps.row_lower[static_cast<std::size_t>(i)]);
    const bool above = std::isinf(mps.row_upper[static_cast<std::size_t>(i)]);
    if (below == above || random.uniform() < 0.5) continue;
    const bool diagonal = random.uniform() < 0.5;
    for (Index j = 0; j < n; ++j) {
      for (Index k = 0; k < n; ++k) {
        if (diagonal && j != k) continue;
        mps.quadratic_rows[i].push_back({j, k, (below ? 1.0 : -1.0) * (j == k ? 10.0 + random.uniform() : 1.0)});
      }
    }
  }
  return mps;
}

// Objective, bounds and all constraints of two problems, at random points and by name.
void expect_same(const Problem& a, const Problem& b, Random& random) {
  ASSERT_EQ(a.dimension(), b.dimension());
  EXPECT_EQ(a.sense, b.sense);
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.names.objective, b.names.objective);
  EXPECT_EQ(a.names.variables, b.names.variables);
  EXPECT_EQ(a.names.equalities, b.names.equalities);
  EXPECT_EQ(a.names.constraints, b.names.constraints);
  ASSERT_EQ(a.batches().size(), b.batches().size());
  ASSERT_EQ(a.has_equalities(), b.has_equalities());
  if (a.has_equalities()) {
    EXPECT_TRUE(same_bits(a.equality_matrix(), b.equality_matrix()));
    EXPECT_TRUE(same_bits(a.equality_rhs(), b.equality_rhs()));
  }
  for (int k = 0; k < 3; ++k) {
    const Vector x = random.vector(a.dimension());
    EXPECT_EQ(a.smooth_value(x), b.smooth_value(x));
    EXPECT_EQ(a.prox().domain_violation(x), b.prox().domain_violation(x));
    for (std::size_t i = 0; i < a.batches().size(); ++i) {
      ASSERT_EQ(a.batches()[i]->size(), b.batches()[i]->size());
      ASSERT_EQ(a.batches()[i]->family(), b.batches()[i]->family());
      for (Index r = 0; r < a.batches()[i]->size(); ++r) {
        const double before = a.batches()[i]->component_value(r, x), after = b.batches()[i]->component_value(r, x);
        // Widths of two-sided rows are rounded: a side may move by a unit in the last place.
        EXPECT_NEAR(before, after, 1e-15 * (a.batches()[i]->constant_scale() + std::abs(before)));
      }
    }
  }
}

TEST_F(MpsTest, RandomFilesThroughEveryFormat) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Problem problem = io::to_problem(random_file(random), "random");
    ASSERT_NO_THROW(problem.validate());
    for (const char* name : {"a.mps", "b.qps.gz", "c.h5"}) {
      SCOPED_TRACE(name);
      write_problem(problem, directory_ / name);
      const Problem again = read_problem(directory_ / name);
      ASSERT_NO_THROW(again.validate());
      expect_same(problem, again, random);
    }
    const std::string packed = bytes_of(directory_ / "b.qps.gz"), plain = bytes_of(directory_ / "a.mps");
    EXPECT_TRUE(packed.starts_with("\x1f\x8b"));
    EXPECT_TRUE(plain.starts_with("NAME"));
    write_problem(read_problem(directory_ / "a.mps"), directory_ / "d.mps");
    EXPECT_EQ(bytes_of(directory_ / "d.mps"), plain);
  }
}

TEST_F(MpsTest, SidesOfTwoSidedRowsAreKeptWhereRangesCan) {
  Random random(3);
  int exact = 0;
  for (int k = 0; k < 200; ++k) {
    io::MpsFile mps;
    mps.objective = "c";
    mps.rows = {"r"};
    mps.columns = {"x"};
    mps.cost = {1.0};
    mps.lower = {0.0};
    mps.upper = {kInfinity};
    mps.entries = {{0, 0, 1.0}};
    const double lower = some_number(random), upper = lower + std::abs(some_number(random)) + 1e-9;
    mps.row_lower = {lower};
    mps.row_upper = {upper};
    io::write_mps(mps, directory_ / "r.mps");
    const io::MpsFile read = io::read_mps(directory_ / "r.mps");
    const double scale = std::max(std::abs(lower), std::abs(upper));
    EXPECT_NEAR(read.row_lower[0], lower, 2.3e-16 * scale);
    EXPECT_NEAR(read.row_upper[0], upper, 2.3e-16 * scale);
    if (read.row_lower[0] == lower && read.row_upper[0] == upper) ++exact;
  }
  EXPECT_GT(exact, 180);
}

TEST_F(MpsTest, TermsAddUpAndRidgesBecomeQuadratic) {
  Random random(5);
  const Index n = 4;
  const Matrix root = random.matrix(n, n);
  Problem p(n);
  p.minimize(quadratic(DataMatrix::from(root * root.transpose()), Doubles(random.numbers(n))), 2.0);
  p.minimize(linear(Doubles(random.numbers(n)), 3.0), 0.5);
  p.regularize(l2_squared(n, 0.25));
  p.subject_to(linear_le(DataMatrix::from(random.matrix(3, n)), Doubles(random.numbers(3))));
  write_problem(p, directory_ / "p.mps");
  const Problem q = read_problem(directory_ / "p.mps");
  for (int k = 0; k < 5; ++k) {
    const Vector x = random.vector(n);
    EXPECT_NEAR(p.objective(x), q.objective(x), 1e-13 * (1.0 + std::abs(p.objective(x)) + x.squaredNorm()));
  }
  EXPECT_EQ(q.names.variables, (std::vector<std::string>{"C1", "C2", "C3", "C4"}));
}

TEST_F(MpsTest, LowRankRows) {
  Random random(6);
  const Index n = 5, m = 3, rank = 2;
  Problem p(n);
  p.minimize(linear(Doubles(random.numbers(n))));
  p.subject_to(quadratic_lowrank_le(Tensor({m, rank, n}, Doubles(random.numbers(m * rank * n))),
                                    Tensor({m, n}, Doubles(random.numbers(m * n))), Doubles(random.numbers(m))));
  write_problem(p, directory_ / "p.mps");
  const Problem q = read_problem(directory_ / "p.mps");
  const Vector x = random.vector(n);
  for (Index i = 0; i < m; ++i) {
    EXPECT_NEAR(p.batches()[0]->component_value(i, x), q.batches()[0]->component_value(i, x), 1e-12);
  }
}

TEST_F(MpsTest, WhatMpsCannotSayIsRefused) {
  Random random(7);
  const auto refusal = [&](const std::function<void(Problem&)>& change) {
    Problem p(3);
    p.minimize(linear(Doubles(random.numbers(3))));
    change(p);
    const std::string message = error_of([&] { write_problem(p, directory_ / "p.mps"); });
    EXPECT_FALSE(fs::exists(directory_ / "p.mps"));
    EXPECT_EQ(directory_.entries(), 0u);
    return message;
  };
  const auto with = [&](double bound) { return Doubles(std::vector<double>(3, bound)); };
  EXPECT_THAT(refusal([&](Problem& p) {
                p.minimize(logistic(DataMatrix::from(random.matrix(1, 3)), Doubles(std::vector<double>{1.0})));
              }),
              HasSubstr("an objective term of kind logistic cannot be expressed in MPS"));
  EXPECT_THAT(refusal([&](Problem& p) { p.regularize(l1(3, 1.0)); }), HasSubstr("a prox term of kind l1"));
  EXPECT_THAT(refusal([&](Problem& p) { p.regularize(simplex(3, 1.0)); }), HasSubstr("a prox term of kind simplex"));
  EXPECT_THAT(refusal([&](Problem& p) {
                p.subject_to(log_sum_exp_le(Tensor({1, 2, 3}, Doubles(random.numbers(6))),
                                            Tensor({1, 2}, Doubles(random.numbers(2)))));
              }),
              HasSubstr("a constraint of the family log_sum_exp"));
  EXPECT_THAT(refusal([&](Problem& p) { p.regularize(box(with(0.0), with(1e25))); }),
              HasSubstr("the bound 1e+25 of C1 cannot be expressed"));
  EXPECT_THAT(refusal([&](Problem& p) {
                p.subject_to(linear_le(DataMatrix::from(random.matrix(1, 3)), Doubles(std::vector<double>{2e20})));
              }),
              HasSubstr("the right-hand side 2e+20 of R1 cannot be expressed"));
}

TEST_F(MpsTest, NamesThatTheFreeLayoutCannotHoldAreReplaced) {
  SampleText s;
  for (const std::string& bad : std::vector<std::string>{"a b", "", "y", std::string(300, 'x'), "'MARKER'"}) {
    Problem p = read(s);
    p.names.variables[0] = bad;
    write_problem(p, directory_ / "q.mps");
    const Problem q = read_problem(directory_ / "q.mps");
    EXPECT_EQ(q.names.variables, (std::vector<std::string>{"C1", "C2", "C3"})) << bad;
    EXPECT_EQ(q.names.equalities, p.names.equalities);
    write_problem(p, directory_ / "q.h5");  // the container holds any name
    EXPECT_EQ(read_problem(directory_ / "q.h5").names.variables, p.names.variables);
  }
}

// Names as other programs store them: text of variable length, or padded with blanks.
TEST_F(MpsTest, NamesOfOtherWriters) {
  const fs::path path = directory_ / "p.h5";
  const auto with = [&](std::size_t width, const void* characters, hsize_t count) {
    write_problem(read({}), path);
    RawFile file = RawFile::change(path);
    file.remove("names/variables");
    const RawId type(H5Tcopy(H5T_C_S1));
    H5Tset_size(type, width);
    if (width != H5T_VARIABLE) H5Tset_strpad(type, H5T_STR_SPACEPAD);
    const RawId space(H5Screate_simple(1, &count, nullptr));
    const RawId id(H5Dcreate2(file.id(), "names/variables", type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    H5Dwrite(id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, characters);
  };
  const std::vector<std::string> expected{"one", "", "three"};
  const std::vector<const char*> pointers{"one", "", "three", "four"};
  with(H5T_VARIABLE, pointers.data(), 3);
  EXPECT_EQ(read_problem(path).names.variables, expected);
  with(6, "one         three ", 3);
  EXPECT_EQ(read_problem(path).names.variables, expected);
  with(H5T_VARIABLE, pointers.data(), 4);
  EXPECT_THAT(error_of([&] { read_problem(path); }), HasSubstr("names/variables: expected 3 entries, got 4"));
  with(1, "a\nb", 3);
  EXPECT_THAT(error_of([&] { read_problem(path); }), HasSubstr("names/variables: entry 1: expected UTF-8 text"));
  {
    RawFile file = RawFile::change(path);
    file.remove("names/variables");
    file.doubles("names/variables", {3}, {1.0, 2.0, 3.0});
  }
  EXPECT_THAT(error_of([&] { read_problem(path); }), HasSubstr("names/variables: expected text"));
  {
    RawFile file = RawFile::change(path);
    file.remove("names/variables");
    file.text("/", "sense", "sideways");
  }
  EXPECT_THAT(error_of([&] { read_problem(path); }), HasSubstr("sense is \"sideways\", expected \"minimize\" or"));
}

TEST_F(MpsTest, NamesOfTheWrongNumberAreInvalid) {
  Problem p = read({});
  p.names.variables.pop_back();
  EXPECT_THAT(error_of([&] { p.validate(); }), HasSubstr("names: variables: expected 3 names or none, got 2"));
  p = read({});
  p.names.constraints[0].emplace_back("more");
  EXPECT_THAT(error_of([&] { p.validate(); }), HasSubstr("names: constraints/0: expected 2 names or none, got 3"));
}

}  // namespace
}  // namespace pliant::testing
