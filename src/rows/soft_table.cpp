#include "rows/soft_table.hpp"

#include "linalg/row_products.hpp"
#include "parallel/long_vectors.hpp"
#include "parallel/shared_reads.hpp"
#include "pliant/constraints.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

// Squares below this may have lost digits, or all of them: 2^-1075 in each of up to 1e9 is 1e-15 of it at most.
constexpr double kLeastSquare = 1e-290;
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

// The same root where squares are no numbers to speak of: of entries divided by the largest.
double norm_of_tiny(const DataMatrix& G, Index row, const Vector& units) {
  const auto entry = [&](Index j, double v) { return std::abs(units.size() > 0 ? units[j] * v : v); };
  double largest = 0.0, sum = 0.0;
  for_entries(G, row, [&](Index j, double v) { largest = std::max(largest, entry(j, v)); });
  if (largest == 0.0) return 0.0;
  for_entries(G, row, [&](Index j, double v) { sum += (entry(j, v) / largest) * (entry(j, v) / largest); });
  return largest * std::sqrt(sum);
}

// z = g'x and the norms in these units, which may be null. A norm of 0 says that z is constant, of rows of zeros alone.
void measure_rows(const DataMatrix& G, const Vector& units, ConstVectorRef x, Rows rows, double* z, double* norms) {
  const bool in_units = units.size() > 0;
  if (G.is_sparse()) {
    G.multiply(x.data(), rows, z);
    if (norms != nullptr && !in_units) G.squared_norms(rows, norms);
  } else {
    row_products(G.values().data(), G.cols(), rows, x.data(), z, in_units ? nullptr : norms);
  }
  for (Index i = 0; norms != nullptr && i < rows.size(); ++i) {
    const double square = in_units ? weighted_square(G, rows[i], units) : norms[i];
    norms[i] = square < kLeastSquare ? norm_of_tiny(G, rows[i], units) : std::sqrt(square);
  }
}

}  // namespace

double SoftRow::distance(double z) const {
  double nearest = kInfinity;
  if (above > 0.0) nearest = std::min(nearest, std::abs(z - upper));
  if (below > 0.0) nearest = std::min(nearest, std::abs(z - lower));
  return nearest;
}

SoftNumbers SoftNumbers::of(const std::vector<Index>& rows) const {
  if (each_.empty()) return *this;
  Vector out;
  parallel::resize(out, static_cast<Index>(rows.size()));
  parallel::for_range(out.size(), [&](Index begin, Index end) {
    for (Index k = begin; k < end; ++k) out[k] = each_[rows[static_cast<std::size_t>(k)]];
  });
  return SoftNumbers(parallel::shared(std::move(out)));
}

double SoftNumbers::largest() const {
  if (each_.empty()) return all_;
  const auto largest_of = [&](Index begin, Index end) {
    return *std::max_element(each_.data() + begin, each_.data() + end);
  };
  const std::vector<double> parts = parallel::parts<double>(each_.size(), largest_of);
  return *std::max_element(parts.begin(), parts.end());
}

Vector SoftNumbers::first(Index count) const {
  return each_.empty() ? Vector::Constant(count, all_) : Vector(Eigen::Map<const Vector>(each_.data(), count));
}

SoftTable::SoftTable(const Problem& problem, ConstraintSystem& system) : system_(&system) {
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    if (problem.caps(static_cast<Index>(b)).empty()) continue;
    const LinearRows* rows = problem.batches()[b]->linear_rows();
    pieces_.push_back({&rows->matrix(), size_, static_cast<Index>(b), rows});
    size_ += rows->matrix().rows();
  }
  collect_prices(problem);
  largest_price_ = sides_.largest_price();
}

// One batch of rows with one side has its numbers already: they are as long as a column of the data.
void SoftTable::collect_prices(const Problem& problem) {
  if (pieces_.size() == 1 && !pieces_.front().rows->two_sided()) {
    sides_.lower = SoftNumbers(-kInfinity);
    sides_.below = SoftNumbers(0.0);
    sides_.upper = SoftNumbers(pieces_.front().rows->upper());
    sides_.above = SoftNumbers(problem.caps(pieces_.front().batch));
    return;
  }
  const auto size = static_cast<std::size_t>(size_);
  std::vector<double> lower(size, -kInfinity), upper(size, kInfinity), below(size, 0.0), above(size, 0.0);
  for (const Piece& piece : pieces_) {
    const Doubles& caps = problem.caps(piece.batch);
    parallel::for_range(piece.rows->constraints(), [&](Index begin, Index end) {
      for (Index i = begin; i < end; ++i) {
        const LinearRows::Side side = piece.rows->side(i);
        const auto r = static_cast<std::size_t>(piece.begin + side.row);
        (side.sign > 0 ? upper : lower)[r] = side.sign * piece.rows->constant(i);
        (side.sign > 0 ? above : below)[r] = caps[i];
      }
    });
  }
  sides_.lower = SoftNumbers(Doubles(std::move(lower)));
  sides_.upper = SoftNumbers(Doubles(std::move(upper)));
  sides_.below = SoftNumbers(Doubles(std::move(below)));
  sides_.above = SoftNumbers(Doubles(std::move(above)));
}

