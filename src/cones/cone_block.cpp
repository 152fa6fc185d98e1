#include "cones/cone_block.hpp"

#include "parallel/parallel.hpp"
#include "pliant/batch_checks.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant {
namespace {

constexpr double kBoundMargin = 1.0 + 1e-10;  // covers the rounding of sums
constexpr Index kBlockChunks = 64;
constexpr Index kLargestGram = 12;  // rows up to which powers of the Gram matrix pay

// The product of two rows of a CSR matrix; columns ascend.
double sparse_product(const DataMatrix& G, Index row, Index other) {
  double sum = 0.0;
  Index q = G.starts()[other];
  const Index end = G.starts()[other + 1];
  for (Index p = G.starts()[row]; p < G.starts()[row + 1]; ++p) {
    while (q < end && G.columns()[q] < G.columns()[p]) ++q;
    if (q < end && G.columns()[q] == G.columns()[p]) sum += G.values()[p] * G.values()[q];
  }
  return sum;
}

}  // namespace

void ConeBlock::validate(const std::string& label) const {
  if (trusted_) return;
  G_.validate(label + ": G");
  expect_finite_rows(label, "h", h_, h_.size(), 1);
}

double ConeBlock::constant_scale() const {
  const Index count = cones_ * shape_.rows;
  return count > 0 ? Eigen::Map<const Vector>(h_.data() + first_, count).lpNorm<Eigen::Infinity>() : 0.0;
}

void ConeBlock::slack(Index begin, Index count, const double* x, double* s) const {
  const Rows part = rows(begin, count);
  G_.multiply(x, part, s);
  Eigen::Map<Vector> out(s, part.size());
  out = Eigen::Map<const Vector>(h_.data() + part.first(), part.size()) - out;
}

void ConeBlock::along(Index begin, Index count, const double* d, double* g) const {
  G_.multiply(d, rows(begin, count), g);
}

void ConeBlock::prepare_line(ConstVectorRef x, ConstVectorRef d, Rows batch_rows, Index rows_per_cone,
                             LineModel& line) const {
  const Index count = batch_rows.size() / rows_per_cone, k = shape_.rows;
  line.count = batch_rows.size();
  line.degree = -1;
  line.inner.resize(count * k);
  line.inner_d.resize(count * k);
  const Index bytes_each = cones_ > 0 ? bytes(0, cones_) / cones_ : 0;
  parallel::for_chunks(parallel::make_chunks(count, count * bytes_each, kBlockChunks),
                       [&](Index, Index begin, Index end) {
                         for (Index c = begin; c < end; ++c) {
                           const Index cone = batch_rows[c * rows_per_cone] / rows_per_cone;
                           slack(cone, 1, x.data(), line.inner.data() + c * k);
                           along(cone, 1, d.data(), line.inner_d.data() + c * k);
                         }
                       });
}

void ConeBlock::add_dual(Index begin, Index count, const double* z, double* gradient) const {
  G_.add_transposed(rows(begin, count), z, gradient);
}

bool ConeBlock::patch(Index cone, Index most, ConePatch& out) const {
  if (!G_.is_sparse()) return false;
  const Index begin = first_ + cone * shape_.rows;
  const Index* columns = G_.columns().data();
  out.columns.assign(columns + G_.starts()[begin], columns + G_.starts()[begin + shape_.rows]);
  std::sort(out.columns.begin(), out.columns.end());
  out.columns.erase(std::unique(out.columns.begin(), out.columns.end()), out.columns.end());
  if (static_cast<Index>(out.columns.size()) > most) return false;
  out.G.setZero(shape_.rows, static_cast<Index>(out.columns.size()));
  for (Index i = 0; i < shape_.rows; ++i) {
    for (Index p = G_.starts()[begin + i]; p < G_.starts()[begin + i + 1]; ++p) {
      const auto place = std::lower_bound(out.columns.begin(), out.columns.end(), columns[p]);
      out.G(i, place - out.columns.begin()) = G_.values()[p];
    }
  }
  return true;
}

// Eigenvalues of a sum are at most sums of largest ones. The slack of a cone without h is -G d.
double ConeBlock::growth(Index cone, const double* minus_d) const {
  double* g = parallel::scratch(parallel::Scratch::kernel, shape_.rows + shape_.frame() + shape_.rank);
  double* a = g + shape_.rows + shape_.frame();
  along(cone, 1, minus_d, g);
  decompose(shape_, g, a, g + shape_.rows);
  return a[0];
}

// |R|_2^2 = |K|_2 <= |K^4|_F^(1/4) for K = RR', at most rows^(1/8) too large.
double ConeBlock::largest_singular_value(Index begin, Index count) const {
  if (count > kLargestGram) {
    double sum = 0.0;
    for (Index i = begin; i < begin + count; ++i) {
      double square = 0.0;
      G_.squared_norms(Rows::range(i, 1), &square);
      sum += square;
    }
    return std::sqrt(sum) * kBoundMargin;
  }
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor, kLargestGram, kLargestGram> K(count, count);
  if (!G_.is_sparse()) {
    const Index n = dimension();
    using Stack = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
    const Stack R(G_.values().data() + begin * n, count, n);
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j <= i; ++j) K(i, j) = K(j, i) = R.row(i).dot(R.row(j));
    }
  } else {
    for (Index i = 0; i < count; ++i) {
      for (Index j = 0; j <= i; ++j) K(i, j) = K(j, i) = sparse_product(G_, begin + i, begin + j);
    }
  }
  const double trace = K.trace();
  if (!(trace > 0.0)) return trace;
  K /= trace;  // no power of it overflows
  for (int power = 0; power < 2; ++power) K = (K * K).eval();
  return std::sqrt(trace * std::sqrt(std::sqrt(K.norm()))) * kBoundMargin;
}

// -s_0 +- |s_1..| changes by |G_0| + |G_1..|_2, or by sqrt(2) |G|_2, at most; eigenvalues of a matrix by its norm.
double ConeBlock::lipschitz(Index cone) const {
  const Index begin = first_ + cone * shape_.rows;
  const double all = largest_singular_value(begin, shape_.rows);
  if (shape_.kind != ConeKind::second_order) return all;
  double first = 0.0;
  G_.squared_norms(Rows::range(begin, 1), &first);
  const double split = std::sqrt(first) * kBoundMargin + largest_singular_value(begin + 1, shape_.rows - 1);
  return std::min(split, std::numbers::sqrt2 * all);
}

}  // namespace pliant
