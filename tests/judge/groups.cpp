// Problems with a term sum_k w_k |x_group k|_2: its value is known up to digits that no double has.
#include "judge/families.hpp"

#include <cmath>

namespace pliant::judge {
namespace {

void draw_groups(Random& random, RawCase& raw, double weight) {
  const Index groups = random.integer(1, raw.n);
  for (Index j = 0; j < raw.n; ++j) raw.groups.push_back(j < groups ? j : random.integer(0, groups - 1));
  raw.group_weights = weight * (random.vector(groups).cwiseAbs() + Vector::Constant(groups, 0.1));
}

void add_rows_around(Random& random, RawCase& raw, const Vector& x0) {
  const Index m = random.integer(0, 8);
  for (Index i = 0; i < m; ++i) {
    const Vector g = random.vector(raw.n);
    raw.add_le(g, g.dot(x0) + random.uniform(0.0, 1.0));
  }
  raw.planted = {x0, Vector::Zero(raw.n)};
  raw.inside = x0;
}

RawTerm squares_term(Random& random, Index n) {
  RawTerm term;
  const Index rows = random.integer(1, 8);
  term.A = random.matrix(rows, n);
  term.b = random.vector(rows);
  return term;
}

// Least squares, with or without strong convexity.
RawCase group_program(Random& random) {
  RawCase raw(random.integer(1, 5));
  raw.terms.push_back(squares_term(random, raw.n));
  draw_groups(random, raw, random.log_uniform(1e-2, 1.0));
  add_rows_around(random, raw, random.vector(raw.n));
  return raw;
}

// The norm of q in a group beside its weight: the term just holds the linear part, or just does not.
RawCase group_edge(Random& random) {
  RawCase raw(random.integer(1, 5));
  draw_groups(random, raw, 1.0);
  raw.q = random.vector(raw.n);
  Vector squares = Vector::Zero(raw.group_weights.size());
  for (Index j = 0; j < raw.n; ++j) squares[raw.groups[static_cast<std::size_t>(j)]] += raw.q[j] * raw.q[j];
  const double kind = random.uniform();
  const double miss = kind < 0.3 ? 0.0 : (kind < 0.65 ? 1.0 : -1.0) * std::pow(10.0, random.uniform(-16.0, -6.0));
  raw.group_weights = squares.cwiseSqrt() * (1.0 + miss);
  const double size = std::pow(10.0, random.uniform(-3.0, 9.0));
  for (const double length : {1.0, size}) raw.planted.emplace_back(-length * raw.q);
  raw.planted.emplace_back(Vector::Zero(raw.n));
  if (random.uniform() < 0.5) {  // bounded below: |y - y0| beside it
    raw.terms.push_back(squares_term(random, raw.n));
    raw.terms.back().A *= size;
  }
  add_rows_around(random, raw, random.vector(raw.n));
  raw.planted.emplace_back(-raw.q);
  raw.rays = {Vector(-raw.q)};
  return raw;
}

}  // namespace

const std::vector<Family>& group_families() {
  static const std::vector<Family> families = {{"groups", group_program}};
  return families;
}

const std::vector<Family>& hostile_group_families() {
  static const std::vector<Family> families = {{"group_edge", group_edge}};
  return families;
}

}  // namespace pliant::judge
