// Regression and classification under linear constraints.
#include "constraints/linear.hpp"
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
  const NumberRows G(p, m, n, [stream = p.stream(Label::rows), n, margin, w0](Index j, double* numbers) {
    stream.row(j).normals(numbers, n);
    auto row = as_vector(numbers, n);
    row.normalize();
    if (row.dot(w0) > 0.0) row = -row;
    row -= margin * w0;
  });
  const double separation = least(m, n, [&](Index j) { return -as_vector(G.row(j), n).dot(w0); });
  *problem.slater_point = (2.0 / separation) * w0;
  const NumberRows h = column(p, m, [](Index) { return -1.0; });
  problem.subject_to(finite_linear_le(DataMatrix::dense(m, n, G.share()), h.share()));
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
  const Index l = samples(p);
  const NumberRows Phi = normal_rows(p, Label::samples, l, n, RowNorm::free);
  const NumberRows y = column(p, l, [stream = p.stream(Label::targets)](Index i) { return stream.normal(i); });
  problem.minimize(least_squares(DataMatrix::dense(l, n, Phi.share()), y.share()));
  problem.regularize(l2_squared(n, p.real("mu")));
  const Vector x0 = normal_vector(p.stream(Label::planted_point), n);
  if (planted) problem.slater_point = x0;
  if (m == 0) return problem;
  const NumberRows A = normal_rows(p, Label::rows, m, n, RowNorm::unit);
  const NumberRows b = column(p, m, [=, rhs = p.stream(Label::right_hand_side), margin = p.real("margin")](Index i) {
    return planted ? as_vector(A.row(i), n).dot(x0) + margin * rhs.uniform(i, 1.0, 2.0) : rhs.normal(i);
  });
  problem.subject_to(finite_linear_le(DataMatrix::dense(m, n, A.share()), b.share()));
  return problem;
}

// min (1/l) sum ln(1 + exp(-y_i a_i'w)) + mu/2 |w|^2  s.t.  s_j z_j'w >= 1: samples a_i = u_i + 0.1 u'_i with
// unit u_i, u'_i and labels y_i = sign(u_i'w0); knowledge about further points z_j as constraints.
Problem logistic_regression(const Parameters& p) {
  constexpr double kNoise = 0.1;
  const Index n = p.n();
  const Index l = samples(p);
  const Vector w0 = unit_vector(p.stream(Label::planted_point), n);
  const auto clean = [stream = p.stream(Label::samples), n](Index i, double* numbers) {
    stream.row(i).normals(numbers, n);
    auto row = as_vector(numbers, n);
    row.normalize();
    return row;
  };
  const NumberRows data(p, l, n, [=, noise = p.stream(Label::noise)](Index i, double* numbers) {
    auto shift = as_vector(parallel::scratch(parallel::Scratch::block, n), n);
    noise.row(i).normals(shift.data(), n);
    clean(i, numbers) += (kNoise / shift.norm()) * shift;
  });
  const NumberRows labels = column(p, l, [=](Index i) {
    return clean(i, parallel::scratch(parallel::Scratch::block, n)).dot(w0) > 0.0 ? 1.0 : -1.0;
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
