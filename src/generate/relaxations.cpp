// Strong convex relaxations with very many small cones: best-subset selection by perspective functions, box QPs by
// principal minors, trust regions cut by very many half-spaces by products of cones and rows.
#include "generate/data.hpp"
#include "generate/family.hpp"
#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::generation {
namespace {

std::vector<Cone> alike(Index count, Cone cone) { return std::vector<Cone>(static_cast<std::size_t>(count), cone); }

// ---- best-subset selection ----

// The ridge regressions of m tasks share their features; a feature used costs `price`, the worst task counts:
//
//   min  max_i min_b |y_i - A_i b|^2 + ridge |b|^2  +  price |support|
//
// The perspective relaxation b_j^2/z_j of the squares, 0 <= z <= 1, leaves y_i'(I + A_i diag(z) A_i'/ridge)^-1 y_i once
// b is minimised out, so that x = (z, t) and one matrix inequality per task remain:
//
//   min t + price sum z   s.t.   [I + A_i diag(z) A_i'/ridge, y_i; y_i', t] >= 0.
struct Tasks {
  Index features, samples;
  double ridge;
  random::Stream rows, targets, sizes;

  // samples x features
  Matrix data(Index i) const {
    Matrix A(samples, features);
    rows.row(i).normals(A.data(), A.size());
    return A;
  }
  // Of norm 1 to kLongest, so that many tasks are as hard as each other.
  Vector observations(Index i) const { return sizes.uniform(i, 1.0, kLongest) * unit_vector(targets.row(i), samples); }

  static constexpr double kLongest = 1.2;
};

// t <= |y_i|^2 < 2 already for z = 0: the bound cuts nothing off, and half of it is inside with room.
constexpr double kLargestLoss = 4.0;

Problem perspective(const Parameters& p) {
  const Index n = p.n(), m = p.m(), samples = p.count("samples");
  const Tasks tasks{n - 1,
                    samples,
                    p.real("ridge"),
                    p.stream(Label::rows),
                    p.stream(Label::targets),
                    p.stream(Label::right_hand_side)};
  const Index rows = svec_size(samples + 1);
  const NumberRows G(p, m, rows * n, [=](Index i, double* out) {
    const Matrix A = tasks.data(i);
    for_each_svec_entry(samples + 1, [&](Index e, Index r, Index c) {
      auto row = as_vector(out + e * n, n);
      row.setZero();
      if (r < samples) {
        const double scale = -svec_scale(r, c) / tasks.ridge;
        row.head(n - 1) = scale * A.row(r).cwiseProduct(A.row(c)).transpose();
      } else if (c == samples) {
        row[n - 1] = -1.0;
      }
    });
  });
  const NumberRows h(p, m, rows, [=](Index i, double* out) {
    const Vector y = tasks.observations(i);
    for_each_svec_entry(samples + 1, [&](Index e, Index r, Index c) {
      out[e] = r == c ? (r < samples ? 1.0 : 0.0) : (r == samples ? svec_scale(r, c) * y[c] : 0.0);
    });
  });
  Problem problem(n);
  Vector cost = Vector::Constant(n, p.real("price")), upper = Vector::Ones(n);
  cost[n - 1] = 1.0;
  upper[n - 1] = kLargestLoss;
  problem.minimize(linear(to_array(cost)));
  problem.regularize(box(to_array(Vector::Zero(n)), to_array(upper)));
  if (m > 0) {
    problem.subject_to(
        {DataMatrix::dense(m * rows, n, G.share()), h.share(), alike(m, {ConeKind::semidefinite, rows, 0.5})});
  }
  problem.slater_point = 0.5 * upper;
  return problem;
}

// ---- lifted variables ----

// x of length d, then the lower triangle of X (which stands for xx') column by column.
struct Lifted {
  Index d;