SoftTable::SoftTable(const DataMatrix& G, SoftSides sides)
    : pieces_{{&G, 0, -1, nullptr}},
      size_(G.rows()),
      sides_(std::move(sides)),
      largest_price_(size_ > 0 ? sides_.largest_price() : 0.0) {}

SoftTable::SoftTable(DataMatrix&& copies, SoftSides sides)
    : size_(copies.rows()), sides_(std::move(sides)), largest_price_(size_ > 0 ? sides_.largest_price() : 0.0) {
  own_.push_back(std::make_shared<const DataMatrix>(std::move(copies)));
  pieces_.push_back({own_.front().get(), 0, -1, nullptr});
}

std::unique_ptr<SoftTable> SoftTable::copy(const std::vector<Index>& rows) const {
  SoftSides sides{sides_.lower.of(rows), sides_.upper.of(rows), sides_.below.of(rows), sides_.above.of(rows)};
  auto out = std::make_unique<SoftTable>(matrix_of(rows, nullptr), std::move(sides));
  out->units_ = units_;
  return out;
}

std::unique_ptr<SoftTable> SoftTable::copy_all() const {
  std::vector<Index> rows(static_cast<std::size_t>(size_));
  std::iota(rows.begin(), rows.end(), Index{0});
  return copy(rows);
}

