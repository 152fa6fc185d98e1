// Which kernel reads rows of a shape. The choice depends on their width, alignment and storage; lanes, hence bytes of sums,
// on the width alone.
#pragma once

#include "cuda/form_kernel.hpp"
#include "cuda/group_kernel.hpp"
#include "cuda/linear_kernel.hpp"
#include "cuda/pliant_cuda.h"

#include <algorithm>
#include <stdexcept>

namespace pliant::cuda {

struct ReadChoice {
  const pliant_cuda_shape& shape;
  const void* numbers;
  const double* upper;
  const void* beside;  ///< q or b; null: other families
  bool everything;     ///< rows follow one another; else a list of them is read
  bool norms;
};

constexpr int kRowsUnderWay = 4;
// Pieces of rows that follow one another: two of a usual size for each block leave room for four blocks of them on a
// multiprocessor (three pieces and two blocks were slower). They begin at multiples of 16 bytes where the first one does.
constexpr int64_t kUsualPiece = 24 << 10, kMostPiece = 36 << 10;
constexpr std::uintptr_t kBorder = 16;

inline bool begins_at(const void* data, size_t border) { return reinterpret_cast<std::uintptr_t>(data) % border == 0; }

template <class T, int kPack, int kLanes, int kRows, bool kNorms>
auto streaming(const ReadChoice& choice) {
  StreamLinear<T, kPack, kLanes, kRows, kNorms> kernel{};
  const int64_t step_bytes = kernel.kStep * choice.shape.width * static_cast<int64_t>(sizeof(T));
  kernel.rows_of_piece = kernel.kStep * static_cast<int>(std::max<int64_t>(1, kUsualPiece / step_bytes));
  return kernel;
}

// Rows that follow one another go through shared memory, unless a few of them fill it.
template <class T, int kPack, int kLanes, bool kNorms, class Run>
void choose_where(const ReadChoice& choice, const Run& run) {
  const bool in_order = choice.everything && begins_at(choice.numbers, kBorder) && begins_at(choice.upper, kBorder);
  const int64_t row_bytes = choice.shape.width * static_cast<int64_t>(sizeof(T)), groups = kThreads / kLanes;
  if (in_order && 2 * groups * row_bytes <= kMostPiece) return run(streaming<T, kPack, kLanes, 2, kNorms>(choice));
  if constexpr (kLanes == 32) {  // wide rows
    if (in_order && groups * row_bytes <= kMostPiece) return run(streaming<T, kPack, kLanes, 1, kNorms>(choice));
  }
  run(ReadLinear<T, kPack, kLanes, kRowsUnderWay, kNorms>{});
}

template <class T, int kPack, int kLanes, class Run>
void choose_norms(const ReadChoice& choice, const Run& run) {
  if (choice.norms) return choose_where<T, kPack, kLanes, true>(choice, run);
  choose_where<T, kPack, kLanes, false>(choice, run);
}

// So many lanes that about four loads are left to each thread and row.
template <class T, int kPack, class Run>
void choose_lanes(const ReadChoice& choice, const Run& run) {
  constexpr int64_t kLoads = 4;
  const int64_t packs = choice.shape.width / kPack;
  if (packs <= 4 * kLoads) return choose_norms<T, kPack, 4>(choice, run);
  if (packs <= 8 * kLoads) return choose_norms<T, kPack, 8>(choice, run);
  if (packs <= 16 * kLoads) return choose_norms<T, kPack, 16>(choice, run);
  choose_norms<T, kPack, 32>(choice, run);
}

template <class T, int kPack, int kMost, class Run>
void choose_form(const ReadChoice& choice, const Run& run) {
  if (choice.norms) return run(ReadForms<T, kPack, kMost, true>{});
  run(ReadForms<T, kPack, kMost, false>{});
}

template <class T, int kPack, class Run>
void choose_form_width(const ReadChoice& choice, const Run& run) {
  const int64_t width = choice.shape.width;
  if (width <= 4) return choose_form<T, kPack, 4>(choice, run);
  if (width <= 8) return choose_form<T, kPack, 8>(choice, run);
  if (width <= 12) return choose_form<T, kPack, 12>(choice, run);
  if (width <= 20) return choose_form<T, kPack, 20>(choice, run);
  choose_form<T, kPack, PLIANT_CUDA_WIDEST_FORM>(choice, run);
}

template <class T, int kPack, class Run>
void choose_terms(const ReadChoice& choice, const Run& run) {
  const bool quadratic = choice.shape.family == PLIANT_CUDA_QUADRATIC;
  const auto with = [&](auto kernel) {
    kernel.terms = static_cast<int32_t>(choice.shape.terms);
    kernel.linear = quadratic ? static_cast<const T*>(choice.beside) : nullptr;
    kernel.offsets = quadratic ? nullptr : static_cast<const double*>(choice.beside);
    run(kernel);
  };
  const int64_t all = choice.shape.terms + (quadratic ? 1 : 0);
  if (all <= 2) return with(ReadGroups<T, kPack, 2>{});
  if (all <= 4) return with(ReadGroups<T, kPack, 4>{});
  if (all == 5) return with(ReadGroups<T, kPack, 5>{});
  with(ReadGroups<T, kPack, PLIANT_CUDA_MOST_TERMS>{});
}

// The widest loads that every row allows.
template <class T, int kPack, class Run>
void choose_pack(const ReadChoice& choice, const Run& run) {
  const bool grouped = choice.beside != nullptr;
  const bool aligned = !grouped || begins_at(choice.beside, kPack * sizeof(T));
  if (choice.shape.width % kPack == 0 && begins_at(choice.numbers, kPack * sizeof(T)) && aligned) {
    if (grouped) return choose_terms<T, kPack>(choice, run);
    if (choice.shape.family == PLIANT_CUDA_FORMS) return choose_form_width<T, kPack>(choice, run);
    return choose_lanes<T, kPack>(choice, run);
  }
  if constexpr (kPack > 1) return choose_pack<T, kPack / 2>(choice, run);
  throw std::runtime_error("rows on a device: numbers are not aligned");
}

/// run(kernel) with the kernel for these rows, its data not yet filled in.
template <class Run>
void choose_kernel(const ReadChoice& choice, const Run& run) {
  if (choice.shape.number_bytes == 8) return choose_pack<double, 2>(choice, run);
  choose_pack<float, 4>(choice, run);
}

}  // namespace pliant::cuda
