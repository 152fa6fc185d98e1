#include "linalg/mumps_ldl.hpp"

#include "linalg/lapack_lock.hpp"
#include "machine/activity.hpp"

#include <fmt/format.h>

#include <new>

namespace pliant {
namespace {

constexpr int kUseCommWorld = -987654;
constexpr int kInitialize = -1, kFinalize = -2, kAnalyse = 1, kFactorize = 2, kSolve = 3;
constexpr int kScotch = 3, kOwnChoice = 7;
constexpr int kWorkspaceTooSmall = -9, kWorkspaceTooSmallInSolve = -11, kNoIntegerMemory = -7, kNoMemory = -13;
// Pivots below this share of their column are delayed. Quasi-definite matrices need none of it in exact arithmetic;
// a small threshold guards against the worst cancellations at almost no fill.
constexpr double kPivotThreshold = 1e-8;

// Small blocks of one call together, and of the last one, with room to spare: 5.5 takes 60 kB for the structure of a matrix.
constexpr std::size_t kSmallBlocks = 1 << 20, kSmallBlocksOfTheEnd = 1 << 17;

// Throws std::bad_alloc unless so many bytes can be had.
void expect_room(std::size_t bytes) {
  const auto block = std::make_unique_for_overwrite<char[]>(bytes);
  *static_cast<volatile char*>(block.get()) = 0;  // so that no compiler leaves it out
}

}  // namespace

MumpsLdl::State::State() : DMUMPS_STRUC_C{}, kept_(std::make_unique_for_overwrite<char[]>(kSmallBlocksOfTheEnd)) {
  par = 1;
  sym = 2;
  comm_fortran = kUseCommWorld;
  if (!call(kInitialize)) throw std::bad_alloc();
}

MumpsLdl::State::~State() {
  kept_.reset();
  run(kFinalize);
}

bool MumpsLdl::State::call(int wanted) {
  expect_room(kSmallBlocks);
  return run(wanted);
}

bool MumpsLdl::State::run(int wanted) {
  const LapackLock lock;
  job = wanted;
  dmumps_c(this);
  return infog[0] >= 0;
}

void MumpsLdl::expect_memory() const {
  const int code = state_.infog[0];
  if (code == kNoIntegerMemory || code == kNoMemory) throw std::bad_alloc();
}

MumpsLdl::MumpsLdl(const SparseMatrix& lower, Ordering ordering) {
  for (int i = 0; i < 4; ++i) state_.icntl[i] = i == 3 ? 0 : -1;              // silent
  state_.icntl[6] = ordering == Ordering::dissection ? kScotch : kOwnChoice;  // from the pattern alone
  state_.icntl[5] = 0;                                                        // no permutation by values
  state_.icntl[7] = 0;    // no scaling: the matrix comes equilibrated
  state_.icntl[11] = 1;   // ordering of the matrix as it is
  state_.icntl[13] = 30;  // per cent of extra workspace
  state_.icntl[23] = 1;   // pivots lost to rounding are replaced
  state_.cntl[0] = kPivotThreshold;
  state_.cntl[4] = 0.0;
  rows_.reserve(static_cast<std::size_t>(lower.nonZeros()));
  columns_.reserve(static_cast<std::size_t>(lower.nonZeros()));
  for (int j = 0; j < lower.outerSize(); ++j) {
    for (SparseMatrix::InnerIterator it(lower, j); it; ++it) {
      rows_.push_back(static_cast<MUMPS_INT>(it.row()) + 1);
      columns_.push_back(j + 1);
    }
  }
  state_.n = static_cast<MUMPS_INT>(lower.rows());
  state_.nnz = static_cast<MUMPS_INT8>(rows_.size());
  state_.irn = rows_.data();
  state_.jcn = columns_.data();
  const machine::Activity analysing("analysing a sparse matrix");
  if (!call(kAnalyse)) {
    expect_memory();
    throw std::runtime_error(fmt::format("MUMPS analysis failed with code {} ({})", state_.infog[0], state_.infog[1]));
  }
}

SparseLdlCost MumpsLdl::cost() const { return {state_.rinfog[0], static_cast<double>(state_.infog[19])}; }

Eigen::VectorXi MumpsLdl::order() const {
  Eigen::VectorXi place(state_.n);
  for (int j = 0; j < state_.n; ++j) place[j] = state_.sym_perm[j] - 1;
  return place;
}

bool MumpsLdl::factorize(const SparseMatrix& lower) {
  values_.assign(lower.valuePtr(), lower.valuePtr() + lower.nonZeros());
  state_.a = values_.data();
  constexpr int kMostExtraWorkspace = 1000;
  const machine::Activity factorising("factorising a sparse matrix");
  while (!call(kFactorize)) {
    expect_memory();
    const bool small = state_.infog[0] == kWorkspaceTooSmall || state_.infog[0] == kWorkspaceTooSmallInSolve;
    if (!small || state_.icntl[13] > kMostExtraWorkspace) return false;
    state_.icntl[13] *= 2;
  }
  return true;
}

void MumpsLdl::solve(VectorRef x) {
  state_.rhs = x.data();
  state_.nrhs = 1;
  state_.lrhs = state_.n;
  if (call(kSolve)) return;
  expect_memory();
  x.setConstant(std::numeric_limits<double>::quiet_NaN());  // refused by whoever looks at it
}

}  // namespace pliant
