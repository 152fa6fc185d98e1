#include "linalg/sparse_ldl.hpp"

#include "linalg/mumps_ldl.hpp"
#include "linalg/simplicial_ldl.hpp"
#include "linalg/supernodal_ldl.hpp"
#include "machine/activity.hpp"

namespace pliant {
namespace {

// Below this many operations blocks cost more than their kernels save.
constexpr double kSimplicialFlops = 2e7;

}  // namespace

std::unique_ptr<SparseLdl> make_sparse_ldl(const SparseMatrix& lower, Index positive, LdlKind kind,
                                           SparseLdlCost& cost) {
  const machine::Activity analysing("analysing a sparse matrix");
  if (kind != LdlKind::multifrontal) {
    LdlAnalysis analysis = analyse_ldl(lower);
    cost = analysis.cost();
    const bool small = kind == LdlKind::automatic && cost.flops < kSimplicialFlops;
    if (small || kind == LdlKind::simplicial) {
      return std::make_unique<SimplicialLdl>(lower, positive, std::move(analysis));
    }
    return std::make_unique<SupernodalLdl>(lower, positive, analysis);
  }
  auto multifrontal = std::make_unique<MumpsLdl>(lower);
  cost = multifrontal->cost();
  return multifrontal;
}

}  // namespace pliant
