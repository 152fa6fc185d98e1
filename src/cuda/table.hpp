// The functions of pliant_cuda.h over a backend: exceptions become a code and a line.
#pragma once

#include "cuda/device_batch.hpp"

#include <exception>
#include <memory>
#include <string>

namespace pliant::cuda {

template <class Backend>
class Table {
 public:
  /// `devices` and `describe` are the backend's own.
  static pliant_cuda_api make(int (*devices)(int32_t*), int (*describe)(int32_t, char*, int32_t, int64_t*, int64_t*)) {
    pliant_cuda_api api{};
    api.version = PLIANT_CUDA_VERSION;
    api.error = [] { return message().c_str(); };
    api.devices = devices;
    api.describe = describe;
    api.create = [](const pliant_cuda_shape* shape, pliant_cuda_rows** rows) {
      return guarded([&] { *rows = reinterpret_cast<pliant_cuda_rows*>(new Batch(*shape)); });
    };
    api.destroy = [](pliant_cuda_rows* rows) { delete &batch(rows); };
    api.upload = [](pliant_cuda_rows* rows, int64_t first, int64_t count, const void* numbers) {
      return guarded([&] { batch(rows).upload(first, count, numbers); });
    };
    api.adopt = [](pliant_cuda_rows* rows, const void* numbers) {
      return guarded([&] { batch(rows).adopt(numbers); });
    };
    api.await_stream = [](pliant_cuda_rows* rows, void* stream) {
      return guarded([&] { batch(rows).await_stream(stream); });
    };
    api.set_constants = [](pliant_cuda_rows* rows, const void* lower, const void* upper, int32_t on_device,
                           int32_t number_bytes, pliant_cuda_constants* found) {
      return guarded([&] { *found = batch(rows).set_constants(lower, upper, on_device != 0, number_bytes); });
    };
    api.list_sides = [](pliant_cuda_rows* rows, int64_t* sides) {
      return guarded([&] { batch(rows).list_sides(sides); });
    };
    api.set_beside = [](pliant_cuda_rows* rows, const void* numbers, int32_t on_device) {
      return guarded([&] { batch(rows).set_beside(numbers, on_device != 0); });
    };
    api.set_norm_form = [](pliant_cuda_rows* rows, const double* form) {
      return guarded([&] { batch(rows).set_norm_form(form); });
    };
    add_reads(api);
    add_grams(api);
    add_questions(api);
    add_soft(api);
    return api;
  }

  template <class F>
  static int guarded(const F& f) {
    try {
      f();
      return 0;
    } catch (const std::exception& error) {
      message() = error.what();
      return 1;
    }
  }

 private:
  using Batch = DeviceBatch<Backend>;

  static Batch& batch(pliant_cuda_rows* rows) { return *reinterpret_cast<Batch*>(rows); }
  static std::string& message() {
    static thread_local std::string text;
    return text;
  }

  static void add_reads(pliant_cuda_api& api) {
    api.measure = [](pliant_cuda_rows* rows, const double* x, const int64_t* list, int64_t count, double* values,
                     double* norms, double* smoothness) {
      return guarded([&] { batch(rows).measure(x, list, count, values, norms, smoothness); });
    };
    api.gather = [](pliant_cuda_rows* rows, const int64_t* stored, int64_t count, double* numbers, double* lower,
                    double* upper, double* beside) {
      return guarded([&] { batch(rows).gather(stored, count, numbers, lower, upper, beside); });
    };
    api.read_all = [](pliant_cuda_rows* rows, const double* x, pliant_cuda_extremes* found) {
      return guarded([&] { *found = batch(rows).read_all(x); });
    };
    api.doubtful = [](pliant_cuda_rows* rows, const double* reach, int32_t points, double slack, int64_t* count) {
      return guarded([&] { *count = batch(rows).doubtful(reach, points, slack); });
    };
    api.read_doubtful = [](pliant_cuda_rows* rows, const double* x, int32_t point, pliant_cuda_extremes* found) {
      return guarded([&] { *found = batch(rows).read_doubtful(x, point); });
    };
    api.forget = [](pliant_cuda_rows* rows) { return guarded([&] { batch(rows).forget(); }); };
    api.read_time = [](pliant_cuda_rows* rows, double* seconds, int64_t* reads) {
      return guarded([&] { batch(rows).read_time(*seconds, *reads); });
    };
  }

