// How long each linear algebra of the path engine will take on a linear or quadratic program, predicted from its
// pattern: what plans compare. Seconds are those of one core at about 2e10 operations a second; their ratios count.
#pragma once

#include "linalg/sparse_ldl.hpp"
#include "pliant/problem.hpp"

namespace pliant {

/// What predictions need to know of a program.
struct ProgramSizes {
  double variables = 0.0, rows = 0.0;
  double row_entries = 0.0, objective_entries = 0.0;  ///< stored numbers
  double squared_rows = 0.0;                          ///< sum of the squares of their lengths
  double condition = 1.0;                             ///< of the objective: smoothness over strong convexity
  bool one_step = false;  ///< neither inequalities nor kinks: the optimality conditions are linear
};
ProgramSizes sizes_of(const Problem& problem);

/// Interior steps on all rows, with factorisations of that cost.
double predict_sparse_seconds(const SparseLdlCost& factor, double matrix_entries, const ProgramSizes& sizes);
/// The least that can take, whatever the fill.
double least_sparse_seconds(const ProgramSizes& sizes);
/// Dense steps on working sets.
double predict_dense_seconds(const ProgramSizes& sizes);
/// Conjugate gradients: passes, and what one costs.
double predict_iterative_passes(const ProgramSizes& sizes);
double seconds_per_pass(const ProgramSizes& sizes);

}  // namespace pliant
