// QP with sparse rows and a sparse objective, feasible by a planted point.
#include "constraints/linear.hpp"
#include "generate/data.hpp"
#include "generate/family.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace pliant::generation {
namespace {

struct SparseRows {
  DataMatrix G;
  NumberRows h;
};

// `nnz` distinct ascending columns: one from each of nnz equal parts of 0..n-1, rotated by a random shift.
void pick_columns(const random::Stream& stream, Index n, Index nnz, Index* columns) {
  const Index shift = stream.below(nnz, n);
  for (Index k = 0; k < nnz; ++k) {
    const Index begin = k * n / nnz;
    const Index end = (k + 1) * n / nnz;
    columns[k] = (begin + stream.below(k, end - begin) + shift) % n;
  }
  std::sort(columns, columns + nnz);
}

// Rows of norm s_i (1, or 10^-3..10^3 if heavy) and h_i = g_i'x0 + s_i margin (1 + U): x0 is strictly feasible.
SparseRows sparse_rows(const Parameters& p, const Vector& x0) {
  const Index n = p.n();
  const Index m = p.m();
  const Index nnz = std::min(p.count("nnz"), n);
  const Index distinct = (m + p.count("duplicate") - 1) / p.count("duplicate");
  const double margin = p.real("margin");
  const bool heavy = p.flag("heavy");
  const random::Stream values = p.stream(Label::rows);
  const random::Stream picks = p.stream(Label::columns);
  const random::Stream scales = p.stream(Label::row_scale);
  const random::Stream slacks = p.stream(Label::right_hand_side);

  const auto original = [distinct](Index i) { return i % distinct; };
  const auto scale = [scales, heavy](Index b) { return heavy ? std::pow(10.0, scales.uniform(b, -3.0, 3.0)) : 1.0; };
  const IndexRows starts(p, m + 1, 1, [nnz](Index i, Index* start) { *start = i * nnz; });
  const IndexRows columns(p, m, nnz, [=](Index i, Index* row) { pick_columns(picks.row(original(i)), n, nnz, row); });
  const NumberRows numbers(p, m, nnz, [=](Index i, double* row) {
    values.row(original(i)).normals(row, nnz);
    auto v = as_vector(row, nnz);
    v *= scale(original(i)) / v.norm();
  });
  NumberRows h = column(p, m, [=](Index i) {
    const double* row = numbers.row(i);
    const Index* picked = columns.row(i);
    double dot = 0.0;
    for (Index k = 0; k < nnz; ++k) dot += row[k] * x0[picked[k]];
    return dot + scale(original(i)) * margin * slacks.uniform(original(i), 1.0, 2.0);
  });
  return {DataMatrix::csr(m, n, starts.share(), columns.share(), numbers.share()), std::move(h)};
}

// Symmetric P = E + D: E has about 2 `links` entries U(-1/2, 1/2) per row, D_jj = mu + sum_k |E_jk|, so that
// by Gershgorin all eigenvalues are at least mu.
DataMatrix diagonally_dominant(const Parameters& p) {
  using Entry = std::tuple<Index, Index, double>;
  const Index n = p.n();
  const Index links = p.count("links");
  const random::Stream picks = p.stream(Label::objective_columns);
  const random::Stream values = p.stream(Label::objective_values);
  std::vector<Entry> entries;
  std::vector<double> diagonal(static_cast<std::size_t>(n), p.real("mu"));
  for (Index j = 0; j < n && n > 1; ++j) {
    for (Index k = 0; k < links; ++k) {
      const Index other = (j + 1 + picks.row(j).below(k, n - 1)) % n;
      const double value = values.row(j).uniform(k, -0.5, 0.5);
      entries.emplace_back(j, other, value);
      entries.emplace_back(other, j, value);
      diagonal[static_cast<std::size_t>(j)] += std::abs(value);
      diagonal[static_cast<std::size_t>(other)] += std::abs(value);
    }
  }
  for (Index j = 0; j < n; ++j) entries.emplace_back(j, j, diagonal[static_cast<std::size_t>(j)]);
  // Entries of (j, k) and (k, j) sort alike, so repeated ones add up in the same order and P stays symmetric.
  std::sort(entries.begin(), entries.end());

  std::vector<Index> starts{0};
  std::vector<Index> columns;
  std::vector<double> numbers;
  Index row = 0;
  for (const auto& [r, c, value] : entries) {
    for (; row < r; ++row) starts.push_back(static_cast<Index>(columns.size()));
    const bool repeated = static_cast<Index>(columns.size()) > starts.back() && columns.back() == c;
    if (repeated) {
      numbers.back() += value;
    } else {
      columns.push_back(c);
      numbers.push_back(value);
    }
  }
  for (; row < n; ++row) starts.push_back(static_cast<Index>(columns.size()));
  return DataMatrix::csr(n, n, Indices(std::move(starts)), Indices(std::move(columns)), Doubles(std::move(numbers)));
}

// min 1/2 x'Px + q'x  s.t.  Gx <= h, everything sparse, q = 3 N(0, I)
Problem sparse_qp(const Parameters& p) {
  Problem problem(p.n());
  const Vector x0 = normal_vector(p.stream(Label::planted_point), p.n());
  problem.minimize(
      quadratic(diagonally_dominant(p), to_array(kCostScale * normal_vector(p.stream(Label::cost), p.n()))));
  if (p.m() > 0) {
    SparseRows rows = sparse_rows(p, x0);
    problem.subject_to(finite_linear_le(std::move(rows.G), rows.h.share()));
  }
  problem.slater_point = x0;
  return problem;
}

}  // namespace

std::vector<Family> sparse_families() {
  return {{"sparse_qp", "min 1/2 x'Px + q'x s.t. Gx <= h, P and G sparse, P diagonally dominant",
           sizes_and(50, 1000,
                     {count("nnz", 5, 1), count("links", 2, 0), positive("mu", 1.0), positive("margin", 0.1),
                      count("duplicate", 1, 1), flag("heavy")}),
           sparse_qp}};
}

}  // namespace pliant::generation
