// When a solve that does not get on should ask whether there is a solution at all.
//
// Each sign is followed up when it has become stronger by a factor since it was last followed up, so that a search,
// which costs passes, is made a handful of times at most.
#pragma once

#include "pliant/types.hpp"

#include <algorithm>

namespace pliant {

class Suspicion {
 public:
  /// An engine could not solve on some rows: asked at the 4th, 16th, ... time.
  bool failure() { return ++failures_ >= ask_at_failure_ && grow(ask_at_failure_, kFailures); }
  /// So many stages brought no better point: asked after 10, 40, ...
  bool stall(Index stages) { return stages >= ask_at_stall_ && grow(ask_at_stall_, kFailures); }
  void progress() { ask_at_stall_ = kStages; }
  /// xi has grown by this factor since the start.
  bool xi(double growth) { return exceeds(growth, kXiGrowth * asked_at_xi_, asked_at_xi_); }
  /// The largest entry of x.
  bool size(double size) { return exceeds(size, kSize * std::max(1.0, asked_at_size_), asked_at_size_); }

 private:
  static constexpr Index kFailures = 4, kStages = 10;
  static constexpr double kXiGrowth = 60.0, kSize = 1e7;

  static bool grow(Index& threshold, Index factor) {
    threshold *= factor;
    return true;
  }
  static bool exceeds(double value, double threshold, double& asked_at) {
    if (!(value > threshold)) return false;
    asked_at = value;
    return true;
  }

  Index failures_ = 0, ask_at_failure_ = kFailures, ask_at_stall_ = kStages;
  double asked_at_xi_ = 1.0, asked_at_size_ = 0.0;
};

}  // namespace pliant
