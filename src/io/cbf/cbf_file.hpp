// The contents of a CBF file (Conic Benchmark Format, versions 1 to 3):
//
//   minimise or maximise  <F0, X> + a0'x + b0
//   subject to            <F_i, X> + a_i'x + b_i  in the cones of CON,   x in the cones of VAR
//                         sum_j x_j H_kj + D_k    positive semidefinite, X_j positive semidefinite
//
// as the file has them: indices from 0, PSD entries for one triangle of symmetric matrices.
#pragma once

#include "pliant/types.hpp"

#include <filesystem>
#include <vector>

namespace pliant::io {

enum class CbfKind {
  free,              ///< F
  zero,              ///< L=
  nonnegative,       ///< L+
  nonpositive,       ///< L-
  quadratic,         ///< Q: x0 >= |x1..|
  rotated,           ///< QR: 2 x0 x1 >= |x2..|^2, x0, x1 >= 0
  exponential,       ///< EXP: x0 >= x1 exp(x2/x1)
  dual_exponential,  ///< EXP*
  power,             ///< @k:POW: x0^alpha x1^(1-alpha) >= |x2|
  dual_power,        ///< @k:POW*
};

struct CbfCone {
  CbfKind kind = CbfKind::free;
  Index rows = 0;
  double alpha = 0.5;  ///< of power cones
};

/// An entry of a scalar row, of a matrix, of a matrix within a row (`row`, `block`) or within a sum (`block`, `row`).
struct CbfEntry {
  Index row = 0;
  Index column = 0;
  double value = 0.0;
};
struct CbfMatrixEntry {
  Index row = 0;       ///< FCOORD: scalar row; HCOORD: variable; OBJFCOORD, DCOORD: 0
  Index block = 0;     ///< PSD variable, or PSD constraint in HCOORD and DCOORD
  Index i = 0, j = 0;  ///< i >= j
  double value = 0.0;
};

struct CbfFile {
  bool maximize = false;
  Index n = 0, m = 0;
  std::vector<CbfCone> variables, constraints;        ///< they cover n and m
  std::vector<Index> psd_variables, psd_constraints;  ///< their orders
  double constant = 0.0;                              ///< OBJBCOORD
  std::vector<CbfEntry> objective;                    ///< OBJACOORD: column, value
  std::vector<CbfEntry> A, b;                         ///< ACOORD; BCOORD: row, value
  std::vector<CbfMatrixEntry> objective_psd, F, H, D;
};

/// Reads a plain or compressed file. Throws InputError "FILE: line N: what".
CbfFile read_cbf(const std::filesystem::path& file);
/// Writes it; `.gz` compresses.
void write_cbf(const CbfFile& contents, const std::filesystem::path& file);

}  // namespace pliant::io
