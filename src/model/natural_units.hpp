// Units in which the variables of a problem are of one size.
//
// Seconds beside metres beside dollars: with x = D y the same problem may have rows whose entries are alike, or differ by
// twelve decades. Entries of D are powers of two, so that the problem in y is the same problem to the last bit.
#pragma once

#include "pliant/certificate.hpp"
#include "pliant/problem.hpp"

namespace pliant {

/// The diagonal of D, from a sample of the rows: columns of G D alike once every row is divided by its norm, and typical
/// rows at a distance of about 1 from 0. Empty where the variables are of one size already (within kAlike), where there
/// are no rows to tell, or where the problem cannot be written in other units (can_change_units). Problems keep it:
/// Problem::natural_units.
Vector find_natural_units(const Problem& problem);

/// |D g|_inf: the size of a gradient of F in these units.
double gradient_size(const Problem& problem, ConstVectorRef g);

/// Whether every part of the problem knows other units: linear and quadratic terms and losses, boxes, linear, quadratic,
/// log-sum-exp rows, equalities, cones. An l1 term, a ball or a function of the user ties variables to their units.
bool can_change_units(const Problem& problem);

/// The problem over y with x = D y: data copied, handles in the same order, names left out.
struct ProblemInUnits {
  Problem problem;
  /// Rows of cones whose entries are small are multiplied, all rows of a cone by one power of two: one number per row.
  std::vector<Vector> cone_factors;

  /// Multipliers of the problem from those of the copy, and the other way round.
  Multipliers to_original(Multipliers of_copy) const;
  Multipliers to_units(Multipliers of_original) const;
};
/// Needs can_change_units. Nothing where a number would leave the range of doubles: what is proved of the copy is then no
/// proof for the problem.
std::optional<ProblemInUnits> in_units(const Problem& problem, const Vector& D);

/// The factors of the rows of G D: 1 where no entry of a cone is small.
Vector cone_factors(const ConicConstraint& conic, const Vector& D);

/// Whether data and a copy of them fit into so much memory, with room for the work on them.
bool copy_fits(const Problem& problem, Index memory);

}  // namespace pliant
