#include "rows/gather_rows.hpp"

#include "cones/spectral.hpp"
#include "constraints/linear.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/rank_one.hpp"
#include "parallel/long_vectors.hpp"
#include "pliant/constraints.hpp"
#include "rows/streamed_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <numeric>

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

const LinearRows& linear(const RowPiece& piece) { return *piece.batch->structure().linear_rows; }
const QuadraticRows& quadratic(const RowPiece& piece) { return *piece.batch->structure().quadratic_rows; }
const RankOneBatch& rank_one(const RowPiece& piece) { return *piece.batch->structure().rank_one; }
const ConeBlock& cones(const RowPiece& piece) { return piece.batch->structure().eigenvalues->cones(); }
const LogSumExpBatch& log_sum_exp(const RowPiece& piece) { return dynamic_cast<const LogSumExpBatch&>(*piece.batch); }

Index count_rows(Pieces pieces) {
  Index count = 0;
  for (const RowPiece& piece : pieces) count += static_cast<Index>(piece.rows.size());
  return count;
}

// `width` numbers for every row, out of an array of each piece: written once, by all threads.
template <class Array>
Doubles collect(Pieces pieces, Index width, const Array& array) {
  const Index total = count_rows(pieces) * width;
  const std::shared_ptr<double[]> out = std::make_shared_for_overwrite<double[]>(static_cast<std::size_t>(total));
  double* next = out.get();
  for (const RowPiece& piece : pieces) {
    const double* numbers = array(piece).data();
    const auto count = static_cast<Index>(piece.rows.size());
    parallel::for_range_of(count, count * width * static_cast<Index>(sizeof(double)), [&](Index begin, Index end) {
      for (Index k = begin; k < end; ++k) {
        std::copy_n(numbers + piece.rows[static_cast<std::size_t>(k)] * width, width, next + k * width);
      }
    });
    next += count * width;
  }
  return {out.get(), total, out};
}

