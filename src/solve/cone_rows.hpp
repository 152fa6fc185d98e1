// Cones as rows: the problem that methods for rows solve in place of one with small second-order and semidefinite
// cones.
//
//   spectral    every eigenvalue is a row (cones/spectral.hpp); the same problem
//   logsumexp   one row per cone, a smoothed largest eigenvalue (cones/smoothed_cone.hpp); a problem whose
//   feasible
//               set lies inside, nu ln r from the boundary at most
//
// Rows of nonnegative cones, of matrices of order 1 and of second-order cones of one row become linear rows.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/settings.hpp"

#include <string>
#include <vector>

namespace pliant {

/// Everything of a problem but its cones.
Problem without_cones(const Problem& problem);
/// The terms, batches and equalities alone, for who says the rest in another way.
Problem terms_and_rows(const Problem& problem);

class ConeRows {
 public:
  /// Why the cones of a problem cannot become rows, in words; empty if they can.
  static std::string obstacle(const Problem& problem);

  /// `nu`: for logsumexp.
  ConeRows(const Problem& problem, Nonsmooth treatment, double nu);

  const Problem& problem() const { return rows_; }
  /// The largest error nu ln r of a smoothed eigenvalue; 0 for spectral.
  double error() const;

  /// Multipliers of the original problem from those of the rows at x.
  Multipliers to_cones(ConstVectorRef x, const Multipliers& rows) const;
  /// Constraints of an overview named as those of the original problem.
  void name_cones(ConstraintOverview& overview) const;
  /// Multipliers of the rows that select the right cones, and their dual points: a warm start.
  Multipliers to_rows(const Multipliers& cones) const;

 private:
  struct Piece {
    std::size_t conic;  // index of the conic constraint
    Index begin;        // its first row there
    Index rows;
    Index number;  // of its first cone there, rows of nonnegative ones counted one by one
    BatchPtr batch;
  };

  const Problem& original_;
  Problem rows_;
  std::vector<Piece> pieces_;
};

}  // namespace pliant
