// Semidefinite programs in the form the engine works on:
//
//   minimise c'x + constant   subject to   S = sum x_i F_i - F0,  S block diagonal and positive semidefinite
//
// Every semidefinite cone of order >= 2 is a dense block; rows of nonnegative cones and 1 x 1 matrices make up one
// diagonal block. Variables are scaled such that |F_i| = 1 (Frobenius norm over all blocks).
#pragma once

#include "engines/interior/equilibration.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/problem.hpp"

#include <string>
#include <vector>

namespace pliant {

/// One dense block: the F_i that are not 0 there, as lower triangles, the one with most entries first.
struct SemidefiniteBlock {
  struct Entry {
    Index row, column;  ///< row >= column
    double value;
  };
  Index order = 0;
  Index conic = 0, first_row = 0;  ///< where it stands in the problem
  Matrix F0;
  std::vector<Index> variables;  ///< i of every F_i
  std::vector<Index> starts;     ///< entries of the k-th: starts[k]..starts[k+1]
  std::vector<Entry> entries;

  /// out += sum x_i F_i, both triangles.
  void add_combination(const Vector& x, Matrix& out) const;
  /// out_i += <F_i, Y>, Y symmetric.
  void add_products(const Matrix& Y, Vector& out) const;
};

struct SemidefiniteForm {
  Vector c;  ///< scaled
  double constant = 0.0;
  Equilibration scaling;  ///< of the variables
  std::vector<SemidefiniteBlock> blocks;

  /// The diagonal block: s = A x - b, rows of A scaled likewise.
  struct DiagonalRow {
    Index conic, row;
  };
  std::vector<DiagonalRow> rows;
  DataMatrix A;
  Vector b;

  Index variables() const { return c.size(); }
  /// A x, and out += A'y.
  Vector rows_times(const Vector& x) const;
  void add_rows_transposed(const Vector& y, Vector& out) const;
  /// Sum of the orders of all blocks.
  Index rank() const;
};

/// Why a problem has no such form, in words; empty if it has.
std::string semidefinite_obstacle(const Problem& problem);
/// Whether it, or its dual (semidefinite_dual.hpp), has such a form, and semidefinite cones: without them other engines
/// are faster.
bool is_semidefinite_program(const Problem& problem);
SemidefiniteForm semidefinite_form(const Problem& problem);

}  // namespace pliant
