// Loops that kernels are made of: numbers shared out to all threads, and what the threads of a block have, put together in a
// fixed tree; and the kernel that adds up what blocks have left.
#pragma once

#include "cuda/block.hpp"

namespace pliant::cuda {

/// f(p) for p < count, by all threads of all blocks, neighbours for neighbours.
template <class Block, class F>
PLIANT_HD void for_numbers(const Block& block, int64_t count, const F& f) {
  block.for_threads([&](int t) {
    for (int64_t p = block.index() * kThreads + t; p < count; p += block.count() * kThreads) f(p);
  });
}

/// add(own[t], own[u]) until all of own[0], ..., own[kThreads - 1] is in own[0].
template <class Block, class T, class Add>
PLIANT_HD void fold(const Block& block, T* own, const Add& add) {
  PLIANT_UNROLL
  for (int reach = kThreads / 2; reach > 0; reach /= 2) {
    block.for_threads([&](int t) {
      if (t < reach) add(own[t], own[t + reach]);
    });
  }
}

/// The same, as entry block.index() of `out`.
template <class Block, class T, class Add>
PLIANT_HD void fold_to(const Block& block, T* own, const Add& add, T* out) {
  fold(block, own, add);
  block.for_threads([&](int t) {
    if (t == 0) out[block.index()] = own[0];
  });
}

/// Every thread begins with `start` and looks at its share of count numbers, see(its own, p); fold_to() puts it together.
template <class Block, class T, class See, class Add>
PLIANT_HD void survey(const Block& block, int64_t count, const T& start, const See& see, const Add& add, T* out) {
  auto* const own = reinterpret_cast<T*>(block.shared());
  block.for_threads([&](int t) {
    T seen = start;
    for (int64_t p = block.index() * kThreads + t; p < count; p += block.count() * kThreads) see(seen, p);
    own[t] = seen;
  });
  fold_to(block, own, add, out);
}

/// out_g = sum of parts g added, ..., each of so many numbers, one after the other.
struct AddParts {
  const double* parts;
  int64_t count, numbers, added;
  double* out;

  template <class Block>
  PLIANT_HD void operator()(const Block& block) const {
    for_numbers(block, (count + added - 1) / added * numbers, [&](int64_t p) {
      const int64_t begin = p / numbers * added, last = begin + added < count ? begin + added : count;
      double sum = 0.0;
      PLIANT_UNROLL_BY(8)
      for (int64_t k = begin; k < last; ++k) sum += parts[k * numbers + p % numbers];
      out[p] = sum;
    });
  }
};

/// For folds: the lesser of two numbers stays.
struct KeepLess {
  template <class T>
  PLIANT_HD void operator()(T& kept, const T& other) const {
    if (other < kept) kept = other;
  }
};

}  // namespace pliant::cuda
