// Problems with smooth terms and log-sum-exp rows: their values are known through enclosures.
#include "judge/families.hpp"

#include <cmath>

namespace pliant::judge {
namespace {

RawTerm draw_term(Random& random, Index n, double size) {
  RawTerm term;
  const Index rows = random.integer(1, 8);
  term.A = size * random.matrix(rows, n);
  term.b = size * random.vector(rows);
  term.weight = random.uniform() < 0.5 ? 1.0 : random.log_uniform(1e-2, 1e2);
  switch (random.integer(0, n > 1 ? 3 : 2)) {  // multinomial needs two classes
    case 0:
      term.kind = TermKind::least_squares;
      break;
    case 1:
      term.kind = TermKind::huber;
      term.width = random.log_uniform(1e-2, 10.0);
      break;
    case 2:
      term.kind = TermKind::logistic;
      for (double& y : term.b) y = y > 0.0 ? 1.0 : -1.0;
      break;
    default:
      term.kind = TermKind::multinomial;
      term.order = n;  // one feature per class
      term.A = size * random.matrix(rows, 1);
      for (double& y : term.b) y = static_cast<double>(random.integer(0, n - 1));
      break;
  }
  return term;
}

RawCase with_terms(Random& random, double size, double width) {
  RawCase raw(random.integer(1, 5));
  raw.terms.push_back(draw_term(random, raw.n, size));
  if (random.uniform() < 0.3) raw.terms.push_back(draw_term(random, raw.n, size));
  const Vector x0 = random.vector(raw.n);
  const Index m = random.integer(0, 8);
  for (Index i = 0; i < m; ++i) {
    const Vector g = random.vector(raw.n);
    raw.add_le(g, g.dot(x0) + random.uniform(0.0, 1.0));
  }
  const double kind = random.uniform();
  if (kind < 0.5) raw.bound_all(-width * random.uniform(0.5, 10.0), width * random.uniform(0.5, 10.0));
  if (kind > 0.7) raw.l2 = random.log_uniform(1e-6, 1.0);
  if (kind > 0.85) raw.l1 = random.log_uniform(1e-3, 1.0);
  if (random.uniform() < 0.5) raw.q = random.vector(raw.n);
  raw.planted = {x0, Vector::Zero(raw.n)};
  return raw;
}

RawCase smooth_terms(Random& random) { return with_terms(random, 1.0, 1.0); }
RawCase wild_terms(Random& random) {
  return with_terms(random, power_of_ten(random, -5.0, 5.0), power_of_ten(random, -2.0, 8.0));
}

RawCase with_log_sum_exp(Random& random, double size) {
  RawCase raw(random.integer(1, 4));
  const Vector x0 = random.vector(raw.n);
  const Index m = random.integer(1, 3);
  for (Index i = 0; i < m; ++i) {
    RawLogSumExp row{size * random.matrix(random.integer(1, 4), raw.n), {}};
    // Below 0 at x0: every term at most 1/terms, and a little less.
    row.b = -row.A * x0;
    row.b.array() -= std::log(static_cast<double>(row.b.size())) + random.uniform(0.0, 1.0);
    raw.log_sum_exps.push_back(row);
  }
  raw.q = random.vector(raw.n);
  if (random.uniform() < 0.6) raw.bound_all(-5.0, 5.0);
  if (random.uniform() < 0.3) raw.l2 = random.log_uniform(1e-3, 1.0);
  raw.planted.push_back(x0);
  raw.inside = x0;
  return raw;
}

RawCase log_sum_exp_rows(Random& random) { return with_log_sum_exp(random, 1.0); }
RawCase wild_log_sum_exp(Random& random) { return with_log_sum_exp(random, power_of_ten(random, -4.0, 3.0)); }

// The smallest ellipsoid around points: -log det X subject to q'Xq <= 1.
RawCase with_points(Random& random, double scale) {
  const Index order = random.integer(1, 3);
  RawCase raw(order * (order + 1) / 2);
  RawTerm term;
  term.kind = TermKind::log_det;
  term.order = order;
  if (random.uniform() < 0.3) term.weight = random.log_uniform(1e-2, 1e2);
  raw.terms.push_back(term);
  const Index m = random.integer(order, 12);
  raw.rank_one = RawRankOne{scale * random.matrix(m, order), Vector::Ones(m)};
  if (random.uniform() < 0.3) raw.rank_one->b = random.vector(m).cwiseAbs() + Vector::Constant(m, 0.1);
  double longest = 0.0;
  for (Index i = 0; i < m; ++i) {
    longest = std::max(longest, raw.rank_one->points.row(i).squaredNorm() / raw.rank_one->b[i]);
  }
  Vector inside = Vector::Zero(raw.n);
  for (Index j = 0, k = 0; j < order; k += order - j, ++j) inside[k] = 0.5 / longest;
  raw.inside = raw.start = inside;
  raw.planted.push_back(inside);
  return raw;
}

RawCase ellipsoid(Random& random) { return with_points(random, 1.0); }
RawCase wild_ellipsoid(Random& random) { return with_points(random, power_of_ten(random, -5.0, 5.0)); }

}  // namespace

const std::vector<Family>& smooth_families() {
  static const std::vector<Family> families = {
      {"smooth_terms", smooth_terms}, {"log_sum_exp", log_sum_exp_rows}, {"ellipsoid", ellipsoid}};
  return families;
}

const std::vector<Family>& hostile_smooth_families() {
  static const std::vector<Family> families = {
      {"wild_terms", wild_terms}, {"wild_log_sum_exp", wild_log_sum_exp}, {"wild_ellipsoid", wild_ellipsoid}};
  return families;
}

}  // namespace pliant::judge
