// One batch of rows on a device: memory, launches and answers behind the functions of pliant_cuda.h, for any backend.
//
// A backend allocates, copies and launches kernels (cuda_backend.cuh on a card, host_backend.hpp in a loop) and throws
// std::runtime_error with a line that says what failed.
#pragma once

#include "cuda/buffer.hpp"
#include "cuda/chunk_kernels.hpp"
#include "cuda/gram_sums.hpp"
#include "cuda/kernel_choice.hpp"
#include "cuda/pliant_cuda.h"
#include "cuda/row_search.hpp"
#include "cuda/soft_batch.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

namespace pliant::cuda {

template <class Backend>
class DeviceBatch {
 public:
  explicit DeviceBatch(const pliant_cuda_shape& shape) : backend_(shape.device), shape_(shape) {
    if (shape.rows < 1 || shape.width < 1 || (shape.number_bytes != 8 && shape.number_bytes != 4)) {
      throw std::runtime_error("rows on a device: expected at least one row of at least one float or double");
    }
    const int64_t beside = shape.family == PLIANT_CUDA_QUADRATIC ? 1 : 0;
    if (shape.terms < 1 || (grouped() ? shape.terms + beside > PLIANT_CUDA_MOST_TERMS : shape.terms > 1)) {
      throw std::runtime_error("rows on a device: " + std::to_string(shape.terms) + " terms, at most " +
                               std::to_string(PLIANT_CUDA_MOST_TERMS - beside));
    }
    if (shape.family == PLIANT_CUDA_FORMS && shape.width > PLIANT_CUDA_WIDEST_FORM) {
      throw std::runtime_error("points on a device: " + std::to_string(shape.width) + " numbers each, at most " +
                               std::to_string(PLIANT_CUDA_WIDEST_FORM));
    }
  }

  void upload(int64_t first, int64_t count, const void* numbers) {
    if (first < 0 || first + count > shape_.rows) throw std::runtime_error("upload: rows out of range");
    const int64_t row_bytes = row_width() * shape_.number_bytes;
    unsigned char* to = own_numbers_.resize(shape_.rows * row_bytes);
    numbers_ = to;
    backend_.stream_to_device(to + first * row_bytes, numbers, static_cast<size_t>(count * row_bytes));
  }

  void adopt(const void* numbers) {
    if (reinterpret_cast<std::uintptr_t>(numbers) % static_cast<std::uintptr_t>(shape_.number_bytes) != 0) {
      throw std::runtime_error("adopt: numbers are not aligned");
    }
    backend_.expect_reachable(numbers);
    numbers_ = numbers;
  }

  /// What is asked for from here on begins after what this stream has been asked for.
  void await_stream(void* stream) { backend_.await(stream); }

  /// Sides of `number_bytes` each; floats are widened into memory of their own.
  pliant_cuda_constants set_constants(const void* lower, const void* upper, bool on_device, int32_t number_bytes) {
    sides_ = Sides{};
    sides_.upper = take_sides(upper, on_device, number_bytes, upper_);
    SideSurvey seen = survey_sides(sides_.upper);
    constraints_ = shape_.rows;
    if (lower != nullptr || seen.infinite > 0) {
      if (lower != nullptr) sides_.lower = take_sides(lower, on_device, number_bytes, lower_);
      if (lower != nullptr) seen.add(survey_sides(sides_.lower));
      number_sides();
    }
    if (seen.invalid > 0) throw std::runtime_error("rows on a device: a side is NaN");
    norms_known_ = false;
    forget();
    return {constraints_, seen.largest};
  }

  void set_beside(const void* numbers, bool on_device) {
    if (!grouped()) throw std::runtime_error("rows on a device: nothing stands beside rows of this family");
    if (on_device) {
      backend_.expect_reachable(numbers);
      beside_ = numbers;
      return;
    }
    const int64_t bytes = shape_.rows * beside_width() * beside_bytes();
    beside_ = own_beside_.resize(bytes);
    backend_.stream_to_device(own_beside_.data(), numbers, static_cast<size_t>(bytes));
  }

