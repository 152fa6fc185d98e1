// Multifrontal factorisation by MUMPS (sequential build).
#pragma once

#include "linalg/sparse_ldl.hpp"

#include <dmumps_c.h>

#include <memory>
#include <vector>

namespace pliant {

class MumpsLdl final : public SparseLdl {
 public:
  /// How MUMPS orders the pivots; `dissection` is that of SCOTCH where MUMPS was built with it.
  enum class Ordering { own_choice, dissection };

  explicit MumpsLdl(const SparseMatrix& lower, Ordering ordering = Ordering::own_choice);
  MumpsLdl(const MumpsLdl&) = delete;
  MumpsLdl& operator=(const MumpsLdl&) = delete;

  bool factorize(const SparseMatrix& lower) override;
  void solve(VectorRef x) override;
  const char* name() const override { return "multifrontal"; }
  SparseLdlCost cost() const;
  /// The place of each column among the pivots.
  Eigen::VectorXi order() const;

 private:
  // MUMPS's own memory, given back also where the analysis fails. It looks at whether its large blocks could be had, but
  // crashes or ends the process where small ones could not: memory for these is asked for before it is called.
  struct State : DMUMPS_STRUC_C {
    State();
    ~State();
    bool call(int job);

   private:
    bool run(int job);
    std::unique_ptr<char[]> kept_;  // for the small blocks of the end
  };
  bool call(int job) { return state_.call(job); }
  // Where the last call failed because there was no memory for it: std::bad_alloc.
  void expect_memory() const;

  State state_;
  std::vector<MUMPS_INT> rows_, columns_;
  std::vector<double> values_;
};

}  // namespace pliant
