#include "linalg/sparse_ldl.hpp"

#include "linalg/mumps_ldl.hpp"
#include "linalg/simplicial_ldl.hpp"

namespace pliant {
namespace {

// Below this many operations the calls of MUMPS cost more than its kernels save.
constexpr double kSimplicialFlops = 2e7;

}  // namespace

std::unique_ptr<SparseLdl> make_sparse_ldl(const SparseMatrix& lower, Index positive, LdlKind kind,
                                           SparseLdlCost& cost) {
  if (kind != LdlKind::multifrontal) {
    auto simplicial = std::make_unique<SimplicialLdl>(lower, positive);
    cost = simplicial->cost();
    if (kind == LdlKind::simplicial || cost.flops < kSimplicialFlops) return simplicial;
  }
  auto multifrontal = std::make_unique<MumpsLdl>(lower);
  cost = multifrontal->cost();
  return multifrontal;
}

}  // namespace pliant