  void set_norm_form(const double* form) {
    norm_form_.assign(form, form + form_size(shape_.width));
    norms_known_ = false;
    forget();
  }

  void list_sides(int64_t* sides) {
    if (sides_.sides == nullptr) {
      for (int64_t i = 0; i < constraints_; ++i) sides[i] = 2 * i;
    } else {
      backend_.to_host(sides, sides_.sides, static_cast<size_t>(constraints_) * sizeof(int64_t));
    }
  }

  void measure(const double* x, const int64_t* list, int64_t count, double* values, double* norms, double* smoothness) {
    if (count == 0) return;
    const Known out{out_values_.resize(count), out_norms_.resize(count), nullptr,
                    grouped() ? out_smoothness_.resize(count) : nullptr};
    Task task{list_.fill(list, count), count, out, true, false, 0};
    read(x, task);
    if (smoothness != nullptr && grouped()) backend_.to_host(smoothness, out_smoothness_.data(), bytes_of(count));
    if (smoothness != nullptr && !grouped()) std::fill_n(smoothness, count, 0.0);
    backend_.to_host(values, out_values_.data(), bytes_of(count));
    backend_.to_host(norms, out_norms_.data(), bytes_of(count));
  }

  void gather(const int64_t* stored, int64_t count, double* numbers, double* lower, double* upper, double* beside) {
    if (count == 0) return;
    const int64_t* list = list_.fill(stored, count);
    const int64_t blocks = std::min<int64_t>(kMostSmallBlocks, (count * row_width() + kThreads - 1) / kThreads);
    const auto gather_from = [&](const void* from, int64_t width, int64_t number_bytes, double* out) {
      double* to = gathered_.resize(count * width);
      if (number_bytes == 8) {
        backend_.launch(GatherLinear<double>{static_cast<const double*>(from), width, list, count, to}, blocks, 0);
      } else {
        backend_.launch(GatherLinear<float>{static_cast<const float*>(from), width, list, count, to}, blocks, 0);
      }
      backend_.to_host(out, to, bytes_of(count * width));
    };
    gather_from(numbers_, row_width(), shape_.number_bytes, numbers);
    if (beside != nullptr) gather_from(beside_, beside_width(), beside_bytes(), beside);
    gather_numbers(sides_.upper, list, count, upper);
    if (sides_.lower != nullptr) {
      gather_numbers(sides_.lower, list, count, lower);
    } else {
      std::fill_n(lower, count, -kInfinite);
    }
  }

  pliant_cuda_extremes read_all(const double* x) {
    make_room();
    Task task{nullptr, shape_.rows, known(), false, norms_known_, 0};
    backend_.begin_timing();
    const pliant_cuda_extremes found = read(x, task);
    backend_.end_timing();
    norms_known_ = !grouped();  // those of curved rows change with x
    return found;
  }

  int64_t doubtful(const double* reach, int32_t points, double slack) {
    const Wanted wanted{Wanted::Kind::doubtful, known(), reach_.fill(reach, points), points, 0, -slack};
    return doubtful_count_ = search_.find(wanted, constraints_, doubtful_, nullptr, nullptr);
  }

  pliant_cuda_extremes read_doubtful(const double* x, int32_t point) {
    return read(x, {doubtful_.data(), doubtful_count_, known(), false, norms_known_, point});
  }

  int64_t find_near(int32_t point, double threshold) {
    return find({Wanted::Kind::near, known(), nullptr, 0, point, threshold});
  }
  int64_t find_above(const double* reach, int32_t points, double threshold) {
    return find({Wanted::Kind::above, known(), reach_.fill(reach, points), points, 0, threshold});
  }
  void take(int64_t* list, double* values, double* distances) {
    backend_.to_host(list, list_.data(), static_cast<size_t>(found_count_) * sizeof(int64_t));
    backend_.to_host(values, out_values_.data(), bytes_of(found_count_));
    backend_.to_host(distances, out_norms_.data(), bytes_of(found_count_));
  }
  int64_t count_negative(const double* reach, int32_t points) {
    const Wanted wanted{Wanted::Kind::negative, known(), reach_.fill(reach, points), points, 0, 0.0};
    return search_.count(wanted, constraints_);
  }

