// Cones of conic constraints h - Gx in K, K a product of cones over consecutive rows (the order and scaling of CVXPY).
#pragma once

#include "pliant/array.hpp"
#include "pliant/data_matrix.hpp"
#include "pliant/tensor.hpp"
#include "pliant/types.hpp"

#include <vector>

namespace pliant {

enum class ConeKind {
  zero,          ///< s = 0
  nonnegative,   ///< s >= 0
  second_order,  ///< s_0 >= |s_1..|
  semidefinite,  ///< s = svec(S) of a symmetric positive semidefinite matrix: its lower triangle column by column,
                 ///< off-diagonal entries times sqrt(2)
  exponential,   ///< (x, y, z): z >= y exp(x/y), y > 0, and the closure
  power,         ///< (x, y, z): x^alpha y^(1-alpha) >= |z|, x, y >= 0
};

struct Cone {
  ConeKind kind = ConeKind::nonnegative;
  Index rows = 0;      ///< rows it covers; order (order + 1)/2 for a semidefinite one
  double alpha = 0.5;  ///< of a power cone
};

/// h - Gx in K.
struct ConicConstraint {
  DataMatrix G;
  Doubles h;
  std::vector<Cone> cones;  ///< their rows add up to those of G
};

ConicConstraint conic(DataMatrix G, Doubles h, std::vector<Cone> cones);
/// |A_i x + b_i| <= c_i'x + d_i for i < m: A (m, k, n), b (m, k), c (m, n), d (m).
ConicConstraint soc_le(const Tensor& A, const Tensor& b, const Tensor& c, const Doubles& d);
/// F0_i + sum_j x_j F_ij negative semidefinite for i < m: F0 (m, k, k), F (m, n, k, k), all symmetric.
ConicConstraint lmi_le(const Tensor& F0, const Tensor& F);

}  // namespace pliant