// Sides that are not listed become infinite; rows without any are left out.
BatchPtr join_two_sided(Pieces pieces) {
  MatrixRows rows;
  std::vector<double> lo, hi;
  for (const RowPiece& piece : pieces) {
    Index previous = -1;
    for (const Index i : piece.rows) {
      const LinearRows& all = linear(piece);
      const LinearRows::Side side = all.side(i);
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
  const DataMatrix& first = linear(pieces.front()).matrix();
  return linear_range(Doubles(std::move(lo)), rows.take(first.cols(), first.is_sparse()), Doubles(std::move(hi)));
}

BatchPtr join_linear(Pieces pieces) {
  const LinearRows& first = linear(pieces.front());
  if (first.two_sided()) return join_two_sided(pieces);
  Doubles upper = collect(
      pieces, 1, [](const RowPiece& p) -> auto& { return linear(p).upper(); });
  const Index n = first.matrix().cols();
  if (!first.matrix().is_sparse()) {
    Doubles values = collect(
        pieces, n, [](const RowPiece& p) -> auto& { return linear(p).matrix().values(); });
    return finite_linear_le(DataMatrix::dense(count_rows(pieces), n, std::move(values)), std::move(upper));
  }
  MatrixRows rows;
  for (const RowPiece& piece : pieces) {
    for (const Index i : piece.rows) rows.append(linear(piece).matrix(), i);
  }
  return finite_linear_le(rows.take(n, true), std::move(upper));
}

BatchPtr join_quadratic(Pieces pieces) {
  const QuadraticRows& first = quadratic(pieces.front());
  const Index m = count_rows(pieces), n = first.n, rank = first.rank;
  const auto data = [&](Index width) {
    return collect(
        pieces, width, [](const RowPiece& p) -> auto& { return quadratic(p).data; });
  };
  const Tensor q({m, n}, collect(
                             pieces, n, [](const RowPiece& p) -> auto& { return quadratic(p).q; }));
  const Doubles r = collect(
      pieces, 1, [](const RowPiece& p) -> auto& { return quadratic(p).r; });
  switch (first.form) {
    case QuadraticRows::Form::whole:
      return quadratic_le(Tensor({m, n, n}, data(n * n)), q, r);
    case QuadraticRows::Form::factored:
      return quadratic_lowrank_le(Tensor({m, rank, n}, data(rank * n)), q, r);
    case QuadraticRows::Form::diagonal:
      return quadratic_diagonal_le(Tensor({m, n}, data(n)), q, r);
  }
  return nullptr;
}

BatchPtr join_log_sum_exp(Pieces pieces) {
  const LogSumExpBatch& first = log_sum_exp(pieces.front());
  const Index m = count_rows(pieces), n = first.dimension(), terms = first.terms();
  return log_sum_exp_le(
      Tensor({m, terms, n}, collect(
                                pieces, terms * n, [](const RowPiece& p) -> auto& { return log_sum_exp(p).A(); })),
      Tensor({m, terms}, collect(
                             pieces, terms, [](const RowPiece& p) -> auto& { return log_sum_exp(p).b(); })));
}

BatchPtr join_rank_one(Pieces pieces) {
  const RankOneBatch& first = rank_one(pieces.front());
  return std::make_shared<RankOneBatch>(
      count_rows(pieces), first.order(), first.lifted(),
      collect(
          pieces, first.width(), [](const RowPiece& p) -> auto& { return rank_one(p).points(); }),
      collect(
          pieces, 1, [](const RowPiece& p) -> auto& { return rank_one(p).b(); }));
}

// Rows are eigenvalues, `rank` for each cone; what is copied are the rows of G and h behind whole cones.
BatchPtr join_cones(Pieces pieces) {
  const ConeBlock& first = cones(pieces.front());
  const ConeShape shape = first.shape();
  MatrixRows rows;
  std::vector<double> h;
  Index count = 0;
  const Vector origin = Vector::Zero(first.dimension());
  for (const RowPiece& piece : pieces) {
    const ConeBlock& all = cones(piece);
    for (const Index i : piece.rows) {
      if (i % shape.rank != 0) continue;
      const Index cone = i / shape.rank;
      const Rows behind = all.rows(cone, 1);
      for (Index k = 0; k < behind.size(); ++k) rows.append(all.matrix(), behind[k]);
      h.resize(h.size() + static_cast<std::size_t>(shape.rows));
      all.slack(cone, 1, origin.data(), h.data() + count * shape.rows);  // h - G 0, exactly h
      ++count;
    }
  }
  constexpr bool kTrusted = true;  // checked where they come from
  return std::make_shared<SpectralBatch>(ConeBlock(rows.take(first.dimension(), first.matrix().is_sparse()),
                                                   Doubles(std::move(h)), 0, count, shape, kTrusted));
}

BatchPtr join_streamed(Pieces pieces) {
  std::vector<RowPiece> copies;
  for (const RowPiece& piece : pieces) {
    const auto& streamed = dynamic_cast<const StreamedRows&>(*piece.batch);
    std::vector<Index> all(piece.rows.size());
    std::iota(all.begin(), all.end(), Index{0});
    copies.push_back({streamed.copy(Rows::list(piece.rows)), std::move(all)});
  }
  return copies.size() == 1 ? copies[0].batch : join_linear(copies);
}

// How rows of a family are joined; null: they are not data.
using Join = BatchPtr (*)(Pieces);

Join joining(const ConstraintBatch& batch) {
  const BatchStructure structure = batch.structure();
  if (structure.linear_rows != nullptr) return join_linear;
  if (structure.quadratic_rows != nullptr) return join_quadratic;
  if (structure.rank_one != nullptr) return join_rank_one;
  if (structure.eigenvalues != nullptr) return join_cones;
  if (dynamic_cast<const LogSumExpBatch*>(&batch) != nullptr) return join_log_sum_exp;
  if (dynamic_cast<const StreamedRows*>(&batch) != nullptr) return join_streamed;
  return nullptr;
}

}  // namespace

bool copyable(const ConstraintBatch& batch) { return joining(batch) != nullptr; }

BatchPtr join_rows(std::span<const RowPiece> pieces) {
  const Join join = joining(*pieces.front().batch);
  if (join == nullptr) {
    throw InputError(fmt::format("constraint batch of family {}: its rows are not data and cannot be gathered",
                                 pieces.front().batch->family()));
  }
  BatchPtr joined = join(pieces);
  joined->name = pieces.front().batch->name;
  return joined;
}

DataMatrix copy_rows(const DataMatrix& all, const std::vector<Index>& rows) {
  MatrixRows copied;
  for (const Index row : rows) copied.append(all, row);
  return copied.take(all.cols(), all.is_sparse());
}

}  // namespace pliant