  void sums(const double* reach, int32_t points, int64_t offset, double active_threshold, const int64_t* better,
            const double* better_values, int64_t better_count, pliant_cuda_sums* chunks) {
    const int64_t count = (offset + constraints_ + kChunk - 1) / kChunk - offset / kChunk;
    backend_.launch(SumChunks{known(), reach_.fill(reach, points), points, constraints_, offset, active_threshold,
                              list_.fill(better, better_count), out_values_.fill(better_values, better_count),
                              better_count, sums_.resize(count)},
                    count, SumChunks::shared_bytes());
    backend_.to_host(chunks, sums_.data(), static_cast<size_t>(count) * sizeof(pliant_cuda_sums));
  }

  void bounds(const double* reach, int32_t points, double* out) {
    const int64_t blocks = std::min<int64_t>(kMostSmallBlocks, (constraints_ + kThreads - 1) / kThreads);
    backend_.launch(
        WriteBounds{known(), reach_.fill(reach, points), points, constraints_, out_values_.resize(constraints_)},
        blocks, 0);
    backend_.to_host(out, out_values_.data(), bytes_of(constraints_));
  }

  /// Coordinates stay, hence norms do: only where rows were read is forgotten.
  void forget() {
    if (!point_of_.holds(constraints_)) return;  // nothing was read
    backend_.fill_bytes(point_of_.data(), 0xff, static_cast<size_t>(constraints_) * sizeof(int32_t));
  }

  void read_time(double& seconds, int64_t& reads) const { backend_.timing(seconds, reads); }

  /// Points: R of order `order`, width or one more.
  void gram_gather(const int64_t* stored, int64_t count, const double* R, int64_t order) {
    if (count == 0) throw std::runtime_error("gram: no rows");
    if (shape_.number_bytes == 8) {
      gather_gram_rows(static_cast<const double*>(numbers_), stored, count, R, order);
    } else {
      gather_gram_rows(static_cast<const float*>(numbers_), stored, count, R, order);
    }
  }
  void gram_begin(const pliant_cuda_weighted* list, int64_t count) { gram_.begin(list, count); }
  void gram_end(double* tiles) { gram_.end(tiles); }

  /// Returns the largest weight.
  double soft_prices(const pliant_cuda_prices& prices, const void* weights, bool on_device, int32_t number_bytes) {
    if (numbers_ == nullptr || sides_.upper == nullptr || sides_.sides != nullptr) {
      throw std::runtime_error("soft rows on a device: expected numbers, and one finite target for each row");
    }
    const double* const own = weights == nullptr ? nullptr : take_sides(weights, on_device, number_bytes, weights_);
    const SideSurvey seen = own != nullptr ? survey_sides(own) : SideSurvey{1.0};
    if (seen.invalid > 0 || seen.infinite > 0 || seen.negative > 0) {
      throw std::runtime_error("soft rows on a device: weights must be finite and >= 0");
    }
    soft_.set_prices({shape_, numbers_, sides_.upper}, prices, own);
    return seen.largest;
  }
  void soft_weights(const int64_t* list, int64_t count, double* weights) {
    if (soft_.weights() == nullptr) {
      std::fill_n(weights, count, 1.0);
    } else {
      gather_numbers(soft_.weights(), list_.fill(list, count), count, weights);
    }
  }
  SoftBatch<Backend>& soft() { return soft_; }

 private:
  static constexpr int64_t kMostSmallBlocks = 4096;

  static size_t bytes_of(int64_t count) { return static_cast<size_t>(count) * sizeof(double); }

