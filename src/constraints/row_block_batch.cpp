#include "pliant/row_block_batch.hpp"

#include "linalg/weighted_gram.hpp"
#include "parallel/per_thread.hpp"
#include "parallel/shared_reads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>

namespace pliant {
namespace {

using parallel::Scratch;

// A block's data should survive in a core's second-level cache between values and gradient.
constexpr Index kBlockBytes = 192 * 1024;
// Rank updates want longer panels and do not live off the cache.
constexpr Index kMatrixBlockBytes = 1024 * 1024;
constexpr Index kMaxBlockRows = 1024;
// Chunks for vector-valued sums, and for matrix-valued ones: each of these holds an n x n partial sum, which must be worth
// the outer products that are added to it.
constexpr Index kVectorChunks = 64;
constexpr Index kMatrixChunks = 16;
constexpr Index kLeastOuterProducts = 128;
// A matrix product does so many multiplications in the time that a plain read takes for one number.
constexpr Index kProductsPerNumber = 8;
// From so many variables on, threads share out the matrix instead of the rows.
constexpr Index kWide = 128;
// Partial matrices may take this much memory together.
constexpr Index kMatrixBytes = Index{1} << 30;

Rows single(Index i) { return Rows::range(i, 1); }

// The rows of a block with a weight other than 0, and their weights. Families that keep scratch are asked
// for these rows only, because computing it reads all of a row's data.
class WeightedRows {
 public:
  WeightedRows(Rows rows, const double* u, const double* v) : all_(rows) {
    for (Index k = 0; k < rows.size(); ++k) {
      if (u[k] == 0.0 && v[k] == 0.0) continue;
      const auto slot = static_cast<std::size_t>(count_++);
      indices_[slot] = rows[k];
      u_[slot] = u[k];
      v_[slot] = v[k];
    }
  }
  Rows rows() const {
    return count_ == all_.size() ? all_ : Rows::list({indices_.data(), static_cast<std::size_t>(count_)});
  }
  const double* u() const { return u_.data(); }
  const double* v() const { return v_.data(); }

 private:
  Rows all_;
  Index count_ = 0;
  std::array<Index, kMaxBlockRows> indices_;
  std::array<double, kMaxBlockRows> u_, v_;
};

// Zeros for a sum, in memory that the calling thread keeps: Newton steps do not allocate. One buffer per nesting level,
// because a caller's constraint function may itself ask for sums.
class Sum {
 public:
  explicit Sum(Index size) : levels_(parallel::per_thread<Levels>()) {
    if (levels_.depth == levels_.buffers.size()) levels_.buffers.emplace_back();
    buffer_ = &levels_.buffers[levels_.depth];
    buffer_->assign(static_cast<std::size_t>(size), 0.0);
    ++levels_.depth;  // only now: there may have been no memory
  }
  ~Sum() { --levels_.depth; }
  Sum(const Sum&) = delete;
  Sum& operator=(const Sum&) = delete;
  double* data() { return buffer_->data(); }

