#include "judge/raw_case.hpp"

#include "judge/enclosure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace pliant::judge {
namespace {

DataMatrix data_matrix(const Matrix& M, bool sparse) {
  if (!sparse) return DataMatrix::dense(M.rows(), M.cols(), row_major(M));
  std::vector<Index> starts{0}, columns;
  std::vector<double> values;
  for (Index i = 0; i < M.rows(); ++i) {
    for (Index j = 0; j < M.cols(); ++j) {
      if (M(i, j) == 0.0) continue;
      columns.push_back(j);
      values.push_back(M(i, j));
    }
    starts.push_back(static_cast<Index>(columns.size()));
  }
  return DataMatrix::csr(M.rows(), M.cols(), starts, columns, values);
}

void add_quadratic(const RawQuadratic& row, Problem& problem) {
  const Index n = problem.dimension();
  const Tensor q({1, n}, to_array(row.q));
  const Doubles r(std::vector<double>{row.r});
  if (row.factor.size() > 0) {
    problem.subject_to(quadratic_lowrank_le(Tensor({1, row.factor.rows(), n}, row_major(row.factor)), q, r));
  } else if (row.P.isDiagonal(0.0)) {
    problem.subject_to(quadratic_diagonal_le(Tensor({1, n}, to_array(row.P.diagonal())), q, r));
  } else {
    problem.subject_to(quadratic_le(Tensor({1, n, n}, row_major(row.P)), q, r));
  }
}

RationalVector exact_row(const Matrix& M, Index i) { return exact(Vector(M.row(i).transpose())); }

RationalVector negated(RationalVector row) {
  for (Rational& t : row) t = -t;
  return row;
}

Rational curvature(const RawQuadratic& row, const RationalVector& x) {
  if (row.factor.size() == 0) return half_quadratic(row.P, x);
  Rational sum = 0;
  for (Index k = 0; k < row.factor.rows(); ++k) {
    const Rational u = dot(row.factor.row(k).transpose(), x);
    sum += u * u;
  }
  return sum / 2;
}

// y exp(x/y) <= z for y > 0, and the closure.
bool certainly_in_exponential(const Rational& x, const Rational& y, const Rational& z) {
  if (y <= 0 || z <= 0) return y == 0 && x <= 0 && z >= 0;
  if (x > kLargestExponent * y) return false;
  return y * enclose_exp(x / y).high <= z;
}

// alpha ln x + (1 - alpha) ln y >= ln |z|
bool certainly_in_power(const Rational& alpha, const Rational& x, const Rational& y, const Rational& z) {
  if (x < 0 || y < 0) return false;
  if (z == 0) return true;
  if (x == 0 || y == 0) return false;
  return alpha * enclose_log(x).low + (1 - alpha) * enclose_log(y).low >= enclose_log(abs(z)).high;
}

RationalVector slack(const RawCone& cone, const RationalVector& x) {
  RationalVector s;
  for (Index i = 0; i < cone.h.size(); ++i) s.push_back(exact(cone.h[i]) - dot(cone.G.row(i).transpose(), x));
  return s;
}

}  // namespace

bool in_cone(const RawCone& cone, const RationalVector& s) {
  switch (cone.kind) {
    case ConeKind::zero:
      return std::all_of(s.begin(), s.end(), [](const Rational& t) { return t == 0; });
    case ConeKind::nonnegative:
      return std::all_of(s.begin(), s.end(), [](const Rational& t) { return t >= 0; });
    case ConeKind::second_order: {
      Rational squares = 0;
      for (std::size_t i = 1; i < s.size(); ++i) squares += s[i] * s[i];
      return s[0] >= 0 && s[0] * s[0] >= squares;
    }
    case ConeKind::semidefinite:
      return is_semidefinite_svec(s);
    case ConeKind::exponential:
      return certainly_in_exponential(s[0], s[1], s[2]);
    case ConeKind::power:
      return certainly_in_power(exact(cone.alpha), s[0], s[1], s[2]);
  }
  throw std::logic_error("this cone cannot be judged exactly");
}

namespace {

bool in_domain(const RawCase& raw, const RationalVector& x) {
  Rational sum = 0, squares = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto k = static_cast<Index>(j);
    if (raw.has_box() && std::isfinite(raw.lo[k]) && x[j] < exact(raw.lo[k])) return false;
    if (raw.has_box() && std::isfinite(raw.hi[k]) && x[j] > exact(raw.hi[k])) return false;
    if (raw.simplex > 0.0 && x[j] < 0) return false;
    sum += x[j];
    squares += x[j] * x[j];
  }
  if (raw.simplex > 0.0 && sum != exact(raw.simplex)) return false;
  return raw.ball == 0.0 || squares <= exact(raw.ball) * exact(raw.ball);
}

