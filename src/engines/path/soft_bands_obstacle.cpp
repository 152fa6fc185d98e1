#include "engines/path/path_model.hpp"
#include "engines/path/soft_bands.hpp"

#include <fmt/format.h>

namespace pliant {

std::string soft_bands_obstacle(const Problem& problem, const BandParameters& parameters) {
  if (std::string why = PathModel::obstacle(problem); !why.empty()) return why;
  if (!problem.conic().empty()) return "cones beside soft rows";
  Index hard = 0;
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const ConstraintBatch& batch = *problem.batches()[b];
    if (batch.linear_rows() == nullptr) return fmt::format("rows of the family {}", batch.family());
    if (problem.caps(static_cast<Index>(b)).empty()) hard += batch.size();
  }
  if (hard > parameters.most_hard_rows * problem.dimension()) {
    return fmt::format("{} hard rows, but bands keep all of them at hand and take {} at most", hard,
                       parameters.most_hard_rows * problem.dimension());
  }
  if (!PathModel(problem).quadratic) return "the objective is not quadratic";
  return {};
}

}  // namespace pliant