  const double* take_sides(const void* sides, bool on_device, int32_t number_bytes, Buffer<Backend, double>& own) {
    if (number_bytes != 8 && (number_bytes != 4 || !on_device)) {
      throw std::runtime_error("rows on a device: sides are doubles, or floats on the device");
    }
    if (!on_device) return own.fill(static_cast<const double*>(sides), shape_.rows);
    backend_.expect_reachable(sides);
    if (number_bytes == 8) return static_cast<const double*>(sides);
    const int64_t blocks = std::min<int64_t>(kMostSmallBlocks, (shape_.rows + kThreads - 1) / kThreads);
    backend_.launch(WidenNumbers{static_cast<const float*>(sides), shape_.rows, own.resize(shape_.rows)}, blocks, 0);
    return own.data();
  }

  SideSurvey survey_sides(const double* sides) {
    const int64_t blocks = std::min<int64_t>(kMostSmallBlocks, (shape_.rows + kThreads - 1) / kThreads);
    backend_.launch(SurveySides{sides, shape_.rows, surveys_.resize(blocks)}, blocks, SurveySides::shared_bytes());
    std::vector<SideSurvey> parts(static_cast<size_t>(blocks));
    backend_.to_host(parts.data(), surveys_.data(), parts.size() * sizeof(SideSurvey));
    SideSurvey all;
    for (const SideSurvey& part : parts) all.add(part);
    return all;
  }

  // Finite sides row after row, upper ones first. Done here: it happens once.
  void number_sides() {
    std::vector<double> lo, hi(static_cast<size_t>(shape_.rows));
    backend_.to_host(hi.data(), sides_.upper, bytes_of(shape_.rows));
    if (sides_.lower != nullptr) {
      lo.resize(hi.size());
      backend_.to_host(lo.data(), sides_.lower, bytes_of(shape_.rows));
    }
    std::vector<int64_t> sides, first;
    first.reserve(hi.size() + 1);
    for (size_t r = 0; r < hi.size(); ++r) {
      first.push_back(static_cast<int64_t>(sides.size()));
      if (hi[r] < kInfinite) sides.push_back(2 * static_cast<int64_t>(r));
      if (!lo.empty() && lo[r] > -kInfinite) sides.push_back(2 * static_cast<int64_t>(r) + 1);
    }
    constraints_ = static_cast<int64_t>(sides.size());
    if (constraints_ == 0) throw std::runtime_error("rows on a device: no finite side");
    first.push_back(constraints_);
    sides_.sides = side_of_.fill(sides.data(), constraints_);
    sides_.first = first_.fill(first.data(), shape_.rows + 1);
  }

  void gather_numbers(const double* from, const int64_t* list, int64_t count, double* out) {
    const int64_t blocks = std::min<int64_t>(kMostSmallBlocks, (count + kThreads - 1) / kThreads);
    backend_.launch(GatherNumbers{from, list, count, out_values_.resize(count)}, blocks, 0);
    backend_.to_host(out, out_values_.data(), bytes_of(count));
  }

  template <class T>
  void gather_gram_rows(const T* numbers, const int64_t* stored, int64_t count, const double* R, int64_t order) {
    if (numbers == nullptr) throw std::runtime_error("rows on a device: no numbers yet");
    if (shape_.family == PLIANT_CUDA_FORMS) {
      gram_.take_points(numbers, shape_.width, R, order, stored, count);
    } else {
      gram_.take_linear(numbers, shape_.width, stored, count);
    }
  }

  bool grouped() const { return shape_.family == PLIANT_CUDA_QUADRATIC || shape_.family == PLIANT_CUDA_LOG_SUM_EXP; }
  int64_t row_width() const { return shape_.terms * shape_.width; }
  int64_t beside_width() const { return shape_.family == PLIANT_CUDA_QUADRATIC ? shape_.width : shape_.terms; }
  int64_t beside_bytes() const { return shape_.family == PLIANT_CUDA_QUADRATIC ? shape_.number_bytes : 8; }

  Known known() const {
    return {values_.data(), norms_.data(), point_of_.data(), grouped() ? smoothness_.data() : nullptr};
  }
  void make_room() {
    if (grouped()) smoothness_.resize(constraints_);
    values_.resize(constraints_);
    norms_.resize(constraints_);
    point_of_.resize(constraints_);
  }

