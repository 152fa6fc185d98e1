#include "engines/path/gathered_lagrangian.hpp"

#include "certify/assess.hpp"
#include "model/natural_units.hpp"
#include "parallel/long_vectors.hpp"

#include <algorithm>

namespace pliant {
namespace {

// As one long vector: those of the gathered rows, of the sides of equalities, zero elsewhere.
Vector spread(const Problem& problem, const ConstraintSystem& system, const GatheredMultipliers& given,
              const Vector& lambda) {
  Vector all = parallel::constant(system.size(), 0.0);
  const std::vector<Index>& rows = given.block->rows();
  for (std::size_t k = 0; k < rows.size(); ++k) all[rows[k]] = lambda[static_cast<Index>(k)];
  if (given.nu.size() > 0) {
    const ConstraintBatch& equalities = *problem.equality_batch();
    equalities.duals_to_multipliers(given.nu, all.segment(system.inequalities(), equalities.size()));
  }
  return all;
}

}  // namespace

Vector GatheredMultipliers::plain() const {
  Vector out = lambda;
  block->original().clear_cones(out);
  return out;
}

void evaluate_gathered(const Problem& problem, ConstraintSystem& system, RowHolder& rows, const Vector& x,
                       const Vector& y, const GatheredMultipliers& given, Vector& values, LagrangianEvaluation& at) {
  RowSelection& gathered = given.block->original();
  const Vector lambda = given.plain();
  at.multipliers = spread(problem, system, given, lambda);
  at.gradient = Vector::Zero(x.size());
  at.smooth_value = problem.add_smooth_gradient(x, at.gradient);
  at.smooth_gradient_size = gradient_size(problem, at.gradient);
  Vector unused(gathered.size());
  values.resize(gathered.size());
  const auto weights = [&](Index first, Index count, const double*, double* w) {
    std::copy_n(lambda.data() + first, count, w);
  };
  gathered.sweep(x, weights, values, unused, at.gradient);
  // The Lagrangian needs the gathered rows exactly, not a bound.
  at.bounded = rows.sums(y, active_threshold(problem), {given.block->rows(), values}).bounded;
  parallel::resize(at.a, system.size());
  rows.values(y, at.a.head(rows.rows()));
  for (Index k = 0; k < values.size(); ++k) at.a[given.block->rows()[static_cast<std::size_t>(k)]] = values[k];
  if (given.dual_points.size() > 0) {
    at.cones.product = gathered.add_dual_points(x, given.dual_points, at.gradient);
    at.cones.multipliers = rows.layout().spread_dual_points(given.block->rows(), given.dual_points);
  }
  system.add_equalities(x, at.multipliers, at.a, at.gradient);
}

void evaluate_held(const Problem& problem, ProblemView& view, RowHolder& rows, const Vector& x, const Vector& y,
                   const GatheredMultipliers& given, LagrangianEvaluation& at) {
  const std::vector<Index>& gathered = given.block->rows();
  const NearRows near = rows.above(y, -rows.slack());
  std::vector<Index> all;
  std::set_union(gathered.begin(), gathered.end(), near.rows.begin(), near.rows.end(), std::back_inserter(all));
  Problem with_rows = problem;
  for (BatchPtr& batch : rows.fetch(all)) {
    std::string name = batch->name;
    with_rows.subject_to(std::move(batch), std::move(name));
  }
  view.stand_for_all(std::move(with_rows), all, rows.slack());
  ConstraintSystem& system = view.system();
  const Vector lambda = given.plain();
  Vector multipliers = Vector::Zero(system.size());
  std::vector<Index> places;  // of the gathered rows among all
  for (std::size_t k = 0; k < gathered.size(); ++k) {
    places.push_back(std::lower_bound(all.begin(), all.end(), gathered[k]) - all.begin());
    multipliers[places.back()] = lambda[static_cast<Index>(k)];
  }
  if (given.nu.size() > 0) {
    const ConstraintBatch& equalities = *view.problem().equality_batch();
    equalities.duals_to_multipliers(given.nu, multipliers.segment(system.inequalities(), equalities.size()));
  }
  evaluate_lagrangian(view.problem(), system, x, multipliers, at);
  at.bounded = rows.bounded(y);
  if (given.dual_points.size() == 0) return;
  RowSelection with_multipliers(system);
  with_multipliers.select(places);
  at.cones.product = with_multipliers.add_dual_points(x, given.dual_points, at.gradient);
  at.cones.multipliers = RowLayout(view.problem()).spread_dual_points(places, given.dual_points);
}

}  // namespace pliant
