// One read of cones for values and derivatives, and lines between points that were read: what Newton steps are made of.
#include "cones/spectral.hpp"
#include "pliant/constraints.hpp"
#include "rows/row_selection.hpp"
#include "softplus/softplus.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace {

using pliant::testing::Random;

constexpr double kDelta = 0.7;

// All cones but the second, and the first of two rows beside them.
class Sweeps {
 public:
  Sweeps(const Cone& cone, Random& random)
      : n(random.integer(2, 7)), problem(with_cones(cone, random, n)), system(problem), selection(system) {
    std::vector<Index> rows{0};
    const Index group = cones().group();
    for (Index i = 0; i < cones().size(); ++i) {
      if (i / group != 1) rows.push_back(2 + i);
    }
    selection.select(rows);
    for (Vector* v : {&a, &first, &second}) v->resize(selection.size());
  }

  const ConstraintBatch& cones() const { return system.batch(1); }
  /// Shares of all data.
  double cones_share() const {
    const Index group = cones().group(), all = cones().bytes(Rows::range(0, cones().size()));
    return share(all - cones().bytes(Rows::range(group, group)));
  }
  double row_share() const { return share(system.batch(0).bytes(Rows::range(0, 1))); }

  /// First and second derivatives of the penalty as weights.
  void weigh(Index begin, Index count) {
    for (Index i = begin; i < begin + count; ++i) {
      first[i] = penalty::sigmoid(a[i] / kDelta);
      second[i] = first[i] * penalty::sigmoid(-a[i] / kDelta) / kDelta;
    }
  }
  void sweep(const Vector& x) {
    gradient = Matrix::Zero(n, 1);
    H = Matrix::Zero(n, n);
    selection.sweep_derivatives(
        x, a, [&](Index begin, Index count) { weigh(begin, count); }, first, first, second, gradient, H);
  }
  void expect_values(const Vector& x) {
    Vector expected(a.size());
    selection.values(x, expected);
    EXPECT_LE((a - expected).norm(), 1e-10 * (1.0 + expected.norm()));
  }
  void expect_line(double t, const Vector& x) {
    Vector slope(a.size());
    selection.line_values(t, a, slope);
    expect_values(x);
  }

  Index n;
  Problem problem;
  ConstraintSystem system;
  RowSelection selection;
  Vector a, first, second;
  Matrix gradient, H;

 private:
  static Problem with_cones(const Cone& cone, Random& random, Index n) {
    const Index count = random.integer(3, 9), rows = count * cone.rows;
    Problem out(n);
    out.subject_to(linear_le(DataMatrix::from(random.matrix(2, n)), to_array(random.vector(2))));
    out.subject_to(std::make_shared<SpectralBatch>(
        ConeBlock(DataMatrix::from(random.matrix(rows, n)), to_array(random.vector(rows)), 0, count, shape_of(cone))));
    return out;
  }
  double share(Index bytes) const { return static_cast<double>(bytes) / static_cast<double>(problem.data_bytes()); }
};

template <class F>
void for_all_sweeps(const F& f) {
  for (const Cone& cone : {Cone{ConeKind::second_order, 2, 0.5}, Cone{ConeKind::second_order, 6, 0.5},
                           Cone{ConeKind::semidefinite, 3, 0.5}, Cone{ConeKind::semidefinite, 15, 0.5}}) {
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(::testing::Message() << cone.rows << " rows, seed " << seed);
      Random random(seed + static_cast<std::uint64_t>(100 * cone.rows));
      Sweeps sweeps(cone, random);
      f(sweeps, random);
    }
  }
}

TEST(Sweeps, OneReadOfConesIsAsGoodAsTwo) {
  for_all_sweeps([](Sweeps& s, Random& random) {
    const Vector x = random.vector(s.n);
    ASSERT_TRUE(s.selection.mostly_cones());
    const double before = s.system.passes();
    s.sweep(x);
    EXPECT_NEAR(s.system.passes() - before, s.cones_share() + 2.0 * s.row_share(), 1e-12);
    s.expect_values(x);
    Matrix gradient = Matrix::Zero(s.n, 1), H = Matrix::Zero(s.n, s.n);
    s.selection.add_weighted_derivatives(x, s.first, s.first, s.second, gradient, H);
    EXPECT_GT(H.norm(), 0.0);
    EXPECT_LE((s.gradient - gradient).norm(), 1e-10 * gradient.norm());
    EXPECT_LE((s.H - H).norm(), 1e-10 * H.norm());
  });
}

TEST(Sweeps, PointsThatWereReadAreALine) {
  for_all_sweeps([](Sweeps& s, Random& random) {
    constexpr double step = 0.4;
    const Vector x = random.vector(s.n), d = random.vector(s.n);
    s.sweep(x);
    s.selection.stay();
    s.sweep(x + step * d);
    const double before = s.system.passes();
    s.selection.prepare_line_between(x, d, step);
    EXPECT_NEAR(s.system.passes() - before, s.row_share(), 1e-12);
    for (const double t : {0.0, 0.3, 2.0}) s.expect_line(t, x + t * d);
    s.selection.stay_along(2.0);  // where the next line begins
    s.sweep(x + 3.0 * d);
    s.selection.prepare_line_between(x + 2.0 * d, d, 1.0);
    s.expect_line(0.5, x + 2.5 * d);
  });
}

// What Newton's steps do where most rows sleep: a line of some rows begins where all of them stay.
TEST(Sweeps, SomeRowsStayWhereAllDo) {
  for_all_sweeps([](Sweeps& s, Random& random) {
    const Vector x = random.vector(s.n), d = random.vector(s.n);
    s.sweep(x);
    s.selection.stay();
    const Index group = s.cones().group();
    std::vector<Index> last;  // the row beside the cones and the last cone
    for (Index k = s.selection.size() - group; k < s.selection.size(); ++k) last.push_back(k);
    last.insert(last.begin(), 0);
    RowSelection some(s.system);
    some.select(s.selection, last);
    some.stay_with(s.selection);
    s.selection = some;
    for (Vector* v : {&s.a, &s.first, &s.second}) v->resize(some.size());
    s.sweep(x + d);
    s.selection.prepare_line_between(x, d, 1.0);
    for (const double t : {0.0, 0.6}) s.expect_line(t, x + t * d);
  });
}

TEST(Sweeps, RowsBesideConesAreReadAlone) {
  for_all_sweeps([](Sweeps& s, Random& random) {
    const Vector x = random.vector(s.n), w = random.vector(s.a.size());
    Vector found = Vector::Zero(s.n), expected = Vector::Zero(s.n);
    const double before = s.system.passes();
    s.selection.add_gradient_beside_cones(x, w, found);
    EXPECT_NEAR(s.system.passes() - before, s.row_share(), 1e-12);
    s.system.batch(0).add_weighted_gradient(x, Rows::range(0, 1), w.head(1), expected);
    EXPECT_EQ(found, expected);
  });
}

}  // namespace
}  // namespace pliant
