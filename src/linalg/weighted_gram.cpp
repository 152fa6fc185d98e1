#include "linalg/weighted_gram.hpp"

#include "linalg/lower_tiles.hpp"
#include "parallel/parallel.hpp"
#include "pliant/data_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Columns of a tile: enough for a product at full speed, few enough that some hundred columns give every core one.
constexpr Index kTile = 96;
// Numbers that are scaled and multiplied at a time: they stay in the last cache between tiles.
constexpr Index kSlabNumbers = Index{1} << 22;

void add_slab(std::span<const double* const> rows, ConstVectorRef w, MatrixRef H) {
  const Index n = H.rows(), count = static_cast<Index>(rows.size());
  Eigen::Map<RowMajorMatrix> panel(parallel::scratch(parallel::Scratch::block, count * n), count, n);
  const Index bytes = count * n * static_cast<Index>(sizeof(double));
  parallel::for_chunks(parallel::make_chunks(count, bytes, count), [&](Index, Index begin, Index end) {
    for (Index k = begin; k < end; ++k) {
      panel.row(k) = std::sqrt(w[k]) * Eigen::Map<const Vector>(rows[static_cast<std::size_t>(k)], n).transpose();
    }
  });
  const Index read = bytes * ((n + kTile - 1) / kTile + 1);  // each column once for each tile of its block
  for_lower_tiles(n, kTile, read, [&](Index i, Index j, Index height, Index width) {
    const auto left = panel.middleCols(i, height);
    if (i == j) {
      H.block(i, i, height, height).selfadjointView<Eigen::Lower>().rankUpdate(left.transpose());
    } else {
      H.block(i, j, height, width).noalias() += left.transpose() * panel.middleCols(j, width);
    }
  });
}

}  // namespace

void add_weighted_gram(std::span<const double* const> rows, ConstVectorRef w, MatrixRef H) {
  const Index most = std::max<Index>(1, kSlabNumbers / std::max<Index>(1, H.rows()));
  for (Index first = 0; first < static_cast<Index>(rows.size()); first += most) {
    const Index count = std::min(most, static_cast<Index>(rows.size()) - first);
    add_slab(rows.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count)), w.segment(first, count),
             H);
  }
}

}  // namespace pliant
