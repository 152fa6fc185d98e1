#include "generate/data.hpp"

#include <fmt/format.h>

#include <new>

namespace pliant::generation {
namespace {

// 8 TiB: beyond this a mistyped size is likelier than a large machine.
constexpr double kMaxNumbers = 0x1p40;
constexpr std::align_val_t kAlignment{64};

}  // namespace

Numbers::Numbers(std::initializer_list<Index> shape) : size_(1) {
  double total = 1.0;  // in floating point, which cannot overflow
  for (const Index length : shape) total *= static_cast<double>(length);
  if (total > kMaxNumbers) throw InputError(fmt::format("n, m: an array of the instance would hold {} numbers", total));
  for (const Index length : shape) size_ *= length;
  const auto bytes = static_cast<std::size_t>(size_) * sizeof(double);
  data_ = std::shared_ptr<double[]>(static_cast<double*>(::operator new[](bytes, kAlignment)),
                                    [](double* p) { ::operator delete[](p, kAlignment); });
}

Numbers normal_rows(const Stream& stream, Index rows, Index cols, RowNorm norm, double scale) {
  Numbers out({rows, cols});
  for_each_row(rows, cols, [&](Index i) {
    double* row = out.data() + i * cols;
    stream.row(i).normals(row, cols, scale);
    if (norm == RowNorm::unit) as_vector(row, cols).normalize();
  });
  return out;
}

Numbers uniform_numbers(const Stream& stream, Index count, double lo, double hi) {
  Numbers out({count});
  for_each_row(count, 1, [&](Index i) { out[i] = stream.uniform(i, lo, hi); });
  return out;
}

Vector normal_vector(const Stream& stream, Index n) {
  Vector v(n);
  stream.normals(v.data(), n);
  return v;
}

Vector unit_vector(const Stream& stream, Index n) { return normal_vector(stream, n).normalized(); }

DataMatrix scaled_identity(Index n, double value) {
  std::vector<Index> starts(static_cast<std::size_t>(n) + 1);
  std::vector<Index> columns(static_cast<std::size_t>(n));
  for (std::size_t j = 0; j < starts.size(); ++j) starts[j] = static_cast<Index>(j);
  for (std::size_t j = 0; j < columns.size(); ++j) columns[j] = static_cast<Index>(j);
  return DataMatrix::csr(n, n, Indices(std::move(starts)), Indices(std::move(columns)),
                         Doubles(std::vector<double>(static_cast<std::size_t>(n), value)));
}

void minimize_random_square(Problem& problem, double mu, const Stream& cost) {
  const Index n = problem.dimension();
  problem.minimize(quadratic(scaled_identity(n, mu), to_array(kCostScale * normal_vector(cost, n))));
}

}  // namespace pliant::generation
