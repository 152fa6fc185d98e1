#include "rows/streamed_rows.hpp"

#include "constraints/linear.hpp"
#include "pliant/constraints.hpp"
#include "rows/row_knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

/// Collects rows of blocks.
class CollectedRows {
 public:
  void append(const LinearRows& rows, Index i) {
    const DataMatrix& G = rows.matrix();
    sparse_ = G.is_sparse();
    const Index row = rows.side(i).row;
    const Index begin = sparse_ ? G.starts()[row] : row * G.cols();
    const Index end = sparse_ ? G.starts()[row + 1] : begin + G.cols();
    values_.insert(values_.end(), G.values().data() + begin, G.values().data() + end);
    if (sparse_) columns_.insert(columns_.end(), G.columns().data() + begin, G.columns().data() + end);
    starts_.push_back(static_cast<Index>(values_.size()));
    h_.push_back(rows.constant(i));
  }
  BatchPtr take(Index n) {
    const auto m = static_cast<Index>(h_.size());
    DataMatrix G = sparse_ ? DataMatrix::csr(m, n, std::move(starts_), std::move(columns_), std::move(values_))
                           : DataMatrix::dense(m, n, std::move(values_));
    return finite_linear_le(std::move(G), std::move(h_));
  }

 private:
  bool sparse_ = false;
  std::vector<double> values_, h_;
  std::vector<Index> starts_{0}, columns_;
};

// The blocks of one walk.
class Walk {
 public:
  explicit Walk(const BlockSource& source) : next_(source()) {}
  /// Null behind the last one.
  BatchPtr next() {
    DataMatrix G;
    Doubles h;
    if (!next_(G, h)) return nullptr;
    if (h.size() != G.rows()) {
      throw InputError(
          fmt::format("block {}: h: expected {} numbers, one for each row of G, got {}", number_, G.rows(), h.size()));
    }
    ++number_;
    return linear_le(std::move(G), std::move(h));
  }
  Index number() const { return number_; }

 private:
  NextBlock next_;
  Index number_ = 0;  // of the block to come
};

}  // namespace

StreamedRows::StreamedRows(BlockSource source) : source_(std::move(source)) {
  Walk walk(source_);
  while (const BatchPtr block = walk.next()) {
    const Index number = walk.number() - 1;
    if (number == 0) columns_ = block->dimension();
    if (block->dimension() != columns_) {
      throw InputError(fmt::format("block {}: {} columns, but block 0 has {}", number, block->dimension(), columns_));
    }
    try {
      block->validate();
    } catch (const InputError& error) {
      throw InputError(fmt::format("block {}: {}", number, error.what()));
    }
    begins_.push_back(begins_.back() + block->size());
    bytes_ += block->bytes(Rows::range(0, block->size()));
    constant_scale_ = std::max(constant_scale_, block->constant_scale());
  }
  if (begins_.size() == 1) throw InputError("blocks: expected at least one");
}

BatchStructure StreamedRows::structure() const {
  BatchStructure out;
  out.linear = true;
  return out;
}

// On average.
Index StreamedRows::bytes(Rows rows) const {
  return static_cast<Index>(static_cast<double>(bytes_) * static_cast<double>(rows.size()) /
                            static_cast<double>(std::max<Index>(1, size())));
}

template <class F>
void StreamedRows::for_blocks(Rows rows, const F& f) const {
  Walk walk(source_);
  Index position = 0;
  for (std::size_t b = 0; b + 1 < begins_.size() && position < rows.size(); ++b) {
    const BatchPtr block = walk.next();
    if (block == nullptr || block->size() != begins_[b + 1] - begins_[b]) {
      throw InputError(fmt::format("block {}: {} rows, but there were {} the first time", b,
                                   block == nullptr ? 0 : block->size(), begins_[b + 1] - begins_[b]));
    }
    std::vector<Index> local;
    for (Index k = position; k < rows.size() && rows[k] < begins_[b + 1]; ++k) local.push_back(rows[k] - begins_[b]);
    if (local.empty()) continue;
    const auto count = static_cast<Index>(local.size());
    f(*block, begins_[b], count == block->size() ? Rows::range(0, count) : Rows::list(local), position);
    position += count;
  }
}

