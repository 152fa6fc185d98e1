#include "solve/duals.hpp"

#include "parallel/long_vectors.hpp"

namespace pliant {
namespace {

Vector duals_of(const Problem& problem, const Multipliers& multipliers, const Handle& handle) {
  const auto part = static_cast<std::size_t>(handle.part);
  if (handle.kind == ConstraintKind::conic) {
    return multipliers.cones.empty() ? Vector(Vector::Zero(problem.conic()[part].G.rows())) : multipliers.cones[part];
  }
  if (handle.kind == ConstraintKind::equality) {
    const Index begin = problem.equality_parts()[part];
    return multipliers.nu.segment(begin, problem.equality_parts()[part + 1] - begin);
  }
  const ConstraintBatch& batch = *problem.batches()[part];
  Vector duals = parallel::constant(batch.dual_size(), 0.0);
  batch.multipliers_to_duals(multipliers.lambda[part], duals);
  return duals;
}

}  // namespace

std::vector<Vector> duals_by_handle(const Problem& problem, const Multipliers& multipliers) {
  std::vector<Vector> out;
  out.reserve(problem.handles().size());
  for (const Handle& handle : problem.handles()) out.push_back(duals_of(problem, multipliers, handle));
  return out;
}

}  // namespace pliant