std::string numbers(const Eigen::Ref<const Matrix>& M) {
  std::string out = "[";
  for (Index i = 0; i < M.rows(); ++i) {
    if (i > 0) out += "; ";
    for (Index j = 0; j < M.cols(); ++j) out += fmt::format("{}{}", j > 0 ? " " : "", M(i, j));
  }
  return out + "]";
}

std::string describe_prices(const RawCase& raw) {
  std::string out;
  for (const RawSoftRows& rows : raw.soft_rows) {
    out += fmt::format(" | soft rows, G = {}, h = {}, w = {}", numbers(rows.G), numbers(rows.upper.transpose()),
                       numbers(rows.weights.transpose()));
  }
  for (const RawSoftCones& cones : raw.soft_cones) {
    out += fmt::format(" | soft cones {}", static_cast<int>(cones.kind));
    for (const RawSoftCones::Piece& piece : cones.cones) {
      out += fmt::format(", w = {}, G = {}, h = {}", piece.weight, numbers(piece.G), numbers(piece.h.transpose()));
    }
  }
  return out;
}

}  // namespace

void RawCase::add_row(const Vector& g, double low, double high) {
  const Index m = row_hi.size();
  G.conservativeResize(m + 1, n);
  row_lo.conservativeResize(m + 1);
  row_hi.conservativeResize(m + 1);
  G.row(m) = g.transpose();
  row_lo[m] = low;
  row_hi[m] = high;
}

void RawCase::bound_all(double low, double high) {
  lo = Vector::Constant(n, low);
  hi = Vector::Constant(n, high);
}

Problem to_problem(const RawCase& raw) {
  Problem problem(raw.n);
  if (raw.P.size() > 0) {
    problem.minimize(quadratic(data_matrix(raw.P, raw.sparse), to_array(raw.q)));
    if (raw.constant != 0.0) problem.minimize(linear(to_array(Vector::Zero(raw.n)), raw.constant));
  } else {
    problem.minimize(linear(to_array(raw.q), raw.constant));
  }
  for (const RawTerm& term : raw.terms) problem.minimize(to_term(term), term.weight);
  if (raw.has_box()) problem.regularize(box(to_array(raw.lo), to_array(raw.hi)));
  if (raw.ball > 0.0) problem.regularize(ball(raw.n, raw.ball));
  if (raw.simplex > 0.0) problem.regularize(simplex(raw.n, raw.simplex));
  if (raw.l1 > 0.0) problem.regularize(l1(raw.n, raw.l1));
  if (raw.l2 > 0.0) problem.regularize(l2_squared(raw.n, raw.l2));
  if (!raw.groups.empty()) problem.regularize(group_l2(Indices(raw.groups), to_array(raw.group_weights)));
  const bool one_sided = raw.row_lo.size() > 0 && raw.row_lo.maxCoeff() == -kInfinity;
  if (one_sided) {
    problem.subject_to(linear_le(data_matrix(raw.G, raw.sparse), to_array(raw.row_hi)));
  } else if (raw.row_hi.size() > 0) {
    problem.subject_to(linear_range(to_array(raw.row_lo), data_matrix(raw.G, raw.sparse), to_array(raw.row_hi)));
  }
  for (const RawQuadratic& row : raw.quadratics) add_quadratic(row, problem);
  for (const RawLogSumExp& row : raw.log_sum_exps) {
    problem.subject_to(
        log_sum_exp_le(Tensor({1, row.A.rows(), raw.n}, row_major(row.A)), Tensor({1, row.A.rows()}, to_array(row.b))));
  }
  if (raw.rank_one) {
    const RawRankOne& rows = *raw.rank_one;
    problem.subject_to(
        rank_one_le(Tensor({rows.points.rows(), rows.points.cols()}, row_major(rows.points)), to_array(rows.b)));
  }
  if (raw.e.size() > 0) problem.equal(data_matrix(raw.E, raw.sparse), to_array(raw.e));
  for (const RawCone& cone : raw.cones) {
    problem.subject_to(ConicConstraint{
        data_matrix(cone.G, raw.sparse), to_array(cone.h), {Cone{cone.kind, cone.h.size(), cone.alpha}}});
  }
  for (const RawSoftRows& rows : raw.soft_rows) problem.minimize(to_soft_rows(rows, data_matrix(rows.G, raw.sparse)));
  for (const RawSoftCones& cones : raw.soft_cones) problem.minimize(to_soft_rows(cones));
  problem.start = raw.start;
  return problem;
}

