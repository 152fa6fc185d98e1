// LP and QP with dense rows: the plainest problems with many more constraints than variables.
#include "constraints/linear.hpp"
#include "generate/dense_rows.hpp"

namespace pliant::generation {
namespace {

void add_rows(Problem& problem, const DenseRows& rows) {
  const Index m = rows.h.share().size();
  if (m > 0)
    problem.subject_to(finite_linear_le(DataMatrix::dense(m, problem.dimension(), rows.G.share()), rows.h.share()));
  problem.slater_point = rows.interior;
}

// 3 N(0, I), or the cost for which the planted vertex satisfies mu x + c + sum lambda_i g_i = 0.
Vector linear_cost(const Parameters& p, const DenseRows& rows, double mu) {
  if (rows.vertex) return -mu * rows.vertex->x - rows.vertex->pull;
  return kCostScale * normal_vector(p.stream(Label::cost), p.n());
}

void note_optimum(Problem& problem, const DenseRows& rows) {
  if (rows.vertex) problem.known_optimum = KnownOptimum{problem.objective(rows.vertex->x), rows.vertex->x};
}

// min c'x  s.t.  Gx <= h, |x_j| <= box
Problem dense_lp(const Parameters& p) {
  const double width = p.real("box");
  const DenseRows rows = dense_rows(p, width);
  Problem problem(p.n());
  problem.minimize(linear(to_array(linear_cost(p, rows, 0.0))));
  problem.regularize(box(to_array(Vector::Constant(p.n(), -width)), to_array(Vector::Constant(p.n(), width))));
  add_rows(problem, rows);
  note_optimum(problem, rows);
  return problem;
}

// min mu/2 |x|^2 + c'x  s.t.  Gx <= h
Problem dense_qp(const Parameters& p) {
  const double mu = p.real("mu");
  const DenseRows rows = dense_rows(p, kInfinity);
  Problem problem(p.n());
  problem.minimize(quadratic(scaled_identity(p.n(), mu), to_array(linear_cost(p, rows, mu))));
  add_rows(problem, rows);
  note_optimum(problem, rows);
  return problem;
}

std::vector<ParameterSpec> with_variants(ParameterSpec own) {
  std::vector<ParameterSpec> more = row_variants();
  more.insert(more.begin(), std::move(own));
  return sizes_and(30, 1000, std::move(more));
}

}  // namespace

std::vector<Family> dense_linear_families() {
  return {
      {"dense_lp", "min c'x s.t. Gx <= h with dense rows, |x_j| <= box; not strongly convex",
       with_variants(positive("box", 10.0)), dense_lp},
      {"dense_qp", "min mu/2 |x|^2 + c'x s.t. Gx <= h with dense rows", with_variants(positive("mu", 1.0)), dense_qp},
  };
}

}  // namespace pliant::generation
