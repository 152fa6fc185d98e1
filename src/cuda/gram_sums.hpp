// Rows named for their outer products, and sums of these: memory and launches around gram_kernel.hpp.
#pragma once

#include "cuda/buffer.hpp"
#include "cuda/gram_kernel.hpp"

#include <algorithm>
#include <stdexcept>

namespace pliant::cuda {

template <class Backend>
class GramSums {
 public:
  explicit GramSums(Backend& backend) : backend_(backend) {}

  /// Stored rows of `width` numbers.
  template <class T>
  void take_linear(const T* numbers, int64_t width, const int64_t* list, int64_t count) {
    make_room(width, count);
    const FillRows<T> kernel{numbers, width, edge_ * kTile, list_.fill(list, count), count, rows_.data()};
    backend_.launch(kernel, blocks_for(count * edge_ * kTile), 0);
  }
  /// svec(Rq(Rq)') of stored points.
  template <class T>
  void take_points(const T* numbers, int64_t width, const double* R, int64_t order, const int64_t* list,
                   int64_t count) {
    make_room(order * (order + 1) / 2, count);
    const MovePoints<T> move{
        numbers, width, order, list_.fill(list, count), count, R_.fill(R, order * order), moved_.resize(count * order)};
    backend_.launch(move, blocks_for(count * order), 0);
    backend_.launch(LiftPoints{moved_.data(), order, edge_ * kTile, count, rows_.data()},
                    blocks_for(count * edge_ * kTile), 0);
  }

  /// Begins the sum over these; end() waits for it.
  void begin(const Weighted* list, int64_t count) {
    for (int64_t k = 0; k < count; ++k) {
      if (list[k].position < 0 || list[k].position >= rows_count_) throw std::runtime_error("gram: rows out of range");
    }
    count_ = count;
    if (count == 0) return;
    const int64_t tiles = lower_tiles(edge_), share = share_rows(count, tiles), shares = (count + share - 1) / share;
    const AddTiles add{rows_.data(), edge_, weighted_.fill(list, count),
                       count,        share, parts_.resize(shares * tiles * kTileNumbers)};
    backend_.launch(add, shares * tiles, 0);
    const int64_t numbers = tiles * kTileNumbers;
    backend_.launch(AddParts{parts_.data(), shares, numbers, shares, tiles_.resize(numbers)}, blocks_for(numbers), 0);
  }
  void end(double* tiles) {
    const int64_t numbers = lower_tiles(edge_) * kTileNumbers;
    if (count_ == 0) {
      std::fill_n(tiles, numbers, 0.0);
    } else {
      backend_.to_host(tiles, tiles_.data(), static_cast<size_t>(numbers) * sizeof(double));
    }
  }

 private:
  static constexpr int64_t kMostBlocks = 4096;

  static int64_t blocks_for(int64_t numbers) {
    return std::min<int64_t>(kMostBlocks, (numbers + kThreads - 1) / kThreads);
  }
  void make_room(int64_t width, int64_t count) {
    edge_ = whole_tiles(width);
    rows_count_ = count;
    rows_.resize(count * edge_ * kTile);
  }

  Backend& backend_;
  int64_t edge_ = 0, rows_count_ = 0, count_ = 0;
  Buffer<Backend, double> rows_{backend_}, parts_{backend_}, tiles_{backend_}, moved_{backend_}, R_{backend_};
  Buffer<Backend, int64_t> list_{backend_};
  Buffer<Backend, Weighted> weighted_{backend_};
};

}  // namespace pliant::cuda
