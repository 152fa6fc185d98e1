#include "engines/path/path_choices.hpp"

#include "engines/path/elastic_newton.hpp"
#include "engines/path/group_path.hpp"
#include "engines/path/primal_path.hpp"
#include "parallel/stop.hpp"

namespace pliant {

std::unique_ptr<PathForm> make_form(const PathModel& model, PathKind wanted) {
  if (group_parameters(model.problem.prox()) != nullptr) return std::make_unique<GroupPath>(model);
  const bool primal_dual = model.quadratic && model.linear_rows;
  if (wanted == PathKind::primal_dual && !primal_dual) {
    throw InputError("--path-form primal-dual: takes linear and quadratic objectives with linear rows only");
  }
  if (primal_dual && wanted != PathKind::primal) return std::make_unique<ElasticNewton>(model);
  return std::make_unique<PrimalPath>(model);
}

std::unique_ptr<VariableScaling> choose_coordinates(const Problem& problem, RowHolder& rows,
                                                    const random::Stream& stream, Index sample_size) {
  const parallel::StopScope undisturbed(nullptr);  // a few rows, without which there is nothing to stop at
  std::unique_ptr<VariableScaling> scaling;
  if (VariableScaling::applies(problem)) {
    scaling = VariableScaling::create(problem, rows, rows.layout().sample(sample_size, stream));
  }
  if (scaling == nullptr) rows.set_coordinates(Matrix());
  return scaling;
}

}  // namespace pliant
