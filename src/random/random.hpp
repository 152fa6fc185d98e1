// Counter-based random numbers: number k of row i of a stream is a hash of (seed, stream, i, k).
//
// Nothing is drawn in sequence, so blocks of rows are generated in any order and by any number of
// threads with the same result. Standard distributions are avoided because libraries differ in them.
#pragma once

#include "pliant/types.hpp"

#include <cmath>
#include <cstdint>
#include <numbers>

namespace pliant::random {

class Stream {
 public:
  Stream(std::uint64_t seed, std::uint64_t label) : key_(mix(mix(seed + kStep) + kStep * label)) {}

  /// The independent stream of row i.
  Stream row(Index i) const { return Stream(mix(key_ ^ mix(static_cast<std::uint64_t>(i) + kStep))); }

  std::uint64_t bits(Index k) const { return mix(key_ + kStep * (static_cast<std::uint64_t>(k) + 1)); }

  /// Uniform in the open interval (0, 1).
  double uniform(Index k) const { return (static_cast<double>(bits(k) >> 11) + 0.5) * 0x1p-53; }
  double uniform(Index k, double lo, double hi) const { return lo + (hi - lo) * uniform(k); }

  /// Uniform in 0..count-1. The bias of the remainder is below count / 2^64.
  Index below(Index k, Index count) const { return static_cast<Index>(bits(k) % static_cast<std::uint64_t>(count)); }

  /// out_k = scale * N(0,1), k = 0..count-1. Box-Muller on pairs:
  /// r = sqrt(-2 ln u_{2p}), (normal_{2p}, normal_{2p+1}) = r (cos, sin)(2 pi u_{2p+1}).
  void normals(double* out, Index count, double scale = 1.0) const {
    for (Index k = 0; k < count; k += 2) {
      const Pair pair = normal_pair(k, scale);
      out[k] = pair.first;
      if (k + 1 < count) out[k + 1] = pair.second;
    }
  }

  /// Number k of normals() alone.
  double normal(Index k) const {
    const Pair pair = normal_pair(k - k % 2, 1.0);
    return k % 2 == 0 ? pair.first : pair.second;
  }

 private:
  struct Pair {
    double first, second;
  };
  Pair normal_pair(Index k, double scale) const {
    const double radius = scale * std::sqrt(-2.0 * std::log(uniform(k)));
    const double angle = 2.0 * std::numbers::pi * uniform(k + 1);
    return {radius * std::cos(angle), radius * std::sin(angle)};
  }

  explicit Stream(std::uint64_t key) : key_(key) {}

  static constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio, odd

  // The finaliser of splitmix64 (Steele, Lea, Flood 2014).
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t key_;
};

}  // namespace pliant::random