 private:
  struct Levels {
    std::deque<std::vector<double>> buffers;  // a deque keeps its elements in place
    std::size_t depth = 0;
  };
  Levels& levels_;
  std::vector<double>* buffer_;
};

struct WideRows {
  std::vector<const double*> data;
  Vector weights;
};

// Dense linear rows of many variables: sum_k outer_k g_k g_k' without partial sums. False: not such rows.
bool add_wide_gram(const LinearRows* linear, Rows rows, const HessianSum& wanted) {
  const Index n = wanted.H.rows();
  if (n < kWide || linear == nullptr || linear->matrix().is_sparse()) return false;
  if (!(wanted.outer.array() >= 0.0).all()) return false;
  auto& [data, weights] = parallel::per_thread<WideRows>();
  data.clear();
  weights.resize(rows.size());
  for (Index k = 0; k < rows.size(); ++k) {
    if (wanted.outer[k] == 0.0) continue;
    weights[static_cast<Index>(data.size())] = wanted.outer[k];
    data.push_back(linear->matrix().values().data() + linear->side(rows[k]).row * n);
  }
  add_weighted_gram(data, weights.head(static_cast<Index>(data.size())), wanted.H);
  return true;
}

}  // namespace

Index RowBlockBatch::rows_per_block(Rows rows) const { return rows_within(rows, kBlockBytes); }

Index RowBlockBatch::rows_within(Rows rows, Index block_bytes) const {
  const Index bytes_per_row = std::max<Index>(1, bytes(rows) / std::max<Index>(1, rows.size()));
  return std::clamp<Index>(block_bytes / bytes_per_row, 1, kMaxBlockRows);
}

void RowBlockBatch::for_row_chunks(Rows rows, FunctionRef<void(Index, Index)> f) const {
  const Index limit = concurrent() ? kVectorChunks : 1;
  parallel::for_chunks(parallel::make_chunks(rows.size(), work(rows), limit),
                       [&](Index, Index begin, Index end) { f(begin, end); });
}

Index RowBlockBatch::rounding_length(Rows rows) const {
  const auto chunks = parallel::make_chunks(rows.size(), work(rows), concurrent() ? kVectorChunks : 1);
  return inner_length() + rows.size() / chunks.count + 1 + chunks.count;
}

void RowBlockBatch::reduce_rows(Rows rows, FunctionRef<void(Index, double*)> f, VectorRef out) const {
  const auto chunks = parallel::make_chunks(rows.size(), work(rows), concurrent() ? kVectorChunks : 1);
  parallel::reduce_chunks(
      chunks, out.size(),
      [&](Index, Index begin, Index end, double* partial) {
        for (Index k = begin; k < end; ++k) f(k, partial);
      },
      out.data());
}

void RowBlockBatch::read_numbers(ConstVectorRef x, Rows rows, NumbersKernel kernel, const double* numbers,
                                 const WeightedGradient* sum) const {
  if (sum != nullptr) {
    reduce_blocks(
        rows, dimension(), vector_cut(rows),
        [&, w = sum->w.data()](Index k, Rows part, double* kept, double* unused, double* partial) {
          kernel(k, part, kept, unused);
          sum->map(k, part.size(), numbers + k, w + k);
          block_add_gradient(x.data(), part, w + k, kept, partial);
        },
        sum->gradient.data());
    return;
  }
  const Index block = rows_per_block(rows);
  for_row_chunks(rows, [&](Index begin, Index end) {
    double* kept = parallel::scratch(Scratch::kernel, block * scratch_per_row());
    double* unused = parallel::scratch(Scratch::values, block);
    for (Index k = begin; k < end; k += block) kernel(k, rows.slice(k, std::min(block, end - k)), kept, unused);
  });
}

void RowBlockBatch::read_values(ConstVectorRef x, Rows rows, VectorRef a, const WeightedGradient* sum) const {
  const auto values = [&](Index k, Rows part, double* kept, double*) {
    block_values(x.data(), part, a.data() + k, kept);
  };
  read_numbers(x, rows, values, a.data(), sum);
}

void RowBlockBatch::read_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                                const WeightedGradient* sum) const {
  const auto slopes = [&](Index k, Rows part, double* kept, double* unused) {
    if (scratch_per_row() > 0) block_values(x.data(), part, unused, kept);
    block_slopes(x.data(), d.data(), part, kept, slope.data() + k);
  };
  read_numbers(x, rows, slopes, slope.data(), sum);
}

void RowBlockBatch::read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const {
  const Index block = rows_per_block(rows);
  for_row_chunks(rows, [&](Index begin, Index end) {
    double* kept = parallel::scratch(Scratch::kernel, block * scratch_per_row());
    for (Index k = begin; k < end; k += block) {
      const Rows part = rows.slice(k, std::min(block, end - k));
      block_values(x.data(), part, a.data() + k, kept);
      block_gradient_norms(x.data(), part, kept, norms.data() + k);
      if (smoothness != nullptr) block_smoothness(part, smoothness + k);
    }
  });
}

RowBlockBatch::Cut RowBlockBatch::vector_cut(Rows rows) const { return {kVectorChunks, work(rows), kBlockBytes}; }

