#include "cones/spectral.hpp"

#include "cones/dual_cone.hpp"
#include "linalg/sums.hpp"
#include "parallel/parallel.hpp"
#include "pliant/batch_checks.hpp"
#include "pliant/rank_update_panel.hpp"

#include <algorithm>
#include <cassert>
#include <vector>

namespace pliant {
namespace {

using parallel::Scratch;

constexpr Index kBlockCones = 128;
constexpr Index kVectorChunks = 64;
constexpr Index kMatrixChunks = 8;  // each holds an n x n partial sum
// A cone that touches at most one in so many columns adds to its own entries of the Hessian; others go by panels.
constexpr Index kSparsePart = 4;
// Sums longer than this are matrices.
constexpr Index kLongestVector = 1 << 14;

}  // namespace

std::string_view SpectralBatch::family() const { return cones_.shape().kind == ConeKind::second_order ? "soc" : "lmi"; }

BatchStructure SpectralBatch::structure() const {
  BatchStructure out;
  out.group = rank();
  out.arrays = {&cones_.matrix().values()};
  out.eigenvalues = this;
  return out;
}

void SpectralBatch::validate() const { cones_.validate(batch_label(family(), name)); }

Index SpectralBatch::bytes(Rows rows) const {
  if (rows.size() == 0) return 0;
  const Index r = rank();
  if (rows.contiguous())
    return cones_.bytes(rows.first() / r, (rows.first() + rows.size() - 1) / r - rows.first() / r + 1);
  Index sum = 0, last = -1;
  for (Index k = 0; k < rows.size(); ++k) {
    const Index cone = rows[k] / r;
    if (cone != last) sum += cones_.bytes(cone, 1);
    last = cone;
  }
  return sum;
}

void SpectralBatch::for_blocks(ConstVectorRef x, Rows rows, Index dim, FunctionRef<void(const Block&, double*)> f,
                               double* out) const {
  const ConeShape& shape = cones_.shape();
  const Index r = rank();
  assert(rows.size() % r == 0 && (rows.size() == 0 || rows[0] % r == 0));
  const auto chunks =
      parallel::make_chunks(rows.size() / r, bytes(rows), dim > kLongestVector ? kMatrixChunks : kVectorChunks);
  const auto work = [&](Index, Index begin, Index end, double* partial) {
    double* a = parallel::scratch(Scratch::kernel, kBlockCones * (r + shape.rows + shape.frame()));
    double* s = a + kBlockCones * r;
    double* frame = s + kBlockCones * shape.rows;
    for (Index c = begin; c < end; c += kBlockCones) {
      const Index count = std::min(kBlockCones, end - c);
      const Rows part = rows.slice(c * r, count * r);
      if (part.contiguous()) {
        cones_.slack(part.first() / r, count, x.data(), s);
      } else {
        for (Index k = 0; k < count; ++k) cones_.slack(part[k * r] / r, 1, x.data(), s + k * shape.rows);
      }
      for (Index k = 0; k < count; ++k) {
        decompose(shape, s + k * shape.rows, a + k * r, frame + k * shape.frame());
      }
      f({part, c * r, a, s, frame}, partial);
    }
  };
  if (dim == 0) {
    parallel::for_chunks(chunks, [&](Index chunk, Index begin, Index end) { work(chunk, begin, end, nullptr); });
  } else {
    parallel::reduce_chunks(chunks, dim, work, out);
  }
}

void SpectralBatch::read_values(ConstVectorRef x, Rows rows, VectorRef a, const WeightedGradient* sum) const {
  for_blocks(
      x, rows, sum != nullptr ? dimension() : 0,
      [&](const Block& b, double* partial) {
        const Index p = b.position;
        std::copy_n(b.a, b.rows.size(), a.data() + p);
        if (sum == nullptr) return;
        sum->map(p, b.rows.size(), a.data() + p, sum->w.data() + p);
        add_gradient(b, sum->w.data() + p, partial);
      },
      sum != nullptr ? sum->gradient.data() : nullptr);
}

void SpectralBatch::add_gradient(const Block& block, const double* w, double* gradient) const {
  const ConeShape& shape = cones_.shape();
  const Index r = rank();
  double* z = parallel::scratch(Scratch::weights, shape.rows);
  for (Index k = 0; k < block.rows.size() / r; ++k) {
    const double* weights = w + k * r;
    if (std::all_of(weights, weights + r, [](double v) { return v == 0.0; })) continue;
    combine(shape, block.frame + k * shape.frame(), weights, z);
    cones_.column(block.rows[k * r] / r, z, gradient);
  }
}

void SpectralBatch::add_hessian(const Block& block, const double* curvature, const double* outer, MatrixRef H) const {
  const ConeShape& shape = cones_.shape();
  const Index r = rank(), d = shape.rows;
  RankUpdatePanel panel(H);
  double* basis = parallel::scratch(Scratch::weights, d * (d + 1));
  double* weights = basis + d * d;
  ConePatch patch;
  for (Index k = 0; k < block.rows.size() / r; ++k) {
    basis_weights(shape, block.a + k * r, curvature + k * r, outer + k * r, weights);
    if (std::all_of(weights, weights + d, [](double v) { return v == 0.0; })) continue;
    frame_basis(shape, block.frame + k * shape.frame(), basis);
    if (add_sparse_hessian(block.rows[k * r] / r, basis, weights, patch, H)) continue;
    for (Index j = 0; j < d; ++j) {
      if (weights[j] == 0.0) continue;
      panel.column().setZero();
      cones_.column(block.rows[k * r] / r, basis + j * d, panel.column().data());
      panel.push(weights[j]);
    }
  }
  panel.flush();
}

// (G'e_j)(G'e_j)' summed with the weights, where G has columns: V diag(w) V' with V = G'(e_1, e_2, ...).
bool SpectralBatch::add_sparse_hessian(Index cone, const double* basis, const double* weights, ConePatch& patch,
                                       MatrixRef H) const {
  if (!cones_.patch(cone, dimension() / kSparsePart, patch)) return false;
  const Index d = cones_.shape().rows;
  const Matrix V = patch.G.transpose() * Eigen::Map<const Matrix>(basis, d, d);
  const Matrix sum = V * Eigen::Map<const Vector>(weights, d).asDiagonal() * V.transpose();
  for (Index j = 0; j < sum.cols(); ++j) {
    const Index column = patch.columns[static_cast<std::size_t>(j)];
    for (Index i = j; i < sum.rows(); ++i) H(patch.columns[static_cast<std::size_t>(i)], column) += sum(i, j);
  }
  return true;
}

void SpectralBatch::block_slopes(const Block& block, const double* d, double* slope) const {
  const ConeShape& shape = cones_.shape();
  const Index r = rank();
  double* g = parallel::scratch(Scratch::values, shape.rows);
  for (Index k = 0; k < block.rows.size() / r; ++k) {
    cones_.along(block.rows[k * r] / r, 1, d, g);
    eigen_slopes(shape, block.frame + k * shape.frame(), g, slope + k * r);
  }
}

void SpectralBatch::read_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums) const {
  sum_derivatives(x, rows, sums, [](const Block&) {});
}

