#include "engines/path/soft_table.hpp"

#include "linalg/row_products.hpp"
#include "parallel/long_vectors.hpp"
#include "parallel/shared_reads.hpp"
#include "pliant/constraints.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// As for other sweeps: rows of a block stay in a core's cache between product and sum.
constexpr Index kSweepBytes = 192 * 1024;
constexpr Index kSweepChunks = 64;
constexpr Index kMostSweepRows = 1024;

// f(column, value) for the stored entries of a row.
template <class F>
void for_entries(const DataMatrix& G, Index row, const F& f) {
  const Index begin = G.is_sparse() ? G.starts()[row] : row * G.cols();
  const Index end = G.is_sparse() ? G.starts()[row + 1] : begin + G.cols();
  for (Index p = begin; p < end; ++p) f(G.is_sparse() ? G.columns()[p] : p - begin, G.values()[p]);
}

// sum_j (units_j g_j)^2
double weighted_square(const DataMatrix& G, Index row, const Vector& units) {
  if (!G.is_sparse()) {
    return Eigen::Map<const Vector>(G.values().data() + row * G.cols(), G.cols()).cwiseProduct(units).squaredNorm();
  }
  double sum = 0.0;
  for_entries(G, row, [&](Index j, double v) { sum += (units[j] * v) * (units[j] * v); });
  return sum;
}

}  // namespace

double SoftRow::distance(double z) const {
  double nearest = kInfinity;
  if (above > 0.0) nearest = std::min(nearest, std::abs(z - upper));
  if (below > 0.0) nearest = std::min(nearest, std::abs(z - lower));
  return nearest;
}

SoftTable::SoftTable(const Problem& problem, ConstraintSystem& system) : system_(&system) {
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    if (problem.caps(static_cast<Index>(b)).empty()) continue;
    const LinearRows* rows = problem.batches()[b]->linear_rows();
    pieces_.push_back({&rows->matrix(), size_, static_cast<Index>(b), rows});
    size_ += rows->matrix().rows();
  }
  for (Vector* v : {&lower_, &upper_, &below_, &above_}) parallel::resize(*v, size_);
  lower_.setConstant(-kInfinity);
  upper_.setConstant(kInfinity);
  below_.setZero();
  above_.setZero();
  for (const Piece& piece : pieces_) {
    const Doubles& caps = problem.caps(piece.batch);
    for (Index i = 0; i < piece.rows->constraints(); ++i) {
      const LinearRows::Side side = piece.rows->side(i);
      const Index r = piece.begin + side.row;
      if (side.sign > 0) {
        upper_[r] = piece.rows->constant(i);
        above_[r] = caps[i];
      } else {
        lower_[r] = -piece.rows->constant(i);
        below_[r] = caps[i];
      }
    }
  }
}

double SoftTable::largest_price() const { return std::max(below_.maxCoeff(), above_.maxCoeff()); }

std::unique_ptr<SoftTable> SoftTable::copy(const std::vector<Index>& rows) const {
  std::unique_ptr<SoftTable> out(new SoftTable);
  out->own_ = std::make_unique<const DataMatrix>(matrix_of(rows, nullptr));
  out->pieces_.push_back({out->own_.get(), 0, -1, nullptr});
  out->size_ = static_cast<Index>(rows.size());
  out->units_ = units_;
  out->lower_ = lower_(rows);
  out->upper_ = upper_(rows);
  out->below_ = below_(rows);
  out->above_ = above_(rows);
  return out;
}

void SoftTable::charge(Index rows, Index bytes) const {
  if (system_ != nullptr) system_->charge_components(rows, static_cast<double>(bytes));
}

Vector SoftTable::find_units() const {
  const Index n = cols();
  Vector squares = Vector::Zero(n), counts = Vector::Zero(n);
  for (const Piece& piece : pieces_) {
    for (Index r = 0; r < piece.G->rows(); ++r) {
      for_entries(*piece.G, r, [&](Index j, double v) {
        if (v == 0.0) return;
        squares[j] += v * v;
        counts[j] += 1.0;
      });
    }
    charge(piece.G->rows(), piece.G->bytes());
  }
  Vector out = Vector::Ones(n);
  for (Index j = 0; j < n; ++j) {
    if (squares[j] > 0.0 && std::isfinite(squares[j])) out[j] = std::sqrt(counts[j] / squares[j]);
  }
  return out;
}

SoftTable::Sums SoftTable::weighted_sums(double scale) const {
  const Index n = cols();
  Sums out{Vector::Zero(n), Vector::Zero(n)};
  for (const Piece& piece : pieces_) {
    for (Index r = piece.begin; r < piece.begin + piece.G->rows(); ++r) {
      if (above_[r] > 0.0 && below_[r] > 0.0) continue;
      const double price = scale * (above_[r] - below_[r]);
      for_entries(*piece.G, r - piece.begin, [&](Index j, double v) {
        out.sum[j] += price * v;
        out.squares[j] += price * v * (price * v);
      });
    }
    charge(piece.G->rows(), piece.G->bytes());
  }
  return out;
}