void StreamedRows::read_bounds(ConstVectorRef x, Rows rows, VectorRef a, VectorRef norms, double* smoothness) const {
  kept_.clear();
  least_kept_ = -kInfinity;
  for_blocks(rows, [&](const ConstraintBatch& block, Index begin, Rows local, Index position) {
    auto own_a = a.segment(position, local.size());
    auto own_norms = norms.segment(position, local.size());
    block.read_bounds(x, local, own_a, own_norms, smoothness != nullptr ? smoothness + position : nullptr);
    keep(block, begin, local, own_a, own_norms);
  });
}

void StreamedRows::read_values(ConstVectorRef x, Rows rows, VectorRef a, const WeightedGradient* sum) const {
  if (sum != nullptr) return copy(rows)->read_values(x, Rows::range(0, rows.size()), a, sum);
  Vector norms(rows.size());  // say which rows are farthest
  read_bounds(x, rows, a, norms, nullptr);
}

// Of use on few rows.
void StreamedRows::read_slopes(ConstVectorRef x, ConstVectorRef d, Rows rows, VectorRef slope,
                               const WeightedGradient* sum) const {
  copy(rows)->read_slopes(x, d, Rows::range(0, rows.size()), slope, sum);
}

void StreamedRows::read_derivatives(ConstVectorRef x, Rows rows, const DerivativeSums& sums) const {
  copy(rows)->read_derivatives(x, Rows::range(0, rows.size()), sums);
}

void StreamedRows::prepare_line(ConstVectorRef x, ConstVectorRef d, Rows rows, LineModel& line) const {
  copy(rows)->prepare_line(x, d, Rows::range(0, rows.size()), line);
}

// Copies are made of rows that are among the farthest so far, and the others let go when they have become too many.
void StreamedRows::keep(const ConstraintBatch& block, Index begin, Rows local, ConstVectorRef a,
                        ConstVectorRef norms) const {
  if (most_kept_ == 0) return;
  const auto most = static_cast<std::size_t>(most_kept_);
  for (Index k = 0; k < local.size(); ++k) {
    const double distance = row_distance(a[k], norms[k], 0.0);
    if (distance < least_kept_) continue;
    CollectedRows row;
    row.append(*block.linear_rows(), local[k]);
    kept_.push_back({distance, begin + local[k], row.take(columns_)});
    if (kept_.size() < 2 * most) continue;
    const auto last = kept_.begin() + static_cast<std::ptrdiff_t>(most);
    std::nth_element(kept_.begin(), last, kept_.end(),
                     [](const Kept& u, const Kept& v) { return u.distance > v.distance; });
    kept_.erase(last, kept_.end());
    least_kept_ = std::min_element(kept_.begin(), kept_.end(), [](const Kept& u, const Kept& v) {
                    return u.distance < v.distance;
                  })->distance;
  }
}

// Where they are sorted by row.
const StreamedRows::Kept* StreamedRows::find_kept(Index row) const {
  const auto found =
      std::lower_bound(kept_.begin(), kept_.end(), row, [](const Kept& k, Index wanted) { return k.row < wanted; });
  return found == kept_.end() || found->row != row ? nullptr : &*found;
}

BatchPtr StreamedRows::copy(Rows rows) const {
  std::sort(kept_.begin(), kept_.end(), [](const Kept& u, const Kept& v) { return u.row < v.row; });
  CollectedRows out;
  std::vector<const Kept*> found;
  for (Index k = 0; k < rows.size() && static_cast<Index>(found.size()) == k; ++k) {
    if (const Kept* kept = find_kept(rows[k])) found.push_back(kept);
  }
  if (static_cast<Index>(found.size()) == rows.size()) {
    for (const Kept* kept : found) out.append(*kept->data->linear_rows(), 0);
  } else {
    for_blocks(rows, [&](const ConstraintBatch& block, Index, Rows local, Index) {
      for (Index k = 0; k < local.size(); ++k) out.append(*block.linear_rows(), local[k]);
    });
  }
  return out.take(columns_);
}

}  // namespace pliant
