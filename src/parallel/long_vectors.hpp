// Loops over vectors with a few numbers for each row of a problem, of which there may be 1e9.
//
// Cut into fixed chunks like every other loop (parallel.hpp), so that threads change nothing but the time. Whoever makes
// such a vector fills it here: its pages are then touched first, and zeroed by the kernel, in parallel, too.
#pragma once

#include "machine/memory.hpp"
#include "parallel/parallel.hpp"
#include "pliant/array.hpp"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace pliant::parallel {

inline constexpr Index kMostLongChunks = 128;  ///< some for each thread of a large machine, so that none waits long

/// Chunks of [0, count) for loops that look at about two numbers for each element.
inline Chunks long_chunks(Index count) {
  constexpr Index kBytesEach = 16;
  return make_chunks(count, count * kBytesEach, kMostLongChunks);
}

/// f(begin, end) for chunks of [0, count).
template <class F>
void for_range(Index count, const F& f) {
  for_chunks(long_chunks(count), [&](Index, Index begin, Index end) { f(begin, end); });
}

/// The same for a loop whose `count` elements read `bytes` together.
template <class F>
void for_range_of(Index count, Index bytes, const F& f) {
  for_chunks(make_chunks(count, bytes, kMostLongChunks), [&](Index, Index begin, Index end) { f(begin, end); });
}

/// out <- value
inline void fill(VectorRef out, double value) {
  for_range(out.size(), [&](Index begin, Index end) { std::fill(out.data() + begin, out.data() + end, value); });
}

/// v becomes `count` numbers that nobody has touched, unless it has that size.
template <class Numbers>
void resize(Numbers& v, Index count) {
  if (v.size() == count) return;
  v.resize(count);
  machine::prefer_large_pages(v.data(), count * static_cast<Index>(sizeof(typename Numbers::Scalar)));
}

/// `count` times `value`.
inline Vector constant(Index count, double value) {
  Vector out;
  resize(out, count);
  fill(out, value);
  return out;
}

inline Vector copy(ConstVectorRef v) {
  Vector out;
  resize(out, v.size());
  for_range(v.size(), [&](Index begin, Index end) { std::copy(v.data() + begin, v.data() + end, out.data() + begin); });
  return out;
}

/// The same numbers as a shared array, not copied.
inline Doubles shared(Vector&& v) {
  const auto owner = std::make_shared<const Vector>(std::move(v));
  return {owner->data(), owner->size(), owner};
}

/// What f(begin, end) returns for the chunks of [0, count), in their order.
template <class Part, class F>
std::vector<Part> parts(Index count, const F& f) {
  const Chunks chunks = long_chunks(count);
  std::vector<Part> out(static_cast<std::size_t>(count > 0 ? chunks.count : 0));
  for_chunks(chunks,
             [&](Index chunk, Index begin, Index end) { out[static_cast<std::size_t>(chunk)] = f(begin, end); });
  return out;
}

using LongIndices = Eigen::Matrix<Index, Eigen::Dynamic, 1>;

/// The elements of [0, count) with wanted(i), ascending: perhaps nearly all of them. Each is looked at twice, to count
/// them and to list them, which is cheaper than lists that have to be put together.
template <class Wanted>
LongIndices long_positions(Index count, const Wanted& wanted) {
  const Chunks chunks = long_chunks(count);
  std::vector<Index> begin_of{0};
  for (const Index found : parts<Index>(count, [&](Index begin, Index end) {
         Index sum = 0;
         for (Index i = begin; i < end; ++i) sum += wanted(i) ? 1 : 0;
         return sum;
       })) {
    begin_of.push_back(begin_of.back() + found);
  }
  LongIndices out;
  resize(out, begin_of.back());
  for_chunks(chunks, [&](Index chunk, Index begin, Index end) {
    const auto c = static_cast<std::size_t>(chunk);
    Index* next = out.data() + begin_of[c];
    const Index* const last = out.data() + begin_of[c + 1];
    for (Index i = begin; next < last && i < end; ++i) {
      *next = i;  // without a branch: which elements are wanted is hard to foresee
      next += wanted(i) ? 1 : 0;
    }
  });
  return out;
}

/// The same where few are expected.
template <class Wanted>
std::vector<Index> positions(Index count, const Wanted& wanted) {
  const LongIndices found = long_positions(count, wanted);
  return {found.begin(), found.end()};
}

/// How many elements of [0, count) have wanted(i).
template <class Wanted>
Index count_if(Index count, const Wanted& wanted) {
  Index sum = 0;
  for (const Index part : parts<Index>(count, [&](Index begin, Index end) {
         Index found = 0;
         for (Index i = begin; i < end; ++i) found += wanted(i) ? 1 : 0;
         return found;
       })) {
    sum += part;
  }
  return sum;
}

}  // namespace pliant::parallel
