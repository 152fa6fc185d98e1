// The data of many cones of one shape: rows first, first + 1, ... of a matrix, `shape.rows` for each cone.
#pragma once

#include "cones/eigen_frame.hpp"
#include "pliant/constraint_batch.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/rows.hpp"

#include <string>
#include <vector>

namespace pliant {

/// The rows of one cone where they are not zero.
struct ConePatch {
  std::vector<Index> columns;  ///< that the cone touches, ascending
  Matrix G;                    ///< its rows there
};

class ConeBlock {
 public:
  /// `trusted`: somebody has checked the numbers already.
  ConeBlock(DataMatrix G, Doubles h, Index first_row, Index cones, ConeShape shape, bool trusted = false)
      : G_(std::move(G)), h_(std::move(h)), first_(first_row), cones_(cones), shape_(shape), trusted_(trusted) {}

  Index cones() const { return cones_; }
  Index dimension() const { return G_.cols(); }
  const ConeShape& shape() const { return shape_; }
  const DataMatrix& matrix() const { return G_; }
  /// Rows of the matrix behind cones begin, ..., begin + count - 1.
  Rows rows(Index begin, Index count) const { return Rows::range(first_ + begin * shape_.rows, count * shape_.rows); }
  /// h of one cone
  const double* constants(Index cone) const { return h_.data() + first_ + cone * shape_.rows; }
  Index bytes(Index begin, Index count) const { return G_.bytes(rows(begin, count)); }
  /// Throws InputError naming `label` if G or h contains NaN or infinity.
  void validate(const std::string& label) const;
  /// max |h|
  double constant_scale() const;
  /// The same of one cone.
  double constant_scale(Index cone) const {
    return Eigen::Map<const Vector>(constants(cone), shape_.rows).lpNorm<Eigen::Infinity>();
  }

  /// s = h - Gx of cones begin, ..., begin + count - 1.
  void slack(Index begin, Index count, const double* x, double* s) const;
  /// g = G d of the same.
  void along(Index begin, Index count, const double* d, double* g) const;
  /// A line for cones that have `rows_per_cone` rows of a batch each: inner = slacks, inner_d = G d, cone after cone.
  void prepare_line(ConstVectorRef x, ConstVectorRef d, Rows batch_rows, Index rows_per_cone, LineModel& line) const;
  /// gradient += G'z
  void add_dual(Index begin, Index count, const double* z, double* gradient) const;
  /// out += G'v, v of one cone
  void column(Index cone, const double* v, double* out) const { add_dual(cone, 1, v, out); }
  /// False, with the patch undefined, for dense data and where the cone touches more than `most` columns.
  bool patch(Index cone, Index most, ConePatch& out) const;
  /// The largest eigenvalue of G d: none of the cone's grows faster along d, from wherever.
  double growth(Index cone, const double* minus_d) const;
  /// Upper bound of |grad a_j| for every eigenvalue of a cone, wherever x is.
  double lipschitz(Index cone) const;

 private:
  /// Upper bound of the largest singular value of rows begin, ..., begin + count - 1 of the matrix.
  double largest_singular_value(Index begin, Index count) const;

  DataMatrix G_;
  Doubles h_;
  Index first_, cones_;
  ConeShape shape_;
  bool trusted_;
};

}  // namespace pliant
