// Soft rows of a batch on a device: memory and launches around soft_kernel.hpp and soft_questions.hpp.
#pragma once

#include "cuda/kernel_choice.hpp"
#include "cuda/row_search.hpp"
#include "cuda/soft_kernel.hpp"
#include "cuda/soft_questions.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace pliant::cuda {

/// The rows behind them.
struct SoftSource {
  pliant_cuda_shape shape;
  const void* numbers;
  const double* targets;
};

/// run(kernel) with the kernel that reads rows of this shape, its data not yet filled in. Lanes and pieces depend on the width
/// alone.
template <class T, int kPack, int kLanes, class Run>
void run_soft_kernel(const SoftSource& from, bool wide_border, const Run& run) {
  constexpr int kMostRows = 1024;
  ReadSoft<T, kPack, kLanes> kernel{};
  const int64_t row_bytes = from.shape.width * static_cast<int64_t>(sizeof(T));
  kernel.rows_of_piece = kernel.kStep;
  while (2 * kernel.rows_of_piece <= kMostRows && 2 * kernel.rows_of_piece * row_bytes <= kUsualPiece) {
    kernel.rows_of_piece *= 2;
  }
  kernel.wide_border = wide_border;
  run(kernel);
}

template <class T, int kPack, class Run>
void choose_soft_kernel(const SoftSource& from, const Run& run) {
  constexpr int64_t kLoads = 4;
  if (from.shape.width % kPack == 0 && begins_at(from.numbers, kPack * sizeof(T))) {
    const bool wide = begins_at(from.numbers, kBorder) && begins_at(from.targets, kBorder);
    const int64_t packs = from.shape.width / kPack;
    if (packs <= 4 * kLoads) return run_soft_kernel<T, kPack, 4>(from, wide, run);
    if (packs <= 8 * kLoads) return run_soft_kernel<T, kPack, 8>(from, wide, run);
    if (packs <= 16 * kLoads) return run_soft_kernel<T, kPack, 16>(from, wide, run);
    return run_soft_kernel<T, kPack, 32>(from, wide, run);
  }
  if constexpr (kPack > 1) return choose_soft_kernel<T, kPack / 2>(from, run);
  throw std::runtime_error("rows on a device: numbers are not aligned");
}

template <class Backend>
class SoftBatch {
 public:
  explicit SoftBatch(Backend& backend, RowSearch<Backend>& search) : backend_(backend), search_(search) {}

  /// `weights` on the device, or null.
  void set_prices(const SoftSource& from, const pliant_cuda_prices& prices, const double* weights) {
    if (from.shape.family != PLIANT_CUDA_LINEAR) throw std::runtime_error("soft rows on a device: linear ones alone");
    if (from.shape.width > PLIANT_CUDA_WIDEST_SOFT) {
      throw std::runtime_error("soft rows on a device: " + std::to_string(from.shape.width) +
                               " numbers each, at most " + std::to_string(PLIANT_CUDA_WIDEST_SOFT));
    }
    from_ = from;
    prices_ = {prices, from.targets, weights};
    read_ = false;
    if (prices.labels == 0) return;
    const int64_t first = least(FirstWrongLabel{from.targets, from.shape.rows, nullptr}, firsts_, kNoRow);
    if (first != kNoRow) {
      throw std::runtime_error("hinge: y: entry " + std::to_string(first) + " is neither -1 nor 1");
    }
  }
  const double* weights() const { return prices_.weights; }

  int64_t read(const double* x, const double* units, double reach, double* sums) {
    if (from_.numbers == nullptr) throw std::runtime_error("soft rows on a device: no numbers or prices yet");
    keys_.resize(from_.shape.rows);
    sides_.resize(from_.shape.rows);
    take_point(x, units);
    int64_t invalid = kNoRow;
    backend_.begin_timing();
    for_type([&](auto number) {
      using T = decltype(number);
      choose_soft_kernel<T, static_cast<int>(16 / sizeof(T))>(
          from_, [&](const auto& kernel) { invalid = run(kernel, static_cast<const T*>(from_.numbers), reach, sums); });
    });
    backend_.end_timing();
    read_ = true;
    return invalid == kNoRow ? -1 : invalid;
  }

  void sample(int64_t stride, int64_t count, double* keys) {
    expect_read();
    backend_.launch(SampleKeys{keys_.data(), stride, count, values_.resize(count)}, blocks_for(count), 0);
    backend_.to_host(keys, values_.data(), static_cast<size_t>(count) * sizeof(double));
  }

  int64_t find(double up_to, int64_t apart) {
    expect_read();
    const auto kind = up_to < 0.0 ? SoftWanted::Kind::wrong : SoftWanted::Kind::up_to;
    const SoftWanted wanted{kind, kept(), up_to, 0.0, static_cast<uint64_t>(std::max<int64_t>(1, apart))};
    return found_ = search_.find(wanted, from_.shape.rows, list_, &values_, &beside_);
  }
  void take(int64_t* list, double* keys, double* sides) {
    backend_.to_host(list, list_.data(), static_cast<size_t>(found_) * sizeof(int64_t));
    backend_.to_host(keys, values_.data(), static_cast<size_t>(found_) * sizeof(double));
    backend_.to_host(sides, beside_.data(), static_cast<size_t>(found_) * sizeof(double));
  }
  void give(const int64_t* list, int64_t count) {
    expect_read();
    if (count == 0) return;
    backend_.launch(TakeAway{keys_.data(), list_.fill(list, count), count}, blocks_for(count), 0);
    found_ = 0;
  }

