// Regression and classification under linear constraints.
#include "generate/data.hpp"
#include "generate/family.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant::generation {
namespace {

// l: number of samples in the sum, 0 for as many as there are constraints.
Index samples(const Parameters& p) { return p.count("l") > 0 ? p.count("l") : std::max<Index>(1, p.m()); }

// Rows g_j = -(s_j u_j + margin w0), u_j uniform on the sphere and s_j the sign of u_j'w0, with -1 on the right:
// s_j z_j'w >= 1 for the points z_j = u_j + s_j margin w0, which w0 (|w0| = 1) separates by at least `margin`.
// Sets the Slater point: w0 scaled until every constraint has slack 1.
void add_separation(Problem& problem, const Parameters& p, const Vector& w0) {
  const Index n = p.n();
  const Index m = p.m();
  problem.slater_point = Vector::Zero(n);
  if (m == 0) return;
  const double margin = p.real("margin");
  Numbers G = normal_rows(p.stream(Label::rows), m, n, RowNorm::unit);
  Numbers separation({m});
  for_each_row(m, n, [&](Index j) {
    auto row = as_vector(G.data() + j * n, n);
    if (row.dot(w0) > 0.0) row = -row;
    row -= margin * w0;
    separation[j] = -row.dot(w0);
  });
  *problem.slater_point = (2.0 / as_vector(separation.data(), m).minCoeff()) * w0;
  problem.subject_to(linear_le(DataMatrix::dense(m, n, G.share()), to_array(Vector::Constant(m, -1.0))));
}

// min (1/2l) |Phi x - y|^2 + mu/2 |x|^2  s.t.  Ax <= b; Phi, y ~ N(0,1), A with unit rows.
// planted: b = A x0 + margin (1 + U) with x0 ~ N(0, I), so that x0 is strictly feasible while the rows that
// face the unconstrained minimiser near 0 cut it off; otherwise b ~ N(0,1), feasible because A has full row rank.
Problem ridge(const Parameters& p) {
  const Index n = p.n();
  const Index m = p.m();
  const bool planted = p.flag("planted");
  if (!planted && m > n) {
    throw InputError(fmt::format("m: expected at most n = {} constraints where planted=0, got {}", n, m));
  }
  Problem problem(n);
  const Numbers Phi = normal_rows(p.stream(Label::samples), samples(p), n, RowNorm::free);
  problem.minimize(least_squares(DataMatrix::dense(samples(p), n, Phi.share()),
                                 to_array(normal_vector(p.stream(Label::targets), samples(p)))));
  problem.regularize(l2_squared(n, p.real("mu")));
  const Vector x0 = normal_vector(p.stream(Label::planted_point), n);
  if (planted) problem.slater_point = x0;
  if (m == 0) return problem;
  const Numbers A = normal_rows(p.stream(Label::rows), m, n, RowNorm::unit);
  const Stream rhs = p.stream(Label::right_hand_side);
  Numbers b({m});
  if (planted) {
    const double margin = p.real("margin");
    for_each_row(m, n,
                 [&](Index i) { b[i] = as_vector(A.data() + i * n, n).dot(x0) + margin * rhs.uniform(i, 1.0, 2.0); });
  } else {
    rhs.normals(b.data(), m);
  }
  problem.subject_to(linear_le(DataMatrix::dense(m, n, A.share()), b.share()));
  return problem;
}

// min (1/l) sum ln(1 + exp(-y_i a_i'w)) + mu/2 |w|^2  s.t.  s_j z_j'w >= 1: samples a_i = u_i + 0.1 u'_i with
// unit u_i, u'_i and labels y_i = sign(u_i'w0); knowledge about further points z_j as constraints.
Problem logistic_regression(const Parameters& p) {
  constexpr double kNoise = 0.1;
  const Index n = p.n();
  const Index l = samples(p);
  const Vector w0 = unit_vector(p.stream(Label::planted_point), n);
  const Stream noise = p.stream(Label::noise);
  Numbers data = normal_rows(p.stream(Label::samples), l, n, RowNorm::unit);
  Numbers labels({l});
  parallel::for_chunks(parallel::make_chunks(l, data.size() * static_cast<Index>(sizeof(double)), 256),
                       [&](Index, Index begin, Index end) {
                         Vector shift(n);
                         for (Index i = begin; i < end; ++i) {
                           auto row = as_vector(data.data() + i * n, n);
                           labels[i] = row.dot(w0) > 0.0 ? 1.0 : -1.0;
                           noise.row(i).normals(shift.data(), n);
                           row += (kNoise / shift.norm()) * shift;
                         }
                       });
  Problem problem(n);
  problem.minimize(logistic(DataMatrix::dense(l, n, data.share()), labels.share()));
  problem.regularize(l2_squared(n, p.real("mu")));
  add_separation(problem, p, w0);
  return problem;
}

// min 1/2 |w|^2  s.t.  s_j z_j'w >= 1
Problem svm(const Parameters& p) {
  Problem problem(p.n());
  problem.minimize(quadratic(scaled_identity(p.n(), 1.0), to_array(Vector::Zero(p.n()))));
  add_separation(problem, p, unit_vector(p.stream(Label::planted_point), p.n()));
  return problem;
}

}  // namespace

std::vector<Family> learning_families() {
  return {
      {"ridge", "min (1/2l) |Phi x - y|^2 + mu/2 |x|^2 s.t. Ax <= b",
       sizes_and(30, 1000, {count("l", 0, 0), positive("mu", 0.1), positive("margin", 0.1), flag("planted", true)}),
       ridge},
      {"logistic", "min (1/l) sum ln(1 + exp(-y_i a_i'w)) + mu/2 |w|^2 s.t. s_j z_j'w >= 1",
       sizes_and(30, 1000, {count("l", 0, 0), positive("mu", 0.05), real("margin", 0.1, 0.0)}), logistic_regression},
      {"svm", "min 1/2 |w|^2 s.t. s_j z_j'w >= 1: hard-margin support vector machine",
       sizes_and(30, 1000, {real("margin", 0.1, 0.0)}), svm},
  };
}

}  // namespace pliant::generation
