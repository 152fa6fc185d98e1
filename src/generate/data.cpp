#include "generate/data.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant::generation {
namespace {

// 8 TiB: beyond this a mistyped size is likelier than a large machine.
constexpr double kMaxNumbers = 0x1p40;

}  // namespace

Index checked_size(std::initializer_list<Index> shape) {
  double total = 1.0;  // in floating point, which cannot overflow
  for (const Index length : shape) total *= static_cast<double>(length);
  if (total > kMaxNumbers) throw InputError(fmt::format("n, m: an array of the instance would hold {} numbers", total));
  Index size = 1;
  for (const Index length : shape) size *= length;
  return size;
}

NumberRows normal_rows(const Parameters& p, Label label, Index rows, Index cols, RowNorm norm, double scale) {
  return NumberRows(p, rows, cols, [stream = p.stream(label), cols, norm, scale](Index i, double* row) {
    stream.row(i).normals(row, cols, scale);
    if (norm == RowNorm::unit) as_vector(row, cols).normalize();
  });
}

NumberRows column(const Parameters& p, Index rows, std::function<double(Index i)> rule) {
  return NumberRows(p, rows, 1, [rule = std::move(rule)](Index i, double* number) { *number = rule(i); });
}

NumberRows uniform_rows(const Parameters& p, Label label, Index rows, Index per_row, double lo, double hi) {
  return NumberRows(p, rows, per_row, [stream = p.stream(label), per_row, lo, hi](Index i, double* row) {
    for (Index k = 0; k < per_row; ++k) row[k] = stream.uniform(i * per_row + k, lo, hi);
  });
}

double least(Index rows, Index numbers_per_row, const std::function<double(Index i)>& f) {
  const Index bytes = rows * numbers_per_row * static_cast<Index>(sizeof(double));
  const parallel::Chunks chunks = parallel::make_chunks(rows, bytes, kMaxRowChunks);
  std::vector<double> found(static_cast<std::size_t>(chunks.count), kInfinity);
  parallel::for_chunks(chunks, [&](Index chunk, Index begin, Index end) {
    double& smallest = found[static_cast<std::size_t>(chunk)];
    for (Index i = begin; i < end; ++i) smallest = std::min(smallest, f(i));
  });
  return *std::min_element(found.begin(), found.end());
}

Vector normal_vector(const random::Stream& stream, Index n) {
  Vector v(n);
  stream.normals(v.data(), n);
  return v;
}

Vector unit_vector(const random::Stream& stream, Index n) { return normal_vector(stream, n).normalized(); }

DataMatrix scaled_identity(Index n, double value) { return diagonal_matrix(Vector::Constant(n, value)); }

DataMatrix diagonal_matrix(const Vector& diagonal) {
  const Index n = diagonal.size();
  std::vector<Index> starts(static_cast<std::size_t>(n) + 1);
  std::vector<Index> columns(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < starts.size(); ++j) starts[j] = static_cast<Index>(j);
  for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = static_cast<Index>(j);
  return DataMatrix::csr(n, n, Indices(std::move(starts)), Indices(std::move(columns)), to_array(diagonal));
}

void minimize_random_square(Problem& problem, double mu, const random::Stream& cost) {
  const Index n = problem.dimension();
  problem.minimize(quadratic(scaled_identity(n, mu), to_array(kCostScale * normal_vector(cost, n))));
}

}  // namespace pliant::generation
