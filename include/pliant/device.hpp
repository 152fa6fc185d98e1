// Rows whose numbers lie on a CUDA device, and solves that never bring all of them here.
//
// The rows are no part of a Problem: it has the objective, psi and equalities, and the rows stand beside it. Every check of
// all rows is made on the device, in FP64 arithmetic on the numbers as they are stored; the few rows that Newton steps and
// certificates need are fetched. docs/how-to/gpu.md.
#pragma once

#include "pliant/problem.hpp"
#include "pliant/result.hpp"
#include "pliant/solve.hpp"

#include <memory>
#include <string>
#include <vector>

namespace pliant {

/// A dense matrix on a device, row after row without gaps. The numbers must stay where they are.
struct DeviceMatrix {
  const void* numbers = nullptr;
  Index rows = 0, columns = 0;
  bool single = false;  ///< floats instead of doubles
  int device = 0;
};

/// Rows on a device with what reads of them have taught; of use for one solve at a time.
class DeviceBatch;
using DeviceBatchPtr = std::shared_ptr<DeviceBatch>;

/// G x <= h with h on the device as well, doubles; an infinite h_i is no row.
DeviceBatchPtr linear_le_on_device(const DeviceMatrix& G, const double* h);
/// lo <= G x <= hi.
DeviceBatchPtr linear_range_on_device(const double* lo, const DeviceMatrix& G, const double* hi);

/// (p_i, 1)'X(p_i, 1) <= b_i over x = svec(X) as rank_one_lifted_le, points of up to 32 numbers.
DeviceBatchPtr rank_one_lifted_le_on_device(const DeviceMatrix& points, const double* b);

/// What a solve beside a device returns. The result's multipliers, constraint values and overview are those of `rows`
/// alone, numbered batch after batch: all others are proven inactive at x, with multiplier 0.
struct DeviceResult {
  Result result;
  std::vector<Index> rows;
  /// Seconds the device spent on full reads, and how many there were.
  double read_seconds = 0.0;
  Index reads = 0;
};

/// Solves `problem`, which has no inequalities of its own, subject to rows on devices. Throws InputError where method path
/// does not take it, or the device fails.
DeviceResult solve(const Problem& problem, const std::vector<DeviceBatchPtr>& rows, const Settings& settings = {},
                   const SolveHooks& hooks = {});

}  // namespace pliant
