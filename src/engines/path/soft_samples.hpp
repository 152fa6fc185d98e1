// Samples of soft rows: the first levels of the bands (soft_bands.hpp).
#pragma once

#include "engines/path/band_problem.hpp"
#include "engines/path/soft_bands.hpp"
#include "rows/soft_mass.hpp"

namespace pliant {

/// From the smallest on, none of more than `most` rows; one row out of each of equal strata. None where there are few rows
/// for each of n variables.
std::vector<std::vector<Index>> draw_samples(Index rows, Index n, Index seed, Index most,
                                             const BandParameters& parameters);

/// Copies of a sample of rows; all of them that are here.
SoftLevel sample_level(SoftMass& mass, const std::vector<Index>& sample);
/// A sample of rows near a kink of a mass of so many rows; what is beside it goes into `rest`.
SoftLevel near_level(NearSample near, Index rows, FrozenSum& rest);
SoftLevel whole_level(RowsHere rows, Index stands_for);

/// How wide a band is, from what the solutions on samples have shown.
class BandWidth {
 public:
  BandWidth(Index n, const BandParameters& parameters) : n_(n), parameters_(parameters) {}

  bool started() const { return solved_ > 0; }
  /// Rows of the first band of a level of so many.
  NearWish wish(Index rows) const;
  /// x is the solution on so many rows.
  void remember(Index rows);
  /// x has moved from the solution on one sample to that on the next: the root mean square, over rows near a kink, of the
  /// change of z. `rarest`: rows on the rarer side of their kinks.
  void learn(Index rarest, FunctionRef<double()> change);

 private:
  Index n_;
  const BandParameters& parameters_;
  Index solved_ = 0, previous_ = 0;  // x is the solution on so many rows, the one before it on so many
  bool tells_ = false;   // whether the last level had enough rows on each side for what it says of the spread
  double spread_ = 0.0;  // of g'(x - x') over rows, x and x' of samples, times the root of their size; 0: not known
};

/// rho_tau(r) = tau r + max(0, -r): the linear term q of a quantile regression is -tau times the sum of all rows, and a sample
/// that is held against the sum of all of them instead of its own may have no solution. So where the sum of the sample
/// differs from q, but for a factor, by no more than sampling explains, its own takes its place. Empty: it does not.
Vector tied_linear_part(const SoftLevel& level, const Vector& q, const BandParameters& parameters);

}  // namespace pliant
