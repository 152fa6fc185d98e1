// Problems without a solution, with a proof of that hidden among many rows, and problems that are only just feasible.
#include "constraints/linear.hpp"
#include "generate/data.hpp"
#include "generate/family.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::generation {
namespace {

// Numbers in memory that are changed after they were drawn, which rows given by a rule cannot be.
class Numbers {
 public:
  explicit Numbers(std::initializer_list<Index> shape)
      : size_(checked_size(shape)), data_(std::make_shared<double[]>(static_cast<std::size_t>(size_))) {}
  double* data() { return data_.get(); }
  const double* data() const { return data_.get(); }
  double& operator[](Index i) { return data_[i]; }
  Doubles share() const { return Doubles(data_.get(), size_, data_); }

 private:
  Index size_;
  std::shared_ptr<double[]> data_;
};

Numbers unit_rows(const random::Stream& stream, Index rows, Index cols) {
  Numbers out({rows, cols});
  for_each_row(rows, cols, [&](Index i) {
    stream.row(i).normals(out.data() + i * cols, cols);
    as_vector(out.data() + i * cols, cols).normalize();
  });
  return out;
}

constexpr double kBox = 10.0;
constexpr Index kRank = 2;  // of planted quadratic rows

// Multipliers U(0.5, 1.5) of `count` unit rows g_i that cancel: sum lambda_i g_i = 0. With `open` the last row, which
// closes the sum, is left out, and the sum is `rest`.
struct Fan {
  Numbers G;
  Vector lambda;
  Vector rest;
};

Fan make_fan(const Parameters& p, Index count, bool open) {
  const Index n = p.n();
  Fan fan{unit_rows(p.stream(Label::factors), count, n), Vector(count), Vector::Zero(n)};
  const random::Stream weights = p.stream(Label::multipliers);
  for (Index i = 0; i < count; ++i) fan.lambda[i] = weights.uniform(i, 0.5, 1.5);
  const Index summed = open ? count : count - 1;
  for (Index i = 0; i < summed; ++i) fan.rest += fan.lambda[i] * as_vector(fan.G.data() + i * n, n);
  if (open) return fan;
  fan.lambda[count - 1] = fan.rest.norm();
  as_vector(fan.G.data() + (count - 1) * n, n) = -fan.rest.normalized();
  fan.rest.setZero();
  return fan;
}

// Where the k-th of `count` planted rows stands among m.
Index place(Index k, Index count, Index m) { return k * m / count + (m / count) / 2; }

// All rows: unit rows with h = g'x0 + 1 + 0.1 U, the fan at its places with h = g'x0 - excess.
struct LinearRows {
  Numbers G, h;
};

LinearRows spread(const Parameters& p, const Fan& fan, const Vector& x0, double excess) {
  const Index n = p.n(), m = p.m(), count = fan.lambda.size();
  LinearRows rows{unit_rows(p.stream(Label::rows), m, n), Numbers({m})};
  const random::Stream rhs = p.stream(Label::right_hand_side);
  for (Index i = 0; i < m; ++i) rows.h[i] = as_vector(rows.G.data() + i * n, n).dot(x0) + rhs.uniform(i, 1.0, 1.1);
  for (Index k = 0; k < count; ++k) {
    const Index i = place(k, count, m);
    const auto g = as_vector(fan.G.data() + k * n, n);
    as_vector(rows.G.data() + i * n, n) = g;
    rows.h[i] = g.dot(x0) - excess;
  }
  return rows;
}

void add_objective(Problem& problem, const Parameters& p) {
  if (p.flag("qp")) {
    minimize_random_square(problem, 1.0, p.stream(Label::cost));
  } else {
    problem.minimize(linear(to_array(Vector(kCostScale * normal_vector(p.stream(Label::cost), p.n())))));
  }
}

void add_box(Problem& problem) {
  const Index n = problem.dimension();
  problem.regularize(box(to_array(Vector::Constant(n, -kBox)), to_array(Vector::Constant(n, kBox))));
}

Index fan_size(const Parameters& p) { return std::min(p.n() + 1, p.m()); }

Vector planted_point(const Parameters& p) {
  Vector x(p.n());
  const random::Stream point = p.stream(Label::planted_point);
  for (Index j = 0; j < p.n(); ++j) x[j] = point.uniform(j, -1.0, 1.0);
  return x;
}

// sum lambda_i a_i(y) >= sum lambda_i excess + rest'(y - x0): with a box the excess makes up for the worst y in it.
double needed_excess(const Fan& fan, const Vector& x0, double margin, bool boxed) {
  if (!boxed) return margin;
  double worst = 0.0;
  for (Index j = 0; j < x0.size(); ++j) worst += std::abs(fan.rest[j]) * (kBox + (fan.rest[j] > 0.0 ? x0[j] : -x0[j]));
  return margin + worst / fan.lambda.sum();
}

// The planted rows as quadratics excess + g'(x - x0) + 1/2 |B(x - x0)|^2 <= 0, the others as before with B = 0.2
// N(0,1)/sqrt(n).
void add_curved_rows(Problem& problem, const Parameters& p, const LinearRows& rows, const Vector& x0) {
  const Index n = p.n(), m = p.m();
  Numbers B({m, kRank, n}), q({m, n}), r({m});
  const random::Stream factors = p.stream(Label::loadings);
  for_each_row(m, kRank * n, [&](Index i) {
    factors.row(i).normals(B.data() + i * kRank * n, kRank * n, 0.2 / std::sqrt(static_cast<double>(n)));
    const auto g = as_vector(rows.G.data() + i * n, n);
    auto linear_part = as_vector(q.data() + i * n, n);
    linear_part = g;
    r[i] = -rows.h.data()[i];
    for (Index k = 0; k < kRank; ++k) {
      const auto b = as_vector(B.data() + (i * kRank + k) * n, n);
      const double shift = b.dot(x0);
      linear_part -= shift * b;
      r[i] += 0.5 * shift * shift;
    }
  });
  problem.subject_to(quadratic_lowrank_le(Tensor({m, kRank, n}, B.share()), Tensor({m, n}, q.share()), r.share()));
}

void add_rows(Problem& problem, const Parameters& p, const LinearRows& rows, const Vector& x0) {
  if (p.flag("curved")) {
    add_curved_rows(problem, p, rows, x0);
  } else {
    problem.subject_to(finite_linear_le(DataMatrix::dense(p.m(), p.n(), rows.G.share()), rows.h.share()));
  }
}

Problem infeasible(const Parameters& p) {
  if (p.m() < 2) throw InputError("m: expected at least 2");
  const bool boxed = p.flag("boxed");
  const Vector x0 = planted_point(p);
  const Fan fan = make_fan(p, fan_size(p), boxed);
  const LinearRows rows = spread(p, fan, x0, needed_excess(fan, x0, p.real("margin"), boxed));
  Problem problem(p.n());
  add_objective(problem, p);
  if (boxed) add_box(problem);
  add_rows(problem, p, rows, x0);
  return problem;
}

// The same fan with h = g'x0 + slater: at best every row keeps the distance slater.
Problem barely_feasible(const Parameters& p) {
  if (p.m() < 2) throw InputError("m: expected at least 2");
  const Vector x0 = planted_point(p);
  const LinearRows rows = spread(p, make_fan(p, fan_size(p), false), x0, -p.real("slater"));
  Problem problem(p.n());
  add_objective(problem, p);
  if (!p.flag("qp")) add_box(problem);
  add_rows(problem, p, rows, x0);
  problem.slater_point = x0;
  return problem;
}

// Unit rows around 0 that all recede along d: those with g'd > 0 are mirrored, the first `touching` lie along it.
LinearRows receding_rows(const Parameters& p, const Vector& d, Index touching) {
  const Index n = p.n(), m = p.m();
  LinearRows rows{unit_rows(p.stream(Label::rows), m, n), Numbers({m})};
  const random::Stream rhs = p.stream(Label::right_hand_side);
  for (Index i = 0; i < m; ++i) rows.h[i] = rhs.uniform(i, 1.0, 1.1);
  for_each_row(m, n, [&](Index i) {
    auto g = as_vector(rows.G.data() + i * n, n);
    const double along = g.dot(d);
    if (i < touching) {
      g -= along * d;
      g -= g.dot(d) * d;  // again, for the last digits
    } else if (along > 0.0) {
      g -= 2.0 * along * d;
    }
  });
  return rows;
}

Problem unbounded(const Parameters& p) {
  const Index n = p.n(), m = p.m();
  const Vector d = unit_vector(p.stream(Label::inner_direction), n);
  Vector c = kCostScale * normal_vector(p.stream(Label::cost), n);
  c -= (c.dot(d) + p.real("margin") * c.norm()) * d;
  Problem problem(n);
  if (p.flag("qp")) {  // P = B'B with B d = 0
    const Index rank = std::max<Index>(1, n / 2);
    Matrix B(rank, n);
    for (Index k = 0; k < rank; ++k) {
      B.row(k) = normal_vector(p.stream(Label::factors).row(k), n);
      for (int round = 0; round < 2; ++round) B.row(k) -= B.row(k).dot(d) * d.transpose();
    }
    const Matrix P = B.transpose() * B / static_cast<double>(n);
    problem.minimize(quadratic(DataMatrix::from(0.5 * (P + P.transpose())), to_array(c)));
  } else {
    problem.minimize(linear(to_array(c)));
  }
  if (p.flag("boxed")) {  // one bound per variable, on the side d leaves behind
    Vector lo = Vector::Constant(n, -kInfinity), hi = Vector::Constant(n, kInfinity);
    for (Index j = 0; j < n; ++j) (d[j] >= 0.0 ? lo[j] : hi[j]) = d[j] >= 0.0 ? -1.0 : 1.0;
    problem.regularize(box(to_array(lo), to_array(hi)));
  }
  if (m > 0) {
    const LinearRows rows = receding_rows(p, d, p.flag("thin") ? std::min(m, 2 * n) : 0);
    problem.subject_to(finite_linear_le(DataMatrix::dense(m, n, rows.G.share()), rows.h.share()));
  }
  problem.slater_point = Vector::Zero(n);
  return problem;
}

}  // namespace

std::vector<Family> proof_families() {
  return {
      {"infeasible", "rows that contradict each other by `margin`, hidden among m; curved: quadratic rows",
       sizes_and(20, 1000, {positive("margin", 0.01), flag("qp"), flag("boxed"), flag("curved")}), infeasible},
      {"unbounded", "the objective falls for ever along a hidden ray; thin: 2n rows touch it",
       sizes_and(20, 1000, {positive("margin", 0.1), flag("qp"), flag("boxed"), flag("thin")}), unbounded},
      {"barely_feasible", "no point satisfies all rows by more than `slater`",
       sizes_and(20, 1000, {positive("slater", 1e-6), flag("qp"), flag("curved")}), barely_feasible},
  };
}

}  // namespace pliant::generation