void SoftTable::append(const SoftTable& more) {
  const auto join = [&](const SoftNumbers& added, SoftNumbers& to) {
    Vector all(size_ + more.size_);
    all << to.first(size_), added.first(more.size_);
    to = SoftNumbers(to_array(all));
  };
  join(more.sides_.lower, sides_.lower);
  join(more.sides_.upper, sides_.upper);
  join(more.sides_.below, sides_.below);
  join(more.sides_.above, sides_.above);
  for (const Piece& piece : more.pieces_) pieces_.push_back({piece.G, size_ + piece.begin, -1, nullptr});
  own_.insert(own_.end(), more.own_.begin(), more.own_.end());
  size_ += more.size_;
  largest_price_ = std::max(largest_price_, more.largest_price_);
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
      if (sides_.above[r] > 0.0 && sides_.below[r] > 0.0) continue;
      const double price = scale * (sides_.above[r] - sides_.below[r]);
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

void SoftTable::measure(ConstVectorRef x, Rows rows, double* z, double* norms) const {
  measure_rows(matrix(), units_, x, rows, z, norms);
}

// `first`: position of the first of these rows among all that are read.
double SoftTable::read_piece(const Piece& piece, ConstVectorRef x, Rows rows, Visit visit, Index first,
                             VectorRef gradient) const {
  const DataMatrix& G = *piece.G;
  const Index n = gradient.size(), bytes = G.bytes(rows);
  const Index per_row = std::max<Index>(1, bytes / std::max<Index>(1, rows.size()));
  const Index block = std::clamp<Index>(kSweepBytes / per_row, 1, kMostSweepRows);
  const auto read = [&](Index k, Index count, double* partial) {
    double* z = parallel::scratch(parallel::Scratch::values, 2 * block);
    double* w = parallel::scratch(parallel::Scratch::weights, block);
    const Rows part = rows.slice(k, count);
    measure_rows(G, units_, x, part, z, z + block);
    partial[n] += visit({first + k, count, z, z + block}, w);
    G.add_transposed(part, w, partial);
  };
  const parallel::Chunks chunks = parallel::make_chunks(rows.size(), bytes, kSweepChunks);
  const void* data = rows.contiguous() ? G.values().data() : nullptr;  // solves that read all rows may do it together
  Vector sums = Vector::Zero(n + 1);
  sums.head(n) = gradient;
  parallel::reduce_blocks({chunks, block, n + 1, read, sums.data(), static_cast<double>(bytes)}, data);
  charge(rows.size(), bytes);
  gradient = sums.head(n);
  return sums[n];
}

double SoftTable::read(ConstVectorRef x, const std::vector<Index>& rows, Visit visit, VectorRef gradient) const {
  double sum = 0.0;
  std::vector<Index> local;
  for (std::size_t k = 0; k < rows.size();) {
    const Piece& piece = piece_of(rows[k]);
    const Index end = piece.begin + piece.G->rows();
    const std::size_t first = k;
    local.clear();
    for (; k < rows.size() && rows[k] < end; ++k) local.push_back(rows[k] - piece.begin);
    sum += read_piece(piece, x, Rows::list(local), visit, static_cast<Index>(first), gradient);
  }
  return sum;
}

double SoftTable::read_all(ConstVectorRef x, Visit visit, VectorRef gradient) const {
  double sum = 0.0;
  for (const Piece& piece : pieces_) {
    sum += read_piece(piece, x, Rows::range(0, piece.G->rows()), visit, piece.begin, gradient);
  }
  return sum;
}

Vector SoftTable::products(ConstVectorRef x, const std::vector<Index>& rows, Vector* norms) const {
  Vector z(static_cast<Index>(rows.size())), unused = Vector::Zero(x.size());
  if (norms != nullptr) norms->resize(z.size());
  const auto store = [&](const Block& block, double* w) {
    std::copy_n(block.z, block.count, z.data() + block.first);
    if (norms != nullptr) std::copy_n(block.norms, block.count, norms->data() + block.first);
    std::fill_n(w, block.count, 0.0);
    return 0.0;
  };
  read(x, rows, store, unused);
  return z;
}

// signs: of each row; null: 1. measured: null: nothing.
DataMatrix SoftTable::matrix_of(const std::vector<Index>& rows, const double* signs, Measured* measured) const {
  const bool sparse = std::any_of(pieces_.begin(), pieces_.end(), [](const Piece& p) { return p.G->is_sparse(); });
  const Index n = cols();
  const auto count = static_cast<Index>(rows.size());
  const auto sign = [&](std::size_t k) { return signs != nullptr ? signs[k] : 1.0; };
  if (measured != nullptr) {
    for (Vector* v : {&measured->values, &measured->norms}) parallel::resize(*v, count);
  }
  const auto measure_row = [&](const Piece& piece, Index r, Index k) {
    if (measured == nullptr) return;
    const Rows row = Rows::range(r - piece.begin, 1);
    measure_rows(*piece.G, units_, measured->x, row, measured->values.data() + k, measured->norms.data() + k);
  };
  if (!sparse) {
    const Index bytes = count * n * static_cast<Index>(sizeof(double));
    Vector values;  // a sample of all rows may be hundreds of megabytes
    parallel::resize(values, count * n);
    parallel::for_range_of(count, bytes, [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const Piece& piece = piece_of(rows[at]);
        const double* row = piece.G->values().data() + (rows[at] - piece.begin) * n;
        std::transform(row, row + n, values.data() + k * n, [s = sign(at)](double v) { return s * v; });
        measure_row(piece, rows[at], k);
      }
    });
    charge(count, bytes);
    return DataMatrix::dense(count, n, parallel::shared(std::move(values)));
  }
  std::vector<double> values;
  std::vector<Index> starts{0}, columns;
  Index bytes = 0;
  for (std::size_t k = 0; k < rows.size(); ++k) {
    const Piece& piece = piece_of(rows[k]);
    const Index r = rows[k] - piece.begin;
    for_entries(*piece.G, r, [&](Index j, double v) {
      values.push_back(sign(k) * v);
      columns.push_back(j);
    });
    starts.push_back(static_cast<Index>(values.size()));
    measure_row(piece, rows[k], static_cast<Index>(k));
    bytes += piece.G->bytes(Rows::range(r, 1));
  }
  charge(count, bytes);
  return DataMatrix::csr(count, n, std::move(starts), std::move(columns), std::move(values));
}

BatchPtr SoftTable::gather(const std::vector<Index>& rows, const std::vector<double>& signs,
                           std::vector<double> constants, Measured* measured) const {
  return linear_le(matrix_of(rows, signs.data(), measured), std::move(constants));
}

// The constraints of a batch are in the order of their rows: a chunk of them goes along a part of the list.
void SoftTable::spread(const Slopes& slopes, double theta, VectorRef multipliers) const {
  for (const Piece& piece : pieces_) {
    const Index begin = system_->segment_begin(piece.batch);
    parallel::for_range(piece.rows->constraints(), [&](Index first, Index last) {
      const Index first_row = piece.begin + piece.rows->side(first).row;
      auto next = std::lower_bound(slopes.rows.begin(), slopes.rows.end(), first_row);
      for (Index i = first; i < last; ++i) {
        const LinearRows::Side side = piece.rows->side(i);
        const Index r = piece.begin + side.row;
        while (next != slopes.rows.end() && *next < r) ++next;
        const bool listed = next != slopes.rows.end() && *next == r;
        const double slope = listed ? slopes.of_rows[next - slopes.rows.begin()]
                                    : theta * row(r).slope(static_cast<SoftState>(slopes.states[r]));
        const double price = theta * (side.sign > 0 ? sides_.above[r] : sides_.below[r]);
        multipliers[begin + i] = std::clamp(side.sign * slope, 0.0, price);
      }
    });
  }
}

}  // namespace pliant
