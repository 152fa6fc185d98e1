// Rows whose numbers lie on a CUDA device, and solves that never bring all of them here.
//
// The rows are no part of a Problem: it has the objective, psi and equalities, and the rows stand beside it. Every check of
// all rows is made on the device, in FP64 arithmetic on the numbers as they are stored; the few rows that Newton steps and
// certificates need are fetched. docs/how-to/gpu.md.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/soft_loss.hpp"
#include "pliant/solve.hpp"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace pliant {

/// A dense matrix on a device, row after row without gaps. The numbers must stay where they are.
struct DeviceMatrix {
  const void* numbers = nullptr;
  Index rows = 0, columns = 0;
  bool single = false;  ///< floats instead of doubles
  int device = 0;
  void* stream = nullptr;  ///< a cudaStream_t: what it was asked for before comes first; null: the default one
};

/// One number for each row, on the device of its matrix (doubles or floats) or in this memory (doubles).
struct DeviceVector {
  const void* numbers = nullptr;
  bool single = false;
  bool on_device = true;
};

/// Rows on a device with what reads of them have taught; of use for one solve at a time.
class DeviceBatch;
using DeviceBatchPtr = std::shared_ptr<DeviceBatch>;

/// G x <= h with h on the device as well, doubles; an infinite h_i is no row.
DeviceBatchPtr linear_le_on_device(const DeviceMatrix& G, const double* h);
DeviceBatchPtr linear_le_on_device(const DeviceMatrix& G, const DeviceVector& h);
/// lo <= G x <= hi. Both sides are stored alike.
DeviceBatchPtr linear_range_on_device(const double* lo, const DeviceMatrix& G, const double* hi);
DeviceBatchPtr linear_range_on_device(const DeviceVector& lo, const DeviceMatrix& G, const DeviceVector& hi);

/// (p_i, 1)'X(p_i, 1) <= b_i over x = svec(X) as rank_one_lifted_le, points of up to 32 numbers.
DeviceBatchPtr rank_one_lifted_le_on_device(const DeviceMatrix& points, const double* b);
DeviceBatchPtr rank_one_lifted_le_on_device(const DeviceMatrix& points, const DeviceVector& b);
/// p_i'X p_i <= b_i.
DeviceBatchPtr rank_one_le_on_device(const DeviceMatrix& points, const DeviceVector& b);

/// 1/2 |F_i x|^2 + q_i'x <= upper_i: `factors` has `rank` rows of F_i for each of its rows, up to 5, and q one, stored alike.
DeviceBatchPtr quadratic_lowrank_le_on_device(const DeviceMatrix& factors, Index rank, const void* q,
                                              const DeviceVector& upper);
/// ln sum_k exp(A_ik'x + b_ik) <= upper_i, up to 6 terms each; b are doubles.
DeviceBatchPtr log_sum_exp_le_on_device(const DeviceMatrix& A, Index terms, const double* b, const DeviceVector& upper);

/// Constraints of rows on a device, the finite sides, and how many rows are stored.
Index constraints_of(const DeviceBatch& rows);
Index stored_rows_of(const DeviceBatch& rows);
/// The stored row behind a constraint, and the sign of its side: +1 upper, -1 lower.
struct DeviceSide {
  Index row;
  double sign;
};
DeviceSide side_of(const DeviceBatch& rows, Index constraint);

/// What a solve beside a device returns. The result's multipliers, constraint values and overview are those of `rows`
/// alone, numbered batch after batch: all others are proven inactive at x, with multiplier 0.
struct DeviceResult {
  Result result;
  std::vector<Index> rows;
  /// Of soft rows, which `rows` are then the ones near a kink, in the order in which they came: what they contribute to the
  /// gradient, per row. All others are proven to be on one side of their kinks at x, where it is a price.
  std::vector<double> slopes;
  /// Seconds the device spent on full reads, and how many there were.
  double read_seconds = 0.0;
  Index reads = 0;
};

/// Solves `problem`, which has no inequalities of its own, subject to rows on devices. Throws InputError where method path
/// does not take it, or the device fails.
DeviceResult solve(const Problem& problem, const std::vector<DeviceBatchPtr>& rows, const Settings& settings = {},
                   const SolveHooks& hooks = {});

/// Rows (g_i, h_i) that cost something where they are not held: linear_le_on_device of one finite h_i each, up to 512 numbers.
struct SoftOnDevice {
  SoftOnDevice(DeviceBatchPtr rows_there, SoftLoss named, double tau_or_eps = 0.0, double all = 1.0,
               const DeviceVector& each = {})
      : rows(std::move(rows_there)), loss(named), parameter(tau_or_eps), weight(all), weights(each) {}

  DeviceBatchPtr rows;
  SoftLoss loss;
  double parameter;  ///< tau, or eps
  double weight;
  DeviceVector weights;  ///< one factor >= 0 for each row; no numbers: 1 each
};
/// Solves `problem` with the sum of the losses of such rows in its objective; it may have some linear inequalities of its own,
/// 20 n at most, whose multipliers the result has.
DeviceResult solve(const Problem& problem, const SoftOnDevice& soft, const Settings& settings = {},
                   const SolveHooks& hooks = {});

}  // namespace pliant
