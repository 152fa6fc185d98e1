// What a batch tells methods and writers about its form, so that nobody has to know its class.
//
// Everything here is optional: a family that says nothing is solved by the methods that need nothing but values and
// derivatives.
#pragma once

#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"

#include <array>
#include <vector>

namespace pliant {

/// Rows G x <= hi, or lo <= G x <= hi with every row stored once.
///
/// A two-sided row r stands for up to two constraints: g_r'x - hi_r <= 0 and lo_r - g_r'x <= 0, in this order, row after
/// row; infinite sides are left out. Constraint i is sign_i g_{r_i}'x - c_i <= 0.
class LinearRows {
 public:
  LinearRows(DataMatrix G, Doubles h);
  LinearRows(Doubles lo, DataMatrix G, Doubles hi);

  const DataMatrix& matrix() const { return G_; }
  bool two_sided() const { return two_sided_; }
  const Doubles& lower() const { return lo_; }
  const Doubles& upper() const { return hi_; }
  /// Number of constraints.
  Index constraints() const { return two_sided_ ? static_cast<Index>(sides_.size()) : G_.rows(); }

  /// Stored row and sign of constraint i.
  struct Side {
    Index row;
    double sign;  ///< +1 upper, -1 lower
  };
  Side side(Index i) const { return two_sided_ ? sides_[static_cast<std::size_t>(i)] : Side{i, 1.0}; }
  /// c_i of constraint i.
  double constant(Index i) const {
    if (!two_sided_) return hi_[i];
    const Side side = sides_[static_cast<std::size_t>(i)];
    return side.sign > 0 ? hi_[side.row] : -lo_[side.row];
  }

 private:
  DataMatrix G_;
  Doubles lo_, hi_;
  bool two_sided_;
  std::vector<Side> sides_;
};

/// Rows 1/2 x'P_i x + q_i'x + r_i <= 0.
struct QuadraticRows {
  enum class Form {
    whole,     ///< P_i: n x n numbers
    factored,  ///< P_i = F_i'F_i, F_i: rank x n numbers
    diagonal   ///< P_i = diag(D_i), D_i: n numbers
  };
  Form form = Form::whole;
  Index n = 0, rank = 0;
  Doubles data, q, r;

  Index size() const { return r.size(); }
  /// P_i, dense.
  Matrix matrix(Index i) const;
};

struct Approximation;
class RankOneBatch;
class SmoothedConeBatch;
class SpectralBatch;

struct BatchStructure {
  /// Rows i g, ..., i g + g - 1 are the eigenvalues of one cone and only taken together; g = 1: rows stand alone.
  Index group = 1;
  /// Whether every a_i is affine: gradients do not depend on x and Hessians vanish.
  bool linear = false;
  /// Whether curvature weights may differ from 0: false for user functions without a Hessian.
  bool has_hessian = true;
  /// The large arrays behind bytes(), for measuring how long one plain read takes.
  std::array<const Doubles*, 2> arrays = {};

  /// The rows as data, where they are of such a form; methods that read matrices themselves then take the batch.
  const LinearRows* linear_rows = nullptr;
  const QuadraticRows* quadratic_rows = nullptr;
  /// What the rows stand for, if they only approximate it (approximation.hpp).
  const Approximation* approximates = nullptr;
  /// Families with operations of their own inside the library.
  const RankOneBatch* rank_one = nullptr;
  const SpectralBatch* eigenvalues = nullptr;
  const SmoothedConeBatch* smoothed_cones = nullptr;
};

}  // namespace pliant