  Index size() const { return d + svec_size(d); }
  Index product(Index i, Index j) const {
    if (i < j) std::swap(i, j);
    return d + j * d - j * (j - 1) / 2 + i - j;
  }
};

Lifted lifted(const Parameters& p) {
  const Lifted out{p.count("d")};
  if (p.n() != 0 && p.n() != out.size()) {
    throw InputError(
        fmt::format("n: follows from d, expected d(d+3)/2 = {} for d = {}, got {}", out.size(), out.d, p.n()));
  }
  return out;
}

// ---- box QPs ----

// Subsets of 0..size-1 with k elements, by their place in colexicographic order: sum_j binomial(c_j, j+1), c ascending.
struct Subsets {
  Index size, k;

  static double binomial(Index n, Index r) {
    double out = 1.0;
    for (Index j = 1; j <= r; ++j) out = out * static_cast<double>(n - r + j) / static_cast<double>(j);
    return std::round(out);
  }
  Index count() const {
    const double number = binomial(size, k);
    checked_size({size, k});
    if (!(number < kMost)) throw InputError(fmt::format("d, k: there are {} minors", number));
    return static_cast<Index>(number);
  }
  void at(Index place, Index* out) const {
    Index next = size - 1;
    for (Index j = k; j > 0; --j) {
      while (static_cast<Index>(binomial(next, j)) > place) --next;
      out[j - 1] = next;
      place -= static_cast<Index>(binomial(next, j));
    }
  }

  static constexpr double kMost = 1e12;  // and binomials below it are exact
};

constexpr double kLargestEntry = 50.0;  // of Q and c

// The minors of one order, all of them or as many as asked for, drawn at random.
struct Minors {
  Subsets subsets;
  Index count;
  bool drawn;
  random::Stream picks;
  Lifted x;

  /// f(entry of svec, indices a >= b into (1, x), scale) for minor i.
  template <class F>
  void for_entries(Index i, const F& f) const {
    std::vector<Index> picked(static_cast<std::size_t>(subsets.k));
    subsets.at(drawn ? picks.below(i, subsets.count()) : i, picked.data());
    for_each_svec_entry(subsets.k, [&](Index e, Index r, Index c) {
      f(e, picked[static_cast<std::size_t>(r)], picked[static_cast<std::size_t>(c)], svec_scale(r, c));
    });
  }

