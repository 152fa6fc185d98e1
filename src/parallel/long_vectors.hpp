// Loops over vectors with a few numbers for each row of a problem, of which there may be 1e9.
//
// Cut into fixed chunks like every other loop (parallel.hpp), so that threads change nothing but the time. Whoever makes
// such a vector fills it here: its pages are then touched first, and zeroed by the kernel, in parallel, too.
#pragma once

#include "machine/memory.hpp"
#include "parallel/parallel.hpp"

#include <algorithm>
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

/// The elements of [0, count) with wanted(i), ascending: perhaps nearly all of them.
template <class Wanted>
LongIndices long_positions(Index count, const Wanted& wanted) {
  const auto found = parts<std::vector<Index>>(count, [&](Index begin, Index end) {
    // Without a branch: which elements are wanted is hard to foresee.
    std::vector<Index> list(static_cast<std::size_t>(end - begin));
    std::size_t next = 0;
    for (Index i = begin; i < end; ++i) {
      list[next] = i;
      next += static_cast<std::size_t>(wanted(i));
    }
    list.resize(next);
    return list;
  });
  std::vector<Index> begin_of{0};
  for (const std::vector<Index>& list : found) begin_of.push_back(begin_of.back() + static_cast<Index>(list.size()));
  LongIndices out;
  resize(out, begin_of.back());
  const Index bytes = out.size() * static_cast<Index>(sizeof(Index));
  for_range_of(static_cast<Index>(found.size()), bytes, [&](Index first, Index last) {
    for (auto k = static_cast<std::size_t>(first); k < static_cast<std::size_t>(last); ++k) {
      std::copy(found[k].begin(), found[k].end(), out.data() + begin_of[k]);
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
