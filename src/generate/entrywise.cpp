// The two examples of the paper, whose penalised minimisers are known in closed form.
#include "generate/data.hpp"
#include "generate/family.hpp"

#include <fmt/format.h>

namespace pliant::generation {
namespace {

// -x_i <= 0, i < m
void add_entrywise_constraints(Problem& problem, Index m) {
  const Index n = problem.dimension();
  if (m > n) throw InputError(fmt::format("m: expected at most n = {} constraints, got {}", n, m));
  problem.slater_point = Vector::Zero(n);
  problem.slater_point->head(m).setOnes();
  if (m == 0) return;
  std::vector<Index> starts(static_cast<std::size_t>(m) + 1);
  std::vector<Index> columns(static_cast<std::size_t>(m));
  for (std::size_t i = 0; i < starts.size(); ++i) starts[i] = static_cast<Index>(i);
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = static_cast<Index>(i);
  std::vector<double> minus_ones(static_cast<std::size_t>(m), -1.0);
  DataMatrix G =
      DataMatrix::csr(m, n, Indices(std::move(starts)), Indices(std::move(columns)), Doubles(std::move(minus_ones)));
  problem.subject_to(linear_le(std::move(G), to_array(Vector::Zero(m))));
}

// min sum_{i<m} x_i  s.t.  x_i >= 0, i < m: optimum 0, where every multiplier is 1.
Problem entrywise_convex(const Parameters& p) {
  Problem problem(p.n());
  add_entrywise_constraints(problem, p.m());
  Vector c = Vector::Zero(p.n());
  c.head(p.m()).setOnes();
  problem.minimize(linear(to_array(c)));
  problem.known_optimum = KnownOptimum{0.0, Vector::Zero(p.n())};
  return problem;
}

// min 1/2 |x|^2 + e'x  s.t.  x_i >= 0, i < m: x_i = 0 for i < m, -1 beyond.
Problem entrywise_strong(const Parameters& p) {
  Problem problem(p.n());
  add_entrywise_constraints(problem, p.m());
  problem.minimize(quadratic(scaled_identity(p.n(), 1.0), to_array(Vector::Ones(p.n()))));
  Vector x = Vector::Zero(p.n());
  const Index free = p.n() - p.m();
  x.tail(free).setConstant(-1.0);
  problem.known_optimum = KnownOptimum{-0.5 * static_cast<double>(free), std::move(x)};
  return problem;
}

}  // namespace

std::vector<Family> entrywise_families() {
  return {
      {"entrywise_convex", "min sum of the first m entries, these >= 0 (m <= n); not strongly convex",
       sizes_and(50, 50, {}), entrywise_convex},
      {"entrywise_strong", "min 1/2 |x|^2 + sum x, the first m entries >= 0 (m <= n)", sizes_and(50, 50, {}),
       entrywise_strong},
  };
}

}  // namespace pliant::generation