  pliant_cuda_soft_check check(const double* x, const double* units, double moved, double certain) {
    expect_read();
    const int64_t rows = from_.shape.rows;
    pliant_cuda_soft_check out{};
    out.doubtful =
        search_.find(SoftWanted{SoftWanted::Kind::doubtful, kept(), moved, certain}, rows, list_, nullptr, nullptr);
    if (out.doubtful > 0) {
      take_point(x, units);
      for_type(
          [&](auto number) { check_listed(static_cast<const decltype(number)*>(from_.numbers), moved, out.doubtful); });
      out.wrong = search_.count(SoftWanted{SoftWanted::Kind::wrong, kept(), 0.0, 0.0}, rows);
    }
    out.certain_to = least(LeastKey{keys_.data(), rows, nullptr}, leasts_, kInfinite);
    return out;
  }

 private:
  static constexpr int64_t kMostBlocks = 4096;
  static constexpr int64_t kAddedAtOnce = 64;  // of the sums of chunks, by one thread: three kernels for 10^8 rows

  static int64_t blocks_for(int64_t count) { return std::min<int64_t>(kMostBlocks, (count + kThreads - 1) / kThreads); }
  SoftKept kept() const { return {keys_.data(), sides_.data()}; }
  void expect_read() const {
    if (!read_) throw std::runtime_error("soft rows on a device: asked for what was not read");
  }
  /// f(a number as rows are stored)
  template <class F>
  void for_type(const F& f) const {
    if (from_.shape.number_bytes == 8) {
      f(double{});
    } else {
      f(float{});
    }
  }
  void take_point(const double* x, const double* units) {
    const int64_t width = from_.shape.width;
    point_.assign(x, x + width);
    point_.insert(point_.end(), units, units + width);
    x_.fill(point_.data(), 2 * width);
  }
  const double* units() const { return x_.data() + from_.shape.width; }

  template <class Kernel, class T>
  int64_t run(Kernel kernel, const T* numbers, double reach, double* sums) {
    const int64_t rows = from_.shape.rows, chunks = (rows + kSoftChunk - 1) / kSoftChunk;
    const int64_t of_chunk = SoftLayout{from_.shape.width}.numbers();
    kernel.numbers = numbers;
    kernel.rows = rows;
    kernel.width = from_.shape.width;
    kernel.x = x_.data();
    kernel.units = units();
    kernel.prices = prices_;
    kernel.kept = kept();
    kernel.reach = reach;
    kernel.sums = sums_.resize(chunks * of_chunk);
    if (!begins_at(prices_.weights, kBorder)) kernel.wide_border = false;
    const size_t shared = kernel.shared_bytes();
    const int64_t blocks = std::min(chunks, backend_.blocks_at_once(kernel, shared));
    kernel.invalid = firsts_.resize(blocks);
    backend_.launch(kernel, blocks, shared);
    backend_.to_host(sums, add_chunks(chunks, of_chunk), static_cast<size_t>(of_chunk) * sizeof(double));
    return least_of(firsts_, blocks, kNoRow);
  }

  /// The sums of all chunks on the device.
  const double* add_chunks(int64_t count, int64_t numbers) {
    const double* from = sums_.data();
    Buffer<Backend, double>*to = &groups_, *other = &more_groups_;
    while (count > 1) {
      const int64_t groups = (count + kAddedAtOnce - 1) / kAddedAtOnce;
      const AddParts add{from, count, numbers, kAddedAtOnce, to->resize(groups * numbers)};
      backend_.launch(add, blocks_for(groups * numbers), 0);
      from = to->data();
      std::swap(to, other);
      count = groups;
    }
    return from;
  }

  template <class T>
  void check_listed(const T* numbers, double moved, int64_t count) {
    const CheckSoft<T> kernel{numbers, from_.shape.width, x_.data(), units(), prices_, kept(),
                              moved,   list_.data(),      count};
    backend_.launch(kernel, blocks_for(count * kernel.kLanes), 0);
  }

  /// The least of what the blocks of a kernel leave behind.
  template <class Kernel, class N>
  N least(Kernel kernel, Buffer<Backend, N>& parts, N so_far) {
    const int64_t blocks = blocks_for(from_.shape.rows);
    kernel.out = parts.resize(blocks);
    backend_.launch(kernel, blocks, kernel.shared_bytes());
    return least_of(parts, blocks, so_far);
  }
  template <class N>
  N least_of(const Buffer<Backend, N>& parts, int64_t count, N so_far) {
    std::vector<N> here(static_cast<size_t>(count));
    backend_.to_host(here.data(), parts.data(), here.size() * sizeof(N));
    for (const N part : here) so_far = std::min(so_far, part);
    return so_far;
  }

  Backend& backend_;
  RowSearch<Backend>& search_;
  SoftSource from_{};
  SoftPrices prices_{};
  bool read_ = false;
  int64_t found_ = 0;
  Buffer<Backend, double> keys_{backend_}, x_{backend_}, sums_{backend_}, groups_{backend_}, more_groups_{backend_},
      values_{backend_}, beside_{backend_}, leasts_{backend_};
  Buffer<Backend, uint8_t> sides_{backend_};
  Buffer<Backend, int64_t> list_{backend_}, firsts_{backend_};
  std::vector<double> point_;
};

}  // namespace pliant::cuda