void SpectralBatch::read_values_and_derivatives(ConstVectorRef x, Rows rows, VectorRef a, VectorRef slacks,
                                                FunctionRef<void(Index first, Index count)> weigh,
                                                const DerivativeSums& sums) const {
  const Index r = rank(), d = cones_.shape().rows;
  sum_derivatives(x, rows, sums, [&](const Block& b) {
    std::copy_n(b.a, b.rows.size(), a.data() + b.position);
    std::copy_n(b.s, b.rows.size() / r * d, slacks.data() + b.position / r * d);
    weigh(b.position, b.rows.size());
  });
}

void SpectralBatch::sum_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums,
                                    FunctionRef<void(const Block&)> before) const {
  const Index n = dimension();
  const Index columns = sums.w.cols();
  const Index entries = sums.hessian != nullptr ? n * n : 0;
  Vector sum = Vector::Zero(entries + n * columns);  // the matrix, then the gradients
  for_blocks(
      x, rows, sum.size(),
      [&](const Block& b, double* partial) {
        before(b);
        for (Index j = 0; j < columns; ++j) {
          add_gradient(b, sums.w.col(j).data() + b.position, partial + entries + n * j);
        }
        if (sums.hessian == nullptr) return;
        add_hessian(b, sums.hessian->curvature.data() + b.position, sums.hessian->outer.data() + b.position,
                    Eigen::Map<Matrix>(partial, n, n));
      },
      sum.data());
  if (sums.hessian != nullptr) {
    sums.hessian->H.triangularView<Eigen::Lower>() += Eigen::Map<const Matrix>(sum.data(), n, n);
  }
  sums.gradients += Eigen::Map<const Matrix>(sum.data() + entries, n, columns);
}

void SpectralBatch::read_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                                const WeightedGradient* sum) const {
  for_blocks(
      x, rows, sum != nullptr ? dimension() : 0,
      [&](const Block& b, double* partial) {
        const Index p = b.position;
        block_slopes(b, d.data(), slope.data() + p);
        if (sum == nullptr) return;
        sum->map(p, b.rows.size(), slope.data() + p, sum->w.data() + p);
        add_gradient(b, sum->w.data() + p, partial);
      },
      sum != nullptr ? sum->gradient.data() : nullptr);
}

