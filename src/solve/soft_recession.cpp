#include "solve/soft_recession.hpp"

#include "pliant/infeasibility.hpp"
#include "pliant/regularizers.hpp"
#include "prox/domain.hpp"
#include "solve/certify_again.hpp"
#include "solve/slack_columns.hpp"
#include "solve/slack_form.hpp"

#include <cmath>
#include <optional>

namespace pliant {
namespace {

// Slopes above this, relative to the sizes of cost and prices, are 0 up to the accuracy of the search.
constexpr double kDescent = 1e-9;

// The rows a d <= 0 of rows a x <= h.
BatchPtr homogeneous(const LinearRows& rows) {
  if (!rows.two_sided()) return linear_le(rows.matrix(), to_array(Vector::Zero(rows.matrix().rows())));
  Vector lo(rows.lower().size()), hi(rows.upper().size());
  for (Index i = 0; i < lo.size(); ++i) {
    lo[i] = std::isfinite(rows.lower()[i]) ? 0.0 : -kInfinity;
    hi[i] = std::isfinite(rows.upper()[i]) ? 0.0 : kInfinity;
  }
  return linear_range(to_array(lo), rows.matrix(), to_array(hi));
}

bool only_linear_and_quadratic(const Problem& problem) {
  for (const Problem::WeightedTerm& t : problem.terms()) {
    const TermStructure structure = t.term->structure();
    if (!structure.linear && !structure.quadratic) return false;
  }
  return true;
}

std::optional<Problem> recession(const Problem& problem) {
  if (!SlackForm::obstacle(problem).empty() || !problem.conic().empty() || !only_linear_and_quadratic(problem)) {
    return std::nullopt;
  }
  const SeparableParameters* psi = separable_parameters(problem.prox());
  if (psi == nullptr || psi->l2 > 0.0) return std::nullopt;
  const Index n = problem.dimension();
  const QuadraticParts parts = quadratic_parts(problem);
  Problem out(n);
  out.minimize(linear(to_array(parts.cost)));
  for (const QuadraticParts::Form& form : parts.forms) out.equal(*form.P, to_array(Vector::Zero(n)));
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const BatchPtr rows = homogeneous(*problem.batches()[b]->linear_rows());
    const Doubles& caps = problem.caps(static_cast<Index>(b));
    if (caps.empty()) {
      out.subject_to(rows);
    } else {
      out.minimize(positive_part(rows, caps));
    }
  }
  if (problem.has_equalities()) {
    out.equal(problem.equality_matrix(), to_array(Vector::Zero(problem.equality_matrix().rows())));
  }
  const RecessionBounds bounds = recession_bounds(problem.prox());
  out.regularize(box(to_array(Vector(bounds.lower.cwiseMax(-1.0))), to_array(Vector(bounds.upper.cwiseMin(1.0)))));
  if (psi->l1 > 0.0) out.regularize(l1(n, psi->l1));
  return out;
}

}  // namespace

void look_for_soft_ray(const Problem& problem, const Settings& settings, const SolveHooks& hooks, Result& result) {
  if (std::isfinite(problem.prox().domain_radius(result.x))) return;
  const std::optional<Problem> slopes = recession(problem);
  if (!slopes) return;
  Settings own;
  own.threads = settings.threads;
  own.seed = settings.seed;
  own.time_limit = settings.time_limit;
  SolveHooks inner;
  inner.interrupt = hooks.interrupt;
  const Result found = solve(*slopes, own, inner);
  result.passes += found.passes;
  const double scale = 1.0 + std::abs(found.certificate.objective);
  if (!found.x.allFinite() || !(found.certificate.objective < -kDescent * scale)) return;
  problem.prox().project(result.x);
  const UnboundednessProof proof = prove_unbounded_with_slacks(problem, result.x, found.x);
  if (!proof.holds) return;
  result.ray = found.x;
  set_unbounded(proof, settings, result);
}

}  // namespace pliant