// The lower triangle of an outer product takes n^2/2 multiplications; a row has one of its gradient, and of its curvature one
// for each n numbers stored. Sparse rows have fewer.
RowBlockBatch::Cut RowBlockBatch::matrix_cut(Rows rows, Index vectors) const {
  constexpr Index kNumber = sizeof(double);
  const Index n = dimension(), read = std::max<Index>(1, vectors) * work(rows);
  const LinearRows* linear = linear_rows();
  if (linear != nullptr && linear->matrix().is_sparse()) return {kMatrixChunks, read, kMatrixBlockBytes};
  const Index products = std::max(rows.size(), bytes(rows) / (kNumber * n));
  return {std::clamp<Index>(products / kLeastOuterProducts, 1, kMatrixChunks),
          read + products * n * n / 2 / kProductsPerNumber * kNumber, kMatrixBlockBytes};
}

void RowBlockBatch::reduce_blocks(Rows rows, Index dim, const Cut& cut, BlockKernel kernel, double* out) const {
  const Index block = rows_within(rows, cut.block_bytes);
  const Index affordable = std::max<Index>(1, kMatrixBytes / (dim * static_cast<Index>(sizeof(double))));
  const Index read = bytes(rows);
  const auto chunks = parallel::make_chunks(rows.size(), cut.work, concurrent() ? std::min(cut.most, affordable) : 1);
  const auto f = [&](Index k, Index count, double* partial) {
    double* kept = parallel::scratch(Scratch::kernel, block * scratch_per_row());
    double* unused = parallel::scratch(Scratch::values, block);
    kernel(k, rows.slice(k, count), kept, unused, partial);
  };
  const bool all = rows.contiguous() && rows.size() == size() && concurrent();
  parallel::reduce_blocks({chunks, block, dim, f, out, static_cast<double>(read)}, all ? data_address() : nullptr);
}

// Batches may be several views of one matrix.
const void* RowBlockBatch::data_address() const {
  const LinearRows* linear = linear_rows();
  return linear != nullptr ? static_cast<const void*>(linear->matrix().values().data()) : this;
}

void RowBlockBatch::add_gradient(ConstVectorRef x, Rows rows, ConstVectorRef w, VectorRef gradient) const {
  reduce_blocks(
      rows, dimension(), vector_cut(rows),
      [&](Index k, Rows part, double* kept, double* unused, double* partial) {
        if (scratch_per_row() == 0) {
          block_add_gradient(x.data(), part, w.data() + k, kept, partial);
          return;
        }
        const WeightedRows chosen(part, w.data() + k, w.data() + k);
        block_values(x.data(), chosen.rows(), unused, kept);
        block_add_gradient(x.data(), chosen.rows(), chosen.u(), kept, partial);
      },
      gradient.data());
}

void RowBlockBatch::add_hessian(ConstVectorRef x, Rows rows, const HessianSum& wanted) const {
  const double* curvature = wanted.curvature.data();
  const double* outer = wanted.outer.data();
  const Index n = dimension();
  Sum sum(n * n);
  reduce_blocks(
      rows, n * n, matrix_cut(rows, 0),
      [&](Index k, Rows part, double* kept, double* unused, double* partial) {
        Eigen::Map<Matrix> part_H(partial, n, n);
        if (scratch_per_row() == 0) {
          block_add_hessian(x.data(), part, curvature + k, outer + k, kept, part_H);
          return;
        }
        const WeightedRows chosen(part, curvature + k, outer + k);
        block_values(x.data(), chosen.rows(), unused, kept);
        block_add_hessian(x.data(), chosen.rows(), chosen.u(), chosen.v(), kept, part_H);
      },
      sum.data());
  wanted.H.triangularView<Eigen::Lower>() += Eigen::Map<const Matrix>(sum.data(), n, n);
}