namespace {

// sum_k w_k |x_group k|, roots rounded up.
Rational groups_above(const RawCase& raw, const RationalVector& x) {
  RationalVector squares(static_cast<std::size_t>(raw.group_weights.size()));
  for (std::size_t j = 0; j < raw.groups.size(); ++j) squares[static_cast<std::size_t>(raw.groups[j])] += x[j] * x[j];
  Rational sum = 0;
  for (std::size_t k = 0; k < squares.size(); ++k) {
    sum += exact(raw.group_weights[static_cast<Index>(k)]) * root_above(squares[k]);
  }
  return sum;
}

}  // namespace

std::optional<Rational> exact_objective(const RawCase& raw, const RationalVector& x) {
  Rational sum = exact(raw.constant) + dot(raw.q, x);
  if (raw.P.size() > 0) sum += half_quadratic(raw.P, x);
  for (const RawTerm& term : raw.terms) {
    const std::optional<Rational> value = value_above(term, x);
    if (!value) return std::nullopt;
    sum += *value;
  }
  for (const RawSoftRows& rows : raw.soft_rows) sum += exact_value(rows, x);
  for (const RawSoftCones& cones : raw.soft_cones) sum += value_above(cones, x);
  Rational absolute = 0, squares = 0;
  for (const Rational& t : x) {
    absolute += abs(t);
    squares += t * t;
  }
  return Rational(sum + exact(raw.l1) * absolute + exact(raw.l2) * squares / 2 + groups_above(raw, x));
}

bool exactly_feasible(const RawCase& raw, const RationalVector& x) {
  if (!in_domain(raw, x)) return false;
  for (Index i = 0; i < raw.row_hi.size(); ++i) {
    const Rational value = dot(raw.G.row(i).transpose(), x);
    if (std::isfinite(raw.row_hi[i]) && value > exact(raw.row_hi[i])) return false;
    if (std::isfinite(raw.row_lo[i]) && value < exact(raw.row_lo[i])) return false;
  }
  for (Index i = 0; i < raw.e.size(); ++i) {
    if (dot(raw.E.row(i).transpose(), x) != exact(raw.e[i])) return false;
  }
  for (const RawQuadratic& row : raw.quadratics) {
    if (curvature(row, x) + dot(row.q, x) + exact(row.r) > 0) return false;
  }
  for (const RawLogSumExp& row : raw.log_sum_exps) {
    if (!certainly_holds(row, x)) return false;
  }
  if (raw.rank_one && !holds(*raw.rank_one, x)) return false;
  return std::all_of(raw.cones.begin(), raw.cones.end(),
                     [&](const RawCone& cone) { return in_cone(cone, slack(cone, x)); });
}

bool exactly_convex(const RawCase& raw) {
  const auto semidefinite = [](const Matrix& P) {
    std::vector<std::vector<Surd>> S;
    for (Index i = 0; i < P.rows(); ++i) {
      S.emplace_back();
      for (Index j = 0; j <= i; ++j) S.back().emplace_back(Rational((exact(P(i, j)) + exact(P(j, i))) / 2));
    }
    return is_semidefinite(std::move(S));
  };
  return semidefinite(raw.P) && std::all_of(raw.quadratics.begin(), raw.quadratics.end(), [&](const RawQuadratic& row) {
           return row.factor.size() > 0 || semidefinite(row.P);
         });
}

bool is_polyhedral(const RawCase& raw) {
  const bool flat = std::all_of(raw.cones.begin(), raw.cones.end(), [](const RawCone& cone) {
    return cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative;
  });
  return flat && raw.quadratics.empty() && raw.log_sum_exps.empty() && !raw.rank_one && raw.ball == 0.0;
}

Polyhedron linear_part(const RawCase& raw) {
  Polyhedron out;
  out.n = raw.n;
  for (Index j = 0; j < raw.n; ++j) {
    if (raw.has_box() && std::isfinite(raw.hi[j])) out.add_bound(j, 1, exact(raw.hi[j]));
    if (raw.has_box() && std::isfinite(raw.lo[j])) out.add_bound(j, -1, -exact(raw.lo[j]));
    if (raw.simplex > 0.0) out.add_bound(j, -1, 0);
  }
  const auto add_equality = [&](const RationalVector& row, const Rational& value) {
    out.add(row, value);
    out.add(negated(row), -value);
  };
  if (raw.simplex > 0.0) add_equality(RationalVector(static_cast<std::size_t>(raw.n), 1), exact(raw.simplex));
  for (Index i = 0; i < raw.row_hi.size(); ++i) {
    const RationalVector row = exact_row(raw.G, i);
    if (std::isfinite(raw.row_hi[i])) out.add(row, exact(raw.row_hi[i]));
    if (std::isfinite(raw.row_lo[i])) out.add(negated(row), -exact(raw.row_lo[i]));
  }
  for (Index i = 0; i < raw.e.size(); ++i) add_equality(exact_row(raw.E, i), exact(raw.e[i]));
  for (const RawCone& cone : raw.cones) {
    for (Index i = 0; i < cone.h.size(); ++i) {
      if (cone.kind == ConeKind::zero) add_equality(exact_row(cone.G, i), exact(cone.h[i]));
      if (cone.kind == ConeKind::nonnegative) out.add(exact_row(cone.G, i), exact(cone.h[i]));
    }
  }
  return out;
}

