#include "engines/path/path_choices.hpp"

#include "engines/path/elastic_newton.hpp"
#include "engines/path/group_path.hpp"
#include "engines/path/primal_path.hpp"
#include "parallel/stop.hpp"

#include <algorithm>

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

// Distances are those of violations of so many times the tolerance by a row with a gradient of length 1.
bool far_beyond_a_row(const PathModel& model, const Candidates& rows, const Vector& x, double tolerance) {
  constexpr double kFarBeyond = 10.0;
  if (!model.linear_rows) return false;
  const double far = kFarBeyond * tolerance * (1.0 + x.lpNorm<Eigen::Infinity>());
  for (std::size_t k = 0; k < rows.rows.size(); ++k) {
    if (rows.values[k] > 0.0 && rows.distances[k] > far) return true;
  }
  return false;
}

Index rows_behind_a_group(const RowLayout& layout, const WorkingSetParameters& parameters) {
  Index numbers = 0;
  for (const RowLayout::Segment& s : layout.segments()) {
    numbers += s.size / s.group * (s.cone_rows > parameters.small_cone ? s.cone_rows : 1);
  }
  const double mean = static_cast<double>(numbers) / static_cast<double>(std::max(Index{1}, layout.groups()));
  return std::max(Index{1}, static_cast<Index>(mean / parameters.numbers_of_row));
}

std::vector<Index> farthest_candidates(const Candidates& candidates, double distance, Index most) {
  std::vector<std::pair<double, Index>> chosen;
  for (std::size_t k = 0; k < candidates.rows.size(); ++k) {
    if (candidates.distances[k] > distance) chosen.emplace_back(-candidates.distances[k], candidates.rows[k]);
  }
  const auto limit = static_cast<std::size_t>(most);
  if (chosen.size() > limit) {
    std::nth_element(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(limit), chosen.end());
    chosen.resize(limit);
  }
  std::vector<Index> rows;
  for (const auto& [negated, row] : chosen) rows.push_back(row);
  return rows;
}

void add_small_batches(const RowLayout& layout, Index most, std::vector<Index>& rows) {
  for (const RowLayout::Segment& s : layout.segments()) {
    if (s.size > most) continue;
    most -= s.size;
    for (Index i = s.begin; i < s.end(); ++i) rows.push_back(i);
  }
}

}  // namespace pliant