  // Every entry of a minor is one variable, but for the constant 1, which keeps a zero.
  ConicConstraint build(const Parameters& p) const {
    const Index rows = svec_size(subsets.k);
    const IndexRows starts(p, count * rows + 1, 1, [](Index i, Index* start) { *start = i; });
    const IndexRows columns(p, count, rows, [self = *this](Index i, Index* out) {
      self.for_entries(i, [&](Index e, Index a, Index b, double) {
        out[e] = a == 0 ? 0 : b == 0 ? a - 1 : self.x.product(a - 1, b - 1);
      });
    });
    const NumberRows values(p, count, rows, [self = *this](Index i, double* out) {
      self.for_entries(i, [&](Index e, Index a, Index, double scale) { out[e] = a == 0 ? 0.0 : -scale; });
    });
    const NumberRows h(p, count, rows, [self = *this](Index i, double* out) {
      self.for_entries(i, [&](Index e, Index a, Index, double) { out[e] = a == 0 ? 1.0 : 0.0; });
    });
    return {DataMatrix::csr(count * rows, x.size(), starts.share(), columns.share(), values.share()), h.share(),
            alike(count, {ConeKind::semidefinite, rows, 0.5})};
  }
};

// 1/2 <Q, X> + c'x with whole numbers in Q and c.
Vector whole_cost(const Parameters& p, const Lifted& x) {
  const random::Stream values = p.stream(Label::objective_values), kept = p.stream(Label::objective_columns);
  const auto whole = [](double u) { return std::floor(u * (2.0 * kLargestEntry + 1.0)) - kLargestEntry; };
  Vector c(x.size());
  for (Index i = 0; i < x.d; ++i) {
    c[i] = whole(p.stream(Label::cost).uniform(i));
    for (Index j = 0; j <= i; ++j) {
      const double q = kept.row(i).uniform(j) < p.real("density") ? whole(values.row(i).uniform(j)) : 0.0;
      c[x.product(i, j)] = i == j ? 0.5 * q : q;
    }
  }
  return c;
}

// X_ij <= x_i, X_ij <= x_j, x_i + x_j - X_ij <= 1 (X_ij >= 0 is in the box); X_ii <= x_i.
BatchPtr mccormick(const Lifted& x) {
  std::vector<Index> starts{0}, columns;
  std::vector<double> values, upper;
  const auto add = [&](std::initializer_list<std::pair<Index, double>> entries, double side) {
    for (const auto& [column, value] : entries) {
      columns.push_back(column);
      values.push_back(value);
    }
    starts.push_back(static_cast<Index>(columns.size()));
    upper.push_back(side);
  };
  for (Index i = 0; i < x.d; ++i) {
    for (Index j = 0; j < i; ++j) {
      const Index product = x.product(i, j);
      add({{i, -1.0}, {product, 1.0}}, 0.0);
      add({{j, -1.0}, {product, 1.0}}, 0.0);
      add({{j, 1.0}, {i, 1.0}, {product, -1.0}}, 1.0);
    }
    add({{i, -1.0}, {x.product(i, i), 1.0}}, 0.0);
  }
  const auto rows = static_cast<Index>(upper.size());
  return linear_le(DataMatrix::csr(rows, x.size(), Indices(std::move(starts)), Indices(std::move(columns)),
                                   Doubles(std::move(values))),
                   Doubles(std::move(upper)));
}

// min 1/2 x'Qx + c'x over 0 <= x <= 1, relaxed: X for xx' with McCormick's inequalities and minors of [1, x'; x, X].
Problem shor_boxqp(const Parameters& p) {
  const Lifted x = lifted(p);
  const Subsets subsets{x.d + 1, p.count("k")};
  if (subsets.k > subsets.size) {
    throw InputError(fmt::format("k: expected d + 1 = {} at most, got {}", subsets.size, subsets.k));
  }
  const bool drawn = p.m() > 0;
  const Minors minors{subsets, drawn ? p.m() : subsets.count(), drawn, p.stream(Label::columns), x};
  Problem problem(x.size());
  problem.minimize(linear(to_array(whole_cost(p, x))));
  problem.regularize(box(to_array(Vector::Zero(x.size())), to_array(Vector::Ones(x.size()))));
  problem.subject_to(mccormick(x), "mccormick");
  problem.subject_to(minors.build(p), "minors");
  Vector inner = Vector::Constant(x.size(), 0.25);  // x = e/2 and X = ee'/4 + I/8
  inner.head(x.d).setConstant(0.5);
  for (Index i = 0; i < x.d; ++i) inner[x.product(i, i)] = 0.375;
  problem.slater_point = inner;
  return problem;
}

// ---- trust regions ----

// |b_i x - X a_i| <= b_i - a_i'x with unit a_i: row 0 has d entries, each other one x_r and the d entries of X_r.
ConicConstraint products(const Parameters& p, const Lifted& x) {
  const Index d = x.d, m = p.m(), rows = d + 1, entries = d * (d + 2);
  const random::Stream directions = p.stream(Label::rows);
  const auto side = [sides = p.stream(Label::right_hand_side), least = p.real("side")](Index i) {
    return least * sides.uniform(i, 1.0, 1.2);
  };
  const IndexRows starts(p, m * rows + 1, 1, [=](Index i, Index* start) {
    const Index r = i % rows;
    *start = i / rows * entries + (r == 0 ? 0 : d + (r - 1) * (d + 1));
  });
  const IndexRows columns(p, m, entries, [=](Index, Index* out) {
    for (Index j = 0; j < d; ++j) *out++ = j;
    for (Index r = 0; r < d; ++r) {
      *out++ = r;
      for (Index j = 0; j < d; ++j) *out++ = x.product(r, j);
    }
  });
  const NumberRows values(p, m, entries, [=](Index i, double* out) {
    const Vector a = unit_vector(directions.row(i), d);
    out = std::copy_n(a.data(), d, out);
    for (Index r = 0; r < d; ++r) {
      *out++ = -side(i);
      out = std::copy_n(a.data(), d, out);
    }
  });
  const NumberRows h(p, m, rows, [=](Index i, double* out) {
    std::fill_n(out, rows, 0.0);
    out[0] = side(i);
  });
  return {DataMatrix::csr(m * rows, x.size(), starts.share(), columns.share(), values.share()), h.share(),
          alike(m, {ConeKind::second_order, rows, 0.5})};
}

// [1, x'; x, X] >= 0
ConicConstraint whole_matrix(const Lifted& x) {
  Matrix G = Matrix::Zero(svec_size(x.d + 1), x.size());
  for_each_svec_entry(x.d + 1, [&](Index e, Index i, Index j) {
    if (i > 0) G(e, j == 0 ? i - 1 : x.product(i - 1, j - 1)) = -svec_scale(i, j);
  });
  return {DataMatrix::from(G), to_array(Vector::Unit(G.rows(), 0)), alike(1, {ConeKind::semidefinite, G.rows(), 0.5})};
}

// min <Q, X> + c'x for x'Qx + c'x over |x| <= 1 and a_i'x <= b_i: X for xx' with [1, x'; x, X] >= 0, tr X <= 1 and the
// products of every row with the ball. x = 0, X = I/2d lies inside.
Problem soc_rlt(const Parameters& p) {
  const Lifted x = lifted(p);
  const Index n = x.size();
  Problem problem(n);
  Vector c(n), lower = Vector::Constant(n, -1.0), inner = Vector::Zero(n), trace = Vector::Zero(n);
  p.stream(Label::objective_values).normals(c.data(), n);
  for (Index i = 0; i < x.d; ++i) {
    lower[x.product(i, i)] = 0.0;
    trace[x.product(i, i)] = 1.0;
    inner[x.product(i, i)] = 0.5 / static_cast<double>(x.d);
  }
  problem.minimize(linear(to_array(c)));
  problem.regularize(box(to_array(lower), to_array(Vector::Ones(n))));
  problem.subject_to(linear_le(DataMatrix::from(trace.transpose()), to_array(Vector::Ones(1))), "trace");
  problem.subject_to(whole_matrix(x), "shor");
  if (p.m() > 0) problem.subject_to(products(p, x), "products");
  problem.slater_point = inner;
  return problem;
}

std::vector<ParameterSpec> lifted_parameters(Index d, Index m, std::vector<ParameterSpec> own) {
  std::vector<ParameterSpec> out{count("n", 0, 0), count("m", m, 0), count("seed", 0, 0), count("d", d, 1)};
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

}  // namespace

std::vector<Family> relaxation_families() {
  return {
      {"perspective",
       "min t + price sum z s.t. [I + A_i diag(z) A_i'/ridge, y_i; y_i', t] >= 0: features for m ridge regressions",
       sizes_and(31, 1000, {count("samples", 2, 1), positive("ridge", 10.0), positive("price", 0.02)}), perspective},
      {"shor_boxqp", "min 1/2 <Q, X> + c'x s.t. minors of order k of [1, x'; x, X] >= 0 and McCormick: box QPs",
       lifted_parameters(10, 0, {count("k", 3, 1), real("density", 1.0, 0.0, 1.0)}), shor_boxqp},
      {"soc_rlt", "min <Q, X> + c'x s.t. [1, x'; x, X] >= 0, tr X <= 1, |b_i x - X a_i| <= b_i - a_i'x: trust regions",
       lifted_parameters(6, 1000, {positive("side", 0.5)}), soc_rlt},
  };
}

}  // namespace pliant::generation