const SoftTable::Piece& SoftTable::piece_of(Index r) const {
  const auto after = [](Index row, const Piece& p) { return row < p.begin; };
  return *std::prev(std::upper_bound(pieces_.begin(), pieces_.end(), r, after));
}

// `first`: position of the first of these rows in z, norms and weights.
void SoftTable::read_piece(const Piece& piece, ConstVectorRef x, Rows rows, double* z, double* norms,
                           FunctionRef<double(Index k, double z)> weight, Index first, VectorRef gradient) const {
  const DataMatrix& G = *piece.G;
  const Index bytes = G.bytes(rows);
  const bool in_units = units_.size() > 0;
  const Index per_row = std::max<Index>(1, bytes / std::max<Index>(1, rows.size()));
  const Index block = std::clamp<Index>(kSweepBytes / per_row, 1, kMostSweepRows);
  const auto read = [&](Index k, Index count, double* partial) {
    double* w = parallel::scratch(parallel::Scratch::weights, block);
    const Rows part = rows.slice(k, count);
    double* values = z + first + k;
    double* squares = norms != nullptr ? norms + first + k : nullptr;
    if (G.is_sparse()) {
      G.multiply(x.data(), part, values);
      if (squares != nullptr && !in_units) G.squared_norms(part, squares);
    } else {
      row_products(G.values().data(), G.cols(), part, x.data(), values, in_units ? nullptr : squares);
    }
    for (Index i = 0; i < count; ++i) {
      if (squares != nullptr) squares[i] = std::sqrt(in_units ? weighted_square(G, part[i], units_) : squares[i]);
      w[i] = weight(first + k + i, values[i]);
    }
    G.add_transposed(part, w, partial);
  };
  const parallel::Chunks chunks = parallel::make_chunks(rows.size(), bytes, kSweepChunks);
  const void* data = rows.contiguous() ? G.values().data() : nullptr;  // solves that read all rows may do it together
  parallel::reduce_blocks({chunks, block, gradient.size(), read, gradient.data(), static_cast<double>(bytes)}, data);
  charge(rows.size(), bytes);
}

void SoftTable::read(ConstVectorRef x, const std::vector<Index>& rows, double* z, double* norms,
                     FunctionRef<double(Index k, double z)> weight, VectorRef gradient) const {
  std::vector<Index> local;
  for (std::size_t k = 0; k < rows.size();) {
    const Piece& piece = piece_of(rows[k]);
    const Index end = piece.begin + piece.G->rows();
    const std::size_t first = k;
    local.clear();
    for (; k < rows.size() && rows[k] < end; ++k) local.push_back(rows[k] - piece.begin);
    read_piece(piece, x, Rows::list(local), z, norms, weight, static_cast<Index>(first), gradient);
  }
}

void SoftTable::read_all(ConstVectorRef x, double* z, double* norms, FunctionRef<double(Index k, double z)> weight,
                         VectorRef gradient) const {
  for (const Piece& piece : pieces_) {
    read_piece(piece, x, Rows::range(0, piece.G->rows()), z, norms, weight, piece.begin, gradient);
  }
}

// signs: of each row; null: 1.
DataMatrix SoftTable::matrix_of(const std::vector<Index>& rows, const double* signs) const {
  const Index n = cols();
  const bool sparse = std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& p) { return p.G->is_sparse(); });
  std::vector<double> values;
  std::vector<Index> starts{0}, columns;
  if (!sparse) values.reserve(rows.size() * static_cast<std::size_t>(n));
  Index bytes = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Piece& piece = piece_of(rows[k]);
    const Index r = rows[k] - piece.begin;
    const double sign = signs != nullptr ? signs[k] : 1.0;
    for_entries(*piece.G, r, [&](Index j, double v) {
      values.push_back(sign * v);
      if (sparse) columns.push_back(j);
    });
    starts.push_back(static_cast<Index>(values.size()));
    bytes += piece.G->bytes(Rows::range(r, 1));
  }
  const auto count = static_cast<Index>(rows.size());
  charge(count, bytes);
  return sparse ? DataMatrix::csr(count, n, std::move(starts), std::move(columns), std::move(values))
                : DataMatrix::dense(count, n, std::move(values));
}

BatchPtr SoftTable::gather(const std::vector<Index>& rows, const std::vector<double>& signs,
                           std::vector<double> constants) const {
  return linear_le(matrix_of(rows, signs.data()), std::move(constants));
}

void SoftTable::spread(ConstVectorRef slopes, double theta, VectorRef multipliers) const {
  for (const Piece& piece : pieces_) {
    const Index begin = system_->segment_begin(piece.batch);
    parallel::for_range(piece.rows->constraints(), [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const LinearRows::Side side = piece.rows->side(i);
        const Index r = piece.begin + side.row;
        const double price = theta * (side.sign > 0 ? above_[r] : below_[r]);
        multipliers[begin + i] = std::clamp(side.sign * slopes[r], 0.0, price);
      }
    });
  }
}

}  // namespace pliant
