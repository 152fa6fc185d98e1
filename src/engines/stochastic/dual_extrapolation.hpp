// Extrapolation of epochs of dual coordinate ascent (Bertrand and Massias 2021).
//
// As long as the same multipliers are at their bounds, an epoch in a fixed order is nearly an affine map, and badly
// conditioned rows make it a slow one. From K + 1 iterates the combination sum c_k alpha_k, sum c_k = 1, with the least
// |sum c_k (v_k - v_{k-1})| removes the K slowest modes. It is taken where the dual grows; v goes along at no read.
#pragma once

#include "engines/stochastic/dual_coordinates.hpp"

#include <vector>

namespace pliant {

class DualExtrapolation {
 public:
  static constexpr Index kEpochs = 5;  ///< K

  /// Keeps an iterate; the first of a new sequence after `restart`.
  void keep(const DualCoordinates& dual);
  void restart() { count_ = 0; }
  bool empty() const { return count_ == 0; }
  bool ready() const { return count_ == kEpochs + 1; }
  /// Moves `dual` to the extrapolated point if that is better. Returns how many rows it read.
  Index apply(DualCoordinates& dual, double xi);

 private:
  Index count_ = 0;
  Matrix alphas_, images_;  // one column for each iterate
  Vector alpha_, image_;
};

}  // namespace pliant
