#include "rows/gather_rows.hpp"

#include "cones/spectral.hpp"
#include "constraints/linear.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/quadratic.hpp"
#include "constraints/rank_one.hpp"

#include <fmt/format.h>

namespace pliant {
namespace {

// Collects listed rows of matrices of one kind.
class MatrixRows {
 public:
  void append(const DataMatrix& all, Index row) {
    const bool sparse = all.is_sparse();
    const Index begin = sparse ? all.starts()[row] : row * all.cols();
    const Index end = sparse ? all.starts()[row + 1] : begin + all.cols();
    values_.insert(values_.end(), all.values().data() + begin, all.values().data() + end);
    if (sparse) columns_.insert(columns_.end(), all.columns().data() + begin, all.columns().data() + end);
    starts_.push_back(static_cast<Index>(values_.size()));
  }
  DataMatrix take(Index cols, bool sparse) {
    const auto rows = static_cast<Index>(starts_.size()) - 1;
    if (!sparse) return DataMatrix::dense(rows, cols, Doubles(std::move(values_)));
    return DataMatrix::csr(rows, cols, Indices(std::move(starts_)), Indices(std::move(columns_)),
                           Doubles(std::move(values_)));
  }

 private:
  std::vector<double> values_;
  std::vector<Index> starts_{0}, columns_;
};

using Pieces = std::span<const RowPiece>;

template <class Batch>
const Batch& as(const RowPiece& piece) {
  return dynamic_cast<const Batch&>(*piece.batch);
}

// f(batch, row) for every row of every piece.
template <class Batch, class F>
void for_each_row(Pieces pieces, const F& f) {
  for (const RowPiece& piece : pieces) {
    for (const Index row : piece.rows) f(as<Batch>(piece), row);
  }
}

// `width` numbers for every row, out of an array of the batch.
template <class Batch, class Array>
Doubles collect(Pieces pieces, Index width, const Array& array) {
  std::vector<double> out;
  for_each_row<Batch>(pieces, [&](const Batch& batch, Index row) {
    const double* begin = array(batch).data() + row * width;
    out.insert(out.end(), begin, begin + width);
  });
  return Doubles(std::move(out));
}

Index count_rows(Pieces pieces) {
  Index count = 0;
  for (const RowPiece& piece : pieces) count += static_cast<Index>(piece.rows.size());
  return count;
}

// Sides that are not listed become infinite; rows without any are left out.
BatchPtr join_two_sided(Pieces pieces) {
  MatrixRows rows;
  std::vector<double> lo, hi;
  for (const RowPiece& piece : pieces) {
    Index previous = -1;
    for (const Index i : piece.rows) {
      const auto& all = as<LinearBatch>(piece);
      const LinearBatch::Side side = all.side(i);
      if (side.row != previous) {
        rows.append(all.matrix(), side.row);
        lo.push_back(-kInfinity);
        hi.push_back(kInfinity);
      }
      previous = side.row;
      if (side.sign > 0.0) hi.back() = all.upper()[side.row];
      if (side.sign < 0.0) lo.back() = all.lower()[side.row];
    }
  }
  const DataMatrix& first = as<LinearBatch>(pieces.front()).matrix();
  return linear_range(Doubles(std::move(lo)), rows.take(first.cols(), first.is_sparse()), Doubles(std::move(hi)));
}

BatchPtr join_linear(Pieces pieces) {
  const auto& first = as<LinearBatch>(pieces.front());
  if (first.two_sided()) return join_two_sided(pieces);
  MatrixRows rows;
  for_each_row<LinearBatch>(pieces, [&](const LinearBatch& b, Index i) { rows.append(b.matrix(), i); });
  return linear_le(rows.take(first.dimension(), first.matrix().is_sparse()),
                   collect<LinearBatch>(
                       pieces, 1, [](const LinearBatch& b) -> auto& { return b.upper(); }));
}

// `data(batch)`: the numbers of the forms, `width` for each row; make(count, data, q, r).
template <class Batch, class Data, class Make>
BatchPtr join_quadratic(Pieces pieces, Index width, const Data& data, const Make& make) {
  const Index n = pieces.front().batch->dimension();
  return make(count_rows(pieces), n, collect<Batch>(pieces, width, data),
              collect<Batch>(
                  pieces, n, [](const Batch& b) -> auto& { return b.q(); }),
              collect<Batch>(
                  pieces, 1, [](const Batch& b) -> auto& { return b.r(); }));
}

BatchPtr join_log_sum_exp(Pieces pieces) {
  const auto& first = as<LogSumExpBatch>(pieces.front());
  const Index n = first.dimension(), terms = first.terms();
  return log_sum_exp_le(count_rows(pieces), n, terms,
                        collect<LogSumExpBatch>(
                            pieces, terms * n, [](const LogSumExpBatch& b) -> auto& { return b.A(); }),
                        collect<LogSumExpBatch>(
                            pieces, terms, [](const LogSumExpBatch& b) -> auto& { return b.b(); }));
}

BatchPtr join_rank_one(Pieces pieces) {
  const auto& first = as<RankOneBatch>(pieces.front());
  return std::make_shared<RankOneBatch>(
      count_rows(pieces), first.order(), first.lifted(),
      collect<RankOneBatch>(
          pieces, first.width(), [](const RankOneBatch& b) -> auto& { return b.points(); }),
      collect<RankOneBatch>(
          pieces, 1, [](const RankOneBatch& b) -> auto& { return b.b(); }));
}

// Rows are eigenvalues, `rank` for each cone; what is copied are the rows of G and h behind whole cones.
BatchPtr join_cones(Pieces pieces) {
  const ConeBlock& first = as<SpectralBatch>(pieces.front()).cones();
  const ConeShape shape = first.shape();
  MatrixRows rows;
  std::vector<double> h;
  Index cones = 0;
  const Vector origin = Vector::Zero(first.dimension());
  for_each_row<SpectralBatch>(pieces, [&](const SpectralBatch& batch, Index i) {
    if (i % shape.rank != 0) return;
    const Index cone = i / shape.rank;
    const Rows behind = batch.cones().rows(cone, 1);
    for (Index k = 0; k < behind.size(); ++k) rows.append(batch.cones().matrix(), behind[k]);
    h.resize(h.size() + static_cast<std::size_t>(shape.rows));
    batch.cones().slack(cone, 1, origin.data(), h.data() + cones * shape.rows);  // h - G 0, exactly h
    ++cones;
  });
  constexpr bool kTrusted = true;  // checked where they come from
  return std::make_shared<SpectralBatch>(ConeBlock(rows.take(first.dimension(), first.matrix().is_sparse()),
                                                   Doubles(std::move(h)), 0, cones, shape, kTrusted));
}

// Null: not copyable.
BatchPtr join(Pieces pieces) {
  const ConstraintBatch& first = *pieces.front().batch;
  const Index n = first.dimension();
  if (dynamic_cast<const LinearBatch*>(&first) != nullptr) return join_linear(pieces);
  if (dynamic_cast<const QuadraticDenseBatch*>(&first) != nullptr) {
    return join_quadratic<QuadraticDenseBatch>(
        pieces, n * n, [](const QuadraticDenseBatch& b) -> auto& { return b.P(); }, quadratic_le);
  }
  if (const auto* low = dynamic_cast<const QuadraticLowRankBatch*>(&first)) {
    return join_quadratic<QuadraticLowRankBatch>(
        pieces, low->rank() * n, [](const QuadraticLowRankBatch& b) -> auto& { return b.factors(); },
        [rank = low->rank()](Index m, Index dimension, Doubles B, Doubles q, Doubles r) {
          return quadratic_lowrank_le(m, dimension, rank, std::move(B), std::move(q), std::move(r));
        });
  }
  if (dynamic_cast<const QuadraticDiagonalBatch*>(&first) != nullptr) {
    return join_quadratic<QuadraticDiagonalBatch>(
        pieces, n, [](const QuadraticDiagonalBatch& b) -> auto& { return b.diagonals(); }, quadratic_diagonal_le);
  }
  if (dynamic_cast<const LogSumExpBatch*>(&first) != nullptr) return join_log_sum_exp(pieces);
  if (dynamic_cast<const RankOneBatch*>(&first) != nullptr) return join_rank_one(pieces);
  if (dynamic_cast<const SpectralBatch*>(&first) != nullptr) return join_cones(pieces);
  return nullptr;
}

}  // namespace

bool copyable(const ConstraintBatch& batch) {
  return dynamic_cast<const LinearBatch*>(&batch) != nullptr ||
         dynamic_cast<const LogSumExpBatch*>(&batch) != nullptr ||
         dynamic_cast<const QuadraticDenseBatch*>(&batch) != nullptr ||
         dynamic_cast<const QuadraticLowRankBatch*>(&batch) != nullptr ||
         dynamic_cast<const QuadraticDiagonalBatch*>(&batch) != nullptr ||
         dynamic_cast<const RankOneBatch*>(&batch) != nullptr || dynamic_cast<const SpectralBatch*>(&batch) != nullptr;
}

BatchPtr join_rows(std::span<const RowPiece> pieces) {
  BatchPtr joined = join(pieces);
  if (joined == nullptr) {
    throw InputError(fmt::format("constraint batch of family {}: its rows are not data and cannot be gathered",
                                 pieces.front().batch->family()));
  }
  joined->name = pieces.front().batch->name;
  return joined;
}

DataMatrix copy_rows(const DataMatrix& all, const std::vector<Index>& rows) {
  MatrixRows copied;
  for (const Index row : rows) copied.append(all, row);
  return copied.take(all.cols(), all.is_sparse());
}

}  // namespace pliant