// Of rows without weights nothing is computed where there is one kind of weights alone.
void RowBlockBatch::read_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums) const {
  const Index n = dimension();
  const Index columns = sums.w.cols();
  if (sums.hessian != nullptr && add_wide_gram(linear_rows(), rows, *sums.hessian)) {
    for (Index j = 0; j < columns; ++j) add_gradient(x, rows, sums.w.col(j), sums.gradients.col(j));
    return;
  }
  if (sums.hessian == nullptr && columns == 1) return add_gradient(x, rows, sums.w.col(0), sums.gradients.col(0));
  if (sums.hessian != nullptr && columns == 0) return add_hessian(x, rows, *sums.hessian);
  const Index entries = sums.hessian != nullptr ? n * n : 0;
  Sum sum(entries + n * columns);  // the matrix, then the gradients
  Cut cut = matrix_cut(rows, columns);
  if (entries == 0) cut.work = columns * work(rows);
  reduce_blocks(
      rows, entries + n * columns, cut,
      [&](Index k, Rows part, double* kept, double* unused, double* partial) {
        if (scratch_per_row() > 0) block_values(x.data(), part, unused, kept);
        for (Index j = 0; j < columns; ++j) {
          block_add_gradient(x.data(), part, sums.w.col(j).data() + k, kept, partial + entries + n * j);
        }
        if (sums.hessian == nullptr) return;
        block_add_hessian(x.data(), part, sums.hessian->curvature.data() + k, sums.hessian->outer.data() + k, kept,
                          Eigen::Map<Matrix>(partial, n, n));
      },
      sum.data());
  if (sums.hessian != nullptr) {
    sums.hessian->H.triangularView<Eigen::Lower>() += Eigen::Map<const Matrix>(sum.data(), n, n);
  }
  sums.gradients += Eigen::Map<const Matrix>(sum.data() + entries, n, columns);
}

void RowBlockBatch::for_each_gradient(const double* x, Rows rows, const double* scratch,
                                      FunctionRef<void(Index, ConstVectorRef)> f) const {
  const Index n = dimension();
  const double one = 1.0;
  Eigen::Map<Vector> gradient(parallel::scratch(Scratch::weights, n), n);
  for (Index k = 0; k < rows.size(); ++k) {
    gradient.setZero();
    block_add_gradient(x, rows.slice(k, 1), &one, scratch + k * scratch_per_row(), gradient.data());
    f(k, gradient);
  }
}

void RowBlockBatch::block_gradient_norms(const double* x, Rows rows, const double* scratch, double* norms) const {
  for_each_gradient(x, rows, scratch, [&](Index k, ConstVectorRef gradient) { norms[k] = gradient.norm(); });
}

void RowBlockBatch::block_slopes(const double* x, const double* d, Rows rows, const double* scratch,
                                 double* slopes) const {
  const Eigen::Map<const Vector> direction(d, dimension());
  for_each_gradient(x, rows, scratch, [&](Index k, ConstVectorRef gradient) { slopes[k] = gradient.dot(direction); });
}

void RowBlockBatch::prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const {
  if (!linear()) throw std::logic_error(fmt::format("{} constraints: prepare_line is missing", family()));
  line.count = rows.size();
  line.degree = 1;
  line.c0.resize(rows.size());
  line.c1.resize(rows.size());
  const Index block = rows_per_block(rows);
  for_row_chunks(rows, [&](Index begin, Index end) {
    for (Index k = begin; k < end; k += block) {
      const Rows part = rows.slice(k, std::min(block, end - k));
      block_values(x.data(), part, line.c0.data() + k, nullptr);
      block_slopes(x.data(), d.data(), part, nullptr, line.c1.data() + k);
    }
  });
}

double* RowBlockBatch::block_memory(Index size) { return parallel::scratch(Scratch::block, size); }

double* RowBlockBatch::second_block_memory(Index size) { return parallel::scratch(Scratch::weights, size); }

double RowBlockBatch::component_value(Index i, ConstVectorRef x) const {
  double value = 0.0;
  block_values(x.data(), single(i), &value, parallel::scratch(Scratch::kernel, scratch_per_row()));
  return value;
}

void RowBlockBatch::add_component_gradient(Index i, ConstVectorRef x, double w, VectorRef gradient) const {
  double* kept = parallel::scratch(Scratch::kernel, scratch_per_row());
  double value = 0.0;
  if (scratch_per_row() > 0) block_values(x.data(), single(i), &value, kept);
  block_add_gradient(x.data(), single(i), &w, kept, gradient.data());
}

}  // namespace pliant