// In the order of linear_part, perhaps with those of soft rows behind; an equality's two rows make one signed multiplier.
Multipliers to_multipliers(const RawCase& raw, const RationalVector& of_rows) {
  Multipliers out = zero_multipliers(to_problem(raw));
  std::size_t next = 0;
  const auto take = [&] { return of_rows[next++].get_d(); };
  const auto take_difference = [&] {
    next += 2;
    return Rational(of_rows[next - 2] - of_rows[next - 1]).get_d();
  };
  for (Index j = 0; j < raw.n; ++j) {
    if (raw.has_box() && std::isfinite(raw.hi[j])) ++next;
    if (raw.has_box() && std::isfinite(raw.lo[j])) ++next;
    if (raw.simplex > 0.0) ++next;
  }
  if (raw.simplex > 0.0) next += 2;
  Index side = 0;
  for (Index i = 0; i < raw.row_hi.size(); ++i) {
    if (std::isfinite(raw.row_hi[i])) out.lambda.front()[side++] = take();
    if (std::isfinite(raw.row_lo[i])) out.lambda.front()[side++] = take();
  }
  for (double& nu : out.nu) nu = take_difference();
  for (std::size_t k = 0; k < raw.cones.size(); ++k) {
    const ConeKind kind = raw.cones[k].kind;
    for (double& z : out.cones[k]) {
      if (kind == ConeKind::zero) z = take_difference();
      if (kind == ConeKind::nonnegative) z = take();
    }
  }
  const std::size_t batches = out.lambda.size() - raw.soft_rows.size() - raw.soft_cones.size();
  for (std::size_t b = 0; b < raw.soft_rows.size() && next < of_rows.size(); ++b) {
    for (double& lambda : out.lambda[batches + b]) lambda = take();
  }
  return out;
}

std::string describe(const RawCase& raw) {
  std::string out =
      fmt::format("{}{}: n = {}, q = {}", raw.family, raw.sparse ? " (sparse)" : "", raw.n, numbers(raw.q.transpose()));
  const auto add = [&](const char* name, const Eigen::Ref<const Matrix>& M) {
    if (M.size() > 0) out += fmt::format(", {} = {}", name, numbers(M));
  };
  const auto add_number = [&](const char* name, double value) {
    if (value != 0.0) out += fmt::format(", {} = {}", name, value);
  };
  add("P", raw.P);
  add_number("constant", raw.constant);
  add_number("l1", raw.l1);
  add_number("l2", raw.l2);
  if (!raw.groups.empty()) {
    add("group_weights", raw.group_weights.transpose());
    for (const Index group : raw.groups) out += fmt::format(" {}", group);
  }
  add_number("ball", raw.ball);
  add_number("simplex", raw.simplex);
  add("lo", raw.lo.transpose());
  add("hi", raw.hi.transpose());
  add("G", raw.G);
  if (raw.row_lo.size() > 0 && raw.row_lo.maxCoeff() > -kInfinity) add("row_lo", raw.row_lo.transpose());
  add("row_hi", raw.row_hi.transpose());
  for (const RawQuadratic& row : raw.quadratics) {
    out += " | quadratic";
    add("P", row.P);
    add("B", row.factor);
    add("q", row.q.transpose());
    out += fmt::format(", r = {}", row.r);
  }
  for (const RawTerm& term : raw.terms) {
    out += fmt::format(" | {} x term {}, width {}, order {}", term.weight, static_cast<int>(term.kind), term.width,
                       term.order);
    add("A", term.A);
    add("b", term.b.transpose());
  }
  out += describe_prices(raw);
  for (const RawLogSumExp& row : raw.log_sum_exps) {
    out += " | log_sum_exp";
    add("A", row.A);
    add("b", row.b.transpose());
  }
  if (raw.rank_one) {
    add("points", raw.rank_one->points);
    add("b", raw.rank_one->b.transpose());
  }
  add("E", raw.E);
  add("e", raw.e.transpose());
  for (const RawCone& cone : raw.cones) {
    out += fmt::format(" | cone {}", static_cast<int>(cone.kind));
    if (cone.kind == ConeKind::power) out += fmt::format(", alpha = {}", cone.alpha);
    add("G", cone.G);
    add("h", cone.h.transpose());
  }
  return out;
}

}  // namespace pliant::judge