void SpectralBatch::read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const {
  const Index r = rank();
  for_blocks(
      x, rows, 0,
      [&](const Block& b, double*) {
        std::copy_n(b.a, b.rows.size(), a.data() + b.position);
        for (Index k = 0; k < b.rows.size(); k += r) {
          std::fill_n(norms.data() + b.position + k, r, cones_.lipschitz(b.rows[k] / r));
        }
      },
      nullptr);
  if (smoothness != nullptr) std::fill_n(smoothness, rows.size(), 0.0);
}

void SpectralBatch::prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const {
  cones_.prepare_line(x, d, rows, rank(), line);
}

void SpectralBatch::line_values(const LineModel& line, double t, VectorRef a, VectorRef slope) const {
  const ConeShape& shape = cones_.shape();
  const Index r = rank(), d = shape.rows;
  const auto chunks = parallel::make_chunks(line.count / r, line.inner.size() * Index{64}, kVectorChunks);
  parallel::for_chunks(chunks, [&](Index, Index begin, Index end) {
    double* s = parallel::scratch(Scratch::kernel, d + shape.frame());
    for (Index c = begin; c < end; ++c) {
      Eigen::Map<Vector>(s, d) = line.inner.segment(c * d, d) - t * line.inner_d.segment(c * d, d);
      decompose(shape, s, a.data() + c * r, s + d);
      eigen_slopes(shape, s + d, line.inner_d.data() + c * d, slope.data() + c * r);
    }
  });
}

void SpectralBatch::growth(ConstVectorRef, ConstVectorRef d, Rows rows, VectorRef slope, VectorRef curvature) const {
  const Index r = rank();
  const Vector minus = -d;
  const auto chunks = parallel::make_chunks(rows.size() / r, bytes(rows), kVectorChunks);
  parallel::for_chunks(chunks, [&](Index, Index begin, Index end) {
    for (Index c = begin; c < end; ++c) {
      std::fill_n(slope.data() + c * r, r, cones_.growth(rows[c * r] / r, minus.data()));
    }
  });
  curvature.setZero();
}

Vector SpectralBatch::dual_points(ConstVectorRef x, Rows rows, ConstVectorRef lambda) const {
  const ConeShape& shape = cones_.shape();
  const Index r = rank();
  Vector z(rows.size() / r * shape.rows);
  for_blocks(
      x, rows, 0,
      [&](const Block& b, double*) {
        for (Index k = 0; k < b.rows.size() / r; ++k) {
          combine(shape, b.frame + k * shape.frame(), lambda.data() + b.position + k * r,
                  z.data() + (b.position / r + k) * shape.rows);
        }
      },
      nullptr);
  return z;
}

Vector SpectralBatch::dual_points_along(const LineModel& line, ConstVectorRef lambda, ConstVectorRef outer,
                                        ConstVectorRef shift) const {
  const ConeShape& shape = cones_.shape();
  const Index r = rank(), d = shape.rows;
  Vector z(line.inner.size());
  Vector a(r), slope(r), moved(r), frame(shape.frame()), weights(d);
  Matrix basis(d, d);
  for (Index c = 0; c < line.count / r; ++c) {
    const auto g = line.inner_d.segment(c * d, d);
    decompose(shape, line.inner.data() + c * d, a.data(), frame.data());
    frame_basis(shape, frame.data(), basis.data());
    basis_weights(shape, a.data(), lambda.data() + c * r, outer.data() + c * r, weights.data());
    Vector along = basis.transpose() * g;
    for (Index j = 0; j < r; ++j) {
      along[j] = lambda[c * r + j] + outer[c * r + j] * (along[j] + shift[c * r + j]);
    }
    along.tail(d - r).array() *= weights.tail(d - r).array();
    z.segment(c * d, d) = basis * along;
    move_into_dual_cone({shape.kind, d, 0.5}, z.segment(c * d, d));
  }
  return z;
}

double SpectralBatch::add_dual_points(ConstVectorRef x, Rows rows, ConstVectorRef z, VectorRef gradient) const {
  const Index r = rank(), d = cones_.shape().rows;
  Vector products = Vector::Zero(rows.size() / r);
  const auto chunks = parallel::make_chunks(products.size(), bytes(rows), kVectorChunks);
  parallel::reduce_chunks(
      chunks, dimension(),
      [&](Index, Index begin, Index end, double* partial) {
        double* s = parallel::scratch(Scratch::kernel, d);
        for (Index c = begin; c < end; ++c) {
          const Index cone = rows[c * r] / r;
          const auto part = z.segment(c * d, d);
          cones_.slack(cone, 1, x.data(), s);
          products[c] = part.dot(Eigen::Map<const Vector>(s, d));
          cones_.add_dual(cone, 1, part.data(), partial);
        }
      },
      gradient.data());
  return -pairwise_sum(0, products.size(), [&](Index c) { return products[c]; });
}

}  // namespace pliant
