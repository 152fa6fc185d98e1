#include "certify/unbalanced.hpp"

#include "linalg/csr_builder.hpp"
#include "pliant/regularizers.hpp"

#include <cmath>
#include <vector>

namespace pliant {
namespace {

// Of the parts of an entry of the gradient, the objective's share, and what is left of all of them, at least where nothing
// balances the objective: at a solution it is a tiny share. Multipliers may be noise, costs are not: a variable
// without cost is pushed by nothing but the multipliers of rows that should have none.
constexpr double kLeft = 0.5;

// Whether the Lagrangian is curved along each variable, as far as that is known: all of them in doubt.
std::vector<bool> curved_variables(const Problem& problem, const ConstraintSystem& system, ConstVectorRef multipliers) {
  const auto n = static_cast<std::size_t>(problem.dimension());
  const std::vector<bool> all(n, true);
  for (Index s = 0; s < system.segments(); ++s) {
    const ConstraintBatch& batch = system.batch(s);
    if (batch.linear()) continue;
    if ((multipliers.segment(system.segment_begin(s), batch.size()).array() > kLeastMultiplier).any()) return all;
  }
  std::vector<bool> out(n, false);
  for (const Problem::WeightedTerm& t : problem.terms()) {
    const TermStructure form = t.term->structure();
    if (t.weight == 0.0 || form.linear) continue;
    if (!form.quadratic) return all;
    const DataMatrix& P = *form.quadratic.P;  // semidefinite: a row without a diagonal entry is empty
    for (Index j = 0; j < P.rows(); ++j) {
      for_each_entry(P, j, [&](Index k, double value) {
        if (k == j && value != 0.0) out[static_cast<std::size_t>(j)] = true;
      });
    }
  }
  return out;
}

}  // namespace

double unbalanced_cost(const Problem& problem, const ConstraintSystem& system, const ProofPoint& at,
                       const LagrangianEnclosure& lagrangian) {
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi == nullptr || psi->l2 > 0.0) return 0.0;
  const Vector& units = problem.natural_units();
  std::vector<bool> curved;
  Vector costs;
  double cost = 0.0;
  for (Index j = 0; j < at.x.size(); ++j) {
    const double push = lagrangian.gradient[j], size = lagrangian.gradient_sizes[j];
    const double force = std::abs(push) - psi->l1;
    if (!(force > kLeft * size)) continue;
    const double lo = psi->lo.empty() ? -kInfinity : psi->lo[j], hi = psi->hi.empty() ? kInfinity : psi->hi[j];
    const double distance = push > 0.0 ? at.x[j] - lo : hi - at.x[j];
    const double reach = std::abs(at.x[j]) + (units.size() > 0 ? units[j] : 1.0);
    if (!(distance > reach)) continue;  // nearer bounds count anyway
    if (curved.empty()) {
      curved = curved_variables(problem, system, at.multipliers);
      costs = Vector::Zero(at.x.size());
      problem.add_smooth_gradient(at.x, costs);
    }
    if (!curved[static_cast<std::size_t>(j)] && std::abs(costs[j]) >= kLeft * size) cost += force * distance;
  }
  return cost;
}

}  // namespace pliant
