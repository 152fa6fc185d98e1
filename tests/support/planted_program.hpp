// Sparse linear and quadratic programs with a planted solution: x, duals of rows and bounds that satisfy the optimality
// conditions by construction, so that the optimal value is known without a solver.
#pragma once

#include "engines/interior/standard_form.hpp"
#include "support/random.hpp"

#include <vector>

namespace pliant::testing {

struct PlantedProgram {
  StandardForm form;
  Vector x, y;
  double value = 0.0;
};

struct PlantedOptions {
  Index variables = 20, rows = 30;
  bool quadratic = true;
  bool clutter = true;     ///< singleton, duplicate, free and empty rows, fixed variables
  bool degenerate = true;  ///< active sides without a multiplier
};

// Sides of a row or bound whose value at x is t, with the dual they carry: active ones may have a multiplier.
struct Interval {
  double lo = -kInfinity, hi = kInfinity, dual = 0.0;
};

inline Interval random_interval(Random& random, double t, bool degenerate) {
  Interval out;
  const double multiplier = degenerate && random.uniform() < 0.2 ? 0.0 : random.log_uniform(1e-2, 1e2);
  switch (random.integer(0, 5)) {
    case 0:  // an equality
      out = {t, t, random.normal()};
      break;
    case 1:
      out = {-kInfinity, t, multiplier};
      break;
    case 2:
      out = {t, t + random.log_uniform(1e-2, 1e2), -multiplier};
      break;
    case 3:
      out = {t - random.uniform(0.1, 3.0), t + random.uniform(0.1, 3.0), 0.0};
      break;
    case 4:
      out = {t - random.uniform(0.1, 3.0), kInfinity, 0.0};
      break;
    default:
      break;
  }
  return out;
}

using PlantedRow = std::vector<std::pair<Index, double>>;

/// About four entries per row; with clutter some rows have one entry or repeat another one.
inline std::vector<PlantedRow> planted_rows(Random& random, const PlantedOptions& options) {
  const Index n = options.variables;
  std::vector<PlantedRow> rows;
  for (Index i = 0; i < options.rows; ++i) {
    PlantedRow row;
    const double scale = random.log_uniform(1e-2, 1e2);
    for (Index j = 0; j < n; ++j) {
      if (random.uniform() < 4.0 / static_cast<double>(n)) row.emplace_back(j, scale * random.normal());
    }
    if (options.clutter && random.uniform() < 0.15) row = {{random.integer(0, n - 1), random.normal()}};
    if (options.clutter && random.uniform() < 0.15 && i > 0) {
      row = rows[static_cast<std::size_t>(random.integer(0, i - 1))];
      const double ratio = random.uniform() < 0.5 ? -2.0 : 0.5;
      for (auto& [j, a] : row) a *= ratio;
    }
    if (!options.clutter && row.size() < 2) row = {{0, 1.0}, {n - 1, random.normal()}};
    rows.push_back(row);
  }
  return rows;
}

/// B'B with two entries in each of n/2 rows of B.
inline SparseMatrix planted_hessian(Random& random, Index n) {
  std::vector<Eigen::Triplet<double, int>> root;
  for (Index i = 0; i < n / 2; ++i) {
    for (int k = 0; k < 2; ++k) {
      root.emplace_back(static_cast<int>(i), static_cast<int>(random.integer(0, n - 1)), random.normal());
    }
  }
  SparseMatrix B(static_cast<int>(n), static_cast<int>(n));
  B.setFromTriplets(root.begin(), root.end());
  return SparseMatrix(B.transpose() * B);
}

inline PlantedProgram planted_program(Random& random, const PlantedOptions& options) {
  const Index n = options.variables;
  PlantedProgram p;
  p.x = random.vector(n);
  const std::vector<PlantedRow> rows = planted_rows(random, options);
  const Index m = options.rows;
  StandardForm& f = p.form;
  f.lo.resize(m);
  f.hi.resize(m);
  p.y = Vector::Zero(m);
  std::vector<Eigen::Triplet<double, int>> entries;
  for (Index i = 0; i < m; ++i) {
    double t = 0.0;
    for (const auto& [j, a] : rows[static_cast<std::size_t>(i)]) {
      t += a * p.x[j];
      entries.emplace_back(static_cast<int>(i), static_cast<int>(j), a);
    }
    const Interval side = random_interval(random, t, options.degenerate);
    f.lo[i] = side.lo;
    f.hi[i] = side.hi;
    p.y[i] = side.dual;
  }
  f.A = SparseMatrix(static_cast<int>(m), static_cast<int>(n));
  f.A.setFromTriplets(entries.begin(), entries.end());
  f.lower.resize(n);
  f.upper.resize(n);
  Vector z = Vector::Zero(n);
  for (Index j = 0; j < n; ++j) {
    Interval side = random_interval(random, p.x[j], options.degenerate);
    if (!options.clutter && side.lo == side.hi) side = {};
    f.lower[j] = side.lo;
    f.upper[j] = side.hi;
    z[j] = side.dual;
  }
  f.P = options.quadratic ? planted_hessian(random, n) : SparseMatrix(static_cast<int>(n), static_cast<int>(n));
  f.q = -(f.P * p.x + f.A.transpose() * p.y + z);
  f.constant = random.normal();
  p.value = f.objective(p.x);
  return p;
}

/// The problem of a form: one two-sided batch, the equalities apart, bounds as a box.
inline Problem to_problem(const StandardForm& form) {
  const Index n = form.variables();
  const auto csr = [n](const SparseMatrix& S, const std::vector<Index>& chosen) {
    const Eigen::SparseMatrix<double, Eigen::RowMajor, int> R(S);
    std::vector<Index> starts{0}, columns;
    std::vector<double> values;
    for (const Index i : chosen) {
      for (Eigen::SparseMatrix<double, Eigen::RowMajor, int>::InnerIterator it(R, i); it; ++it) {
        columns.push_back(it.col());
        values.push_back(it.value());
      }
      starts.push_back(static_cast<Index>(columns.size()));
    }
    return DataMatrix::csr(static_cast<Index>(chosen.size()), n, Indices(std::move(starts)),
                           Indices(std::move(columns)), Doubles(std::move(values)));
  };
  const auto numbers = [](const Vector& v) { return Doubles(std::vector<double>(v.begin(), v.end())); };
  std::vector<Index> all, equalities, others;
  for (Index j = 0; j < n; ++j) all.push_back(j);
  for (Index i = 0; i < form.rows(); ++i) (form.lo[i] == form.hi[i] ? equalities : others).push_back(i);
  Problem problem(n);
  problem.minimize(linear(numbers(form.q), form.constant));
  if (form.P.nonZeros() > 0) problem.minimize(quadratic(csr(form.P, all), numbers(Vector::Zero(n))));
  if (!others.empty()) {
    problem.subject_to(linear_range(numbers(form.lo(others)), csr(form.A, others), numbers(form.hi(others))));
  }
  if (!equalities.empty()) problem.equal(csr(form.A, equalities), numbers(form.hi(equalities)));
  const bool bounded = form.lower.maxCoeff() > -kInfinity || form.upper.minCoeff() < kInfinity;
  if (bounded) problem.regularize(box(numbers(form.lower), numbers(form.upper)));
  return problem;
}

}  // namespace pliant::testing
