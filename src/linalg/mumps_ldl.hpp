// Multifrontal factorisation by MUMPS (sequential build).
#pragma once

#include "linalg/sparse_ldl.hpp"

#include <dmumps_c.h>

#include <vector>

namespace pliant {

class MumpsLdl final : public SparseLdl {
 public:
  explicit MumpsLdl(const SparseMatrix& lower);
  ~MumpsLdl() override;
  MumpsLdl(const MumpsLdl&) = delete;
  MumpsLdl& operator=(const MumpsLdl&) = delete;

  bool factorize(const SparseMatrix& lower) override;
  void solve(VectorRef x) override;
  const char* name() const override { return "multifrontal"; }
  SparseLdlCost cost() const;

 private:
  bool call(int job);

  DMUMPS_STRUC_C state_{};
  std::vector<MUMPS_INT> rows_, columns_;
  std::vector<double> values_;
};

}  // namespace pliant
