// Eigen's dense kernels and decompositions of matrices of doubles, compiled once (eigen_instances.cpp) instead of in
// every file that multiplies or factorises. The build reads this header before each file (precompiled headers): files
// include Eigen as ever, and are right without it, only slower to compile.
#pragma once

#include "linalg/eigen_memory.hpp"  // before Eigen itself

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>

// Names and parameters of kernels are those of this release; with another one each file compiles its own.
#if EIGEN_VERSION_AT_LEAST(3, 4, 0) && !EIGEN_VERSION_AT_LEAST(3, 4, 90)

#ifndef PLIANT_EIGEN_INSTANCE
#define PLIANT_EIGEN_INSTANCE extern template
#endif

namespace Eigen::internal {

using DoubleTraits = gebp_traits<double, double>;
using DoubleResult = blas_data_mapper<double, Index, ColMajor>;
using DoubleColumns = const_blas_data_mapper<double, Index, ColMajor>;
using DoubleRows = const_blas_data_mapper<double, Index, RowMajor>;
using DoublePacked = DoubleTraits::LhsPacket4Packing;
constexpr int kDoubleMr = DoubleTraits::mr, kDoubleNr = DoubleTraits::nr, kDoubleProgress = DoubleTraits::LhsProgress;

// Products of matrices: the panels' kernel, and the packing of panels.
PLIANT_EIGEN_INSTANCE struct gebp_kernel<double, double, Index, DoubleResult, kDoubleMr, kDoubleNr, false, false>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_lhs<double, Index, DoubleColumns, kDoubleMr, kDoubleProgress, DoublePacked,
                                           ColMajor, false, false>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_lhs<double, Index, DoubleRows, kDoubleMr, kDoubleProgress, DoublePacked,
                                           RowMajor, false, false>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_lhs<double, Index, DoubleResult, kDoubleMr, kDoubleProgress, DoublePacked,
                                           ColMajor, false, true>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, DoubleColumns, kDoubleNr, ColMajor, false, false>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, DoubleRows, kDoubleNr, RowMajor, false, false>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, DoubleColumns, kDoubleNr, ColMajor, false, true>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, DoubleRows, kDoubleNr, RowMajor, false, true>;
PLIANT_EIGEN_INSTANCE struct gemm_pack_rhs<double, Index, DoubleResult, kDoubleNr, ColMajor, false, true>;
PLIANT_EIGEN_INSTANCE struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor, false,
                                                           ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false,
                                                           ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false,
                                                           ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct general_matrix_matrix_product<Index, double, RowMajor, false, double, RowMajor, false,
                                                           ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct general_matrix_matrix_triangular_product<Index, double, ColMajor, false, double, RowMajor,
                                                                      false, ColMajor, 1, Lower, 0>;
PLIANT_EIGEN_INSTANCE struct general_matrix_matrix_triangular_product<Index, double, RowMajor, false, double, ColMajor,
                                                                      false, ColMajor, 1, Lower, 0>;

// Products with vectors, contiguous ones and others, and with triangles.
PLIANT_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, DoubleColumns, ColMajor, false, double,
                                                           DoubleRows, false, 0>;
PLIANT_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, DoubleColumns, ColMajor, false, double,
                                                           DoubleColumns, false, 0>;
PLIANT_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, DoubleRows, RowMajor, false, double,
                                                           DoubleColumns, false, 0>;
PLIANT_EIGEN_INSTANCE struct general_matrix_vector_product<Index, double, DoubleRows, RowMajor, false, double,
                                                           DoubleRows, false, 1>;
PLIANT_EIGEN_INSTANCE struct selfadjoint_matrix_vector_product<double, Index, ColMajor, Lower, false, false, 0>;
PLIANT_EIGEN_INSTANCE struct triangular_matrix_vector_product<Index, UnitUpper, double, false, double, false, RowMajor,
                                                              0>;
PLIANT_EIGEN_INSTANCE struct product_triangular_matrix_matrix<double, Index, Upper, true, RowMajor, false, ColMajor,
                                                              false, ColMajor, 1, 0>;
PLIANT_EIGEN_INSTANCE struct product_triangular_matrix_matrix<double, Index, Lower, true, ColMajor, false, ColMajor,
                                                              false, ColMajor, 1, 0>;

// Triangular solves: L and its transpose from the left, the transpose from the right.
PLIANT_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, Lower, false, ColMajor, ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheLeft, Upper, false, RowMajor, ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_matrix<double, Index, OnTheRight, Upper, false, RowMajor, ColMajor, 1>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_vector<double, double, Index, OnTheLeft, Lower, false, ColMajor>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_vector<double, double, Index, OnTheLeft, Upper, false, RowMajor>;
PLIANT_EIGEN_INSTANCE struct triangular_solve_vector<double, double, Index, OnTheLeft, Upper, false, ColMajor>;

}  // namespace Eigen::internal

namespace Eigen {

// Decompositions; those in place as well. Householder's QR lives in orthogonal_factor.cpp alone.
PLIANT_EIGEN_INSTANCE LLT<MatrixXd>& LLT<MatrixXd>::compute(const EigenBase<MatrixXd>&);
PLIANT_EIGEN_INSTANCE LLT<Ref<MatrixXd>>& LLT<Ref<MatrixXd>>::compute(const EigenBase<Ref<MatrixXd>>&);
PLIANT_EIGEN_INSTANCE SelfAdjointEigenSolver<MatrixXd>& SelfAdjointEigenSolver<MatrixXd>::compute(
    const EigenBase<MatrixXd>&, int);

}  // namespace Eigen

#endif