  static void add_grams(pliant_cuda_api& api) {
    api.gram_gather = [](pliant_cuda_rows* rows, const int64_t* stored, int64_t count, const double* R, int64_t order) {
      return guarded([&] { batch(rows).gram_gather(stored, count, R, order); });
    };
    api.gram_begin = [](pliant_cuda_rows* rows, const pliant_cuda_weighted* list, int64_t count) {
      return guarded([&] { batch(rows).gram_begin(list, count); });
    };
    api.gram_end = [](pliant_cuda_rows* rows, double* tiles) { return guarded([&] { batch(rows).gram_end(tiles); }); };
  }

  static void add_soft(pliant_cuda_api& api) {
    api.soft_prices = [](pliant_cuda_rows* rows, const pliant_cuda_prices* prices, const void* weights,
                         int32_t on_device, int32_t number_bytes, double* largest_weight) {
      return guarded(
          [&] { *largest_weight = batch(rows).soft_prices(*prices, weights, on_device != 0, number_bytes); });
    };
    api.soft_read = [](pliant_cuda_rows* rows, const double* x, const double* units, double reach, double* sums,
                       int64_t* invalid) {
      return guarded([&] { *invalid = batch(rows).soft().read(x, units, reach, sums); });
    };
    api.soft_sample = [](pliant_cuda_rows* rows, int64_t stride, int64_t count, double* keys) {
      return guarded([&] { batch(rows).soft().sample(stride, count, keys); });
    };
    api.soft_find = [](pliant_cuda_rows* rows, double up_to, int64_t apart, int64_t* count) {
      return guarded([&] { *count = batch(rows).soft().find(up_to, apart); });
    };
    api.soft_take = [](pliant_cuda_rows* rows, int64_t* list, double* keys, double* sides) {
      return guarded([&] { batch(rows).soft().take(list, keys, sides); });
    };
    api.soft_give = [](pliant_cuda_rows* rows, const int64_t* list, int64_t count) {
      return guarded([&] { batch(rows).soft().give(list, count); });
    };
    api.soft_check = [](pliant_cuda_rows* rows, const double* x, const double* units, double moved, double certain,
                        pliant_cuda_soft_check* found) {
      return guarded([&] { *found = batch(rows).soft().check(x, units, moved, certain); });
    };
    api.soft_weights = [](pliant_cuda_rows* rows, const int64_t* list, int64_t count, double* weights) {
      return guarded([&] { batch(rows).soft_weights(list, count, weights); });
    };
  }

  static void add_questions(pliant_cuda_api& api) {
    api.find_near = [](pliant_cuda_rows* rows, int32_t point, double threshold, int64_t* count) {
      return guarded([&] { *count = batch(rows).find_near(point, threshold); });
    };
    api.find_above = [](pliant_cuda_rows* rows, const double* reach, int32_t points, double threshold, int64_t* count) {
      return guarded([&] { *count = batch(rows).find_above(reach, points, threshold); });
    };
    api.take = [](pliant_cuda_rows* rows, int64_t* list, double* values, double* distances) {
      return guarded([&] { batch(rows).take(list, values, distances); });
    };
    api.count_negative = [](pliant_cuda_rows* rows, const double* reach, int32_t points, int64_t* count) {
      return guarded([&] { *count = batch(rows).count_negative(reach, points); });
    };
    api.sums = [](pliant_cuda_rows* rows, const double* reach, int32_t points, int64_t offset, double active_threshold,
                  const int64_t* known, const double* known_values, int64_t known_count, pliant_cuda_sums* chunks) {
      return guarded(
          [&] { batch(rows).sums(reach, points, offset, active_threshold, known, known_values, known_count, chunks); });
    };
    api.bounds = [](pliant_cuda_rows* rows, const double* reach, int32_t points, double* out) {
      return guarded([&] { batch(rows).bounds(reach, points, out); });
    };
  }
};

}  // namespace pliant::cuda