  int64_t find(Wanted wanted) {
    make_room();  // of rows that nobody has read everything is in doubt
    wanted.known = known();
    return found_count_ = search_.find(wanted, constraints_, list_, &out_values_, &out_norms_);
  }

  pliant_cuda_extremes read(const double* x, const Task& task) {
    if (numbers_ == nullptr || (grouped() && beside_ == nullptr))
      throw std::runtime_error("rows on a device: no numbers yet");
    const int64_t numbers_of_x = shape_.family == PLIANT_CUDA_FORMS ? form_size(shape_.width) : shape_.width;
    if (shape_.family == PLIANT_CUDA_FORMS && norm_form_.empty())
      throw std::runtime_error("forms: none of the norms yet");
    point_.assign(x, x + numbers_of_x);
    point_.insert(point_.end(), norm_form_.begin(), norm_form_.end());
    if (shape_.family != PLIANT_CUDA_FORMS) x_.fill(point_.data(), static_cast<int64_t>(point_.size()));
    pliant_cuda_extremes out{};
    const ReadChoice choice{
        shape_, numbers_, sides_.upper, grouped() ? beside_ : nullptr, task.list == nullptr, !task.keep_norms};
    choose_kernel(choice, [&](const auto& kernel) { out = run(kernel, task); });
    return out;
  }
  template <class Kernel>
  pliant_cuda_extremes run(Kernel kernel, const Task& task) {
    kernel.numbers = static_cast<decltype(kernel.numbers)>(numbers_);
    kernel.width = shape_.width;
    if constexpr (requires { kernel.set_point(point_.data()); }) {
      kernel.set_point(point_.data());
    } else {
      kernel.x = x_.data();
    }
    kernel.finish = Finish{sides_, task};
    const size_t shared = static_cast<size_t>(kernel.shared_bytes());
    const int64_t blocks =
        std::min(backend_.blocks_at_once(kernel, shared), (task.count + kernel.tile() - 1) / kernel.tile());
    kernel.found = extremes_.resize(blocks);
    backend_.launch(kernel, blocks, shared);
    extremes_here_.resize(static_cast<size_t>(blocks));
    backend_.to_host(extremes_here_.data(), extremes_.data(), static_cast<size_t>(blocks) * sizeof(Extremes));
    Extremes all;
    for (const Extremes& part : extremes_here_) all.add(part);
    return {all.worst, all.farthest, all.invalid == kNoRow ? -1 : all.invalid};
  }

  Backend backend_;
  pliant_cuda_shape shape_;
  const void *numbers_ = nullptr, *beside_ = nullptr;
  Sides sides_{};
  int64_t constraints_ = 0, doubtful_count_ = 0, found_count_ = 0;
  bool norms_known_ = false;
  Buffer<Backend, unsigned char> own_numbers_{backend_}, own_beside_{backend_};
  Buffer<Backend, double> lower_{backend_}, upper_{backend_}, values_{backend_}, norms_{backend_}, x_{backend_},
      reach_{backend_}, out_values_{backend_}, out_norms_{backend_}, gathered_{backend_}, smoothness_{backend_},
      out_smoothness_{backend_}, weights_{backend_};
  Buffer<Backend, int64_t> side_of_{backend_}, first_{backend_}, list_{backend_}, doubtful_{backend_};
  Buffer<Backend, int32_t> point_of_{backend_};
  Buffer<Backend, Extremes> extremes_{backend_};
  Buffer<Backend, pliant_cuda_sums> sums_{backend_};
  Buffer<Backend, SideSurvey> surveys_{backend_};
  RowSearch<Backend> search_{backend_};
  GramSums<Backend> gram_{backend_};
  SoftBatch<Backend> soft_{backend_, search_};
  std::vector<double> norm_form_, point_;
  std::vector<Extremes> extremes_here_;
};

}  // namespace pliant::cuda
