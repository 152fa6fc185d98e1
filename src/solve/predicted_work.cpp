#include "solve/predicted_work.hpp"

#include "constraints/linear.hpp"
#include "engines/first_order/lbfgs.hpp"
#include "engines/interior/kkt_system.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Measured as the seconds of a step are (kkt_system.cpp). Interior-point methods take 10 to 40 steps, whatever the size.
constexpr double kInteriorSteps = 25.0;
// Working sets take 50 to 190 Newton steps in all their rounds, the more the more rows meet at the solution (convex
// regression), each with a dense Cholesky factorisation, ...
constexpr double kWorkingSteps = 110.0;
constexpr double kCholeskyFlop = 6e-11;
// ... a dense matrix to be filled and read, and about eight working rows for each variable, ...
constexpr double kDenseEntry = 4e-9;
constexpr double kWorkingRowsPerVariable = 8.0;
constexpr double kWorkingEntry = 4e-9;
// ... and see all rows a few times.
constexpr double kWorkingPasses = 5.0;
constexpr double kReadEntry = 5e-9;
// Conjugate gradients: passes fitted to 21 programs (n = 100..4000, 3 to 100 rows per variable, condition 4 to 8e5), all
// within a factor of two. The more rows per variable, the smaller the share of them near their boundary, which products
// read; penalties hide the condition of the objective. Beyond what was measured its root counts, as in theory.
constexpr double kIterativePasses = 150.0;
constexpr double kPassesByVariables = 1.0 / 3.0, kPassesByRows = 0.4, kPassesByCondition = 0.12;
constexpr double kLargestMeasuredCondition = 1e6, kFewestMeasuredVariables = 100.0;
// A product reads every entry twice, by rows and by columns.
constexpr double kProductEntry = 7e-9;

}  // namespace

ProgramSizes sizes_of(const Problem& problem) {
  ProgramSizes out;
  out.variables = static_cast<double>(problem.dimension());
  const auto add = [&](const DataMatrix& G) {
    out.rows += static_cast<double>(G.rows());
    out.row_entries += static_cast<double>(G.nonzeros());
    for (Index i = 0; i < G.rows(); ++i) {
      const auto length = static_cast<double>(G.is_sparse() ? G.starts()[i + 1] - G.starts()[i] : G.cols());
      out.squared_rows += length * length;
    }
  };
  for (const BatchPtr& batch : problem.batches()) {
    if (const auto* linear = batch->linear_rows()) add(linear->matrix());
  }
  if (problem.has_equalities()) add(problem.equality_matrix());
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (const QuadraticForm form = t.term->structure().quadratic) {
      out.objective_entries += static_cast<double>(form.P->nonzeros());
    }
  }
  out.one_step = problem.constraints() == 0 && Lbfgs::obstacle(problem).empty();
  const double mu = problem.strong_convexity();
  out.condition = mu > 0.0 ? std::max(1.0, (problem.smoothness() + problem.prox().strong_convexity()) / mu) : kInfinity;
  return out;
}

double predict_sparse_seconds(const SparseLdlCost& factor, double matrix_entries, const ProgramSizes& sizes) {
  return (sizes.one_step ? 1.0 : kInteriorSteps) * predict_step_seconds(factor, matrix_entries);
}

double least_sparse_seconds(const ProgramSizes& sizes) {
  const double entries = sizes.row_entries + sizes.rows + sizes.variables;
  return predict_sparse_seconds({0.0, entries}, entries, sizes);
}

double predict_dense_seconds(const ProgramSizes& sizes) {
  const double n = sizes.variables;
  const double share = sizes.rows > 0.0 ? std::min(1.0, kWorkingRowsPerVariable * n / sizes.rows) : 0.0;
  const double factor = kCholeskyFlop * n * n * n / 3.0 + kDenseEntry * n * n;
  return kWorkingSteps * (factor + kWorkingEntry * share * sizes.squared_rows) +
         kWorkingPasses * kReadEntry * sizes.row_entries;
}

// 150 n^(1/3) (n/m)^0.4 (L/mu)^0.12
double predict_iterative_passes(const ProgramSizes& sizes) {
  const double measured = std::min(sizes.condition, kLargestMeasuredCondition);
  return kIterativePasses * std::pow(std::max(sizes.variables, kFewestMeasuredVariables), kPassesByVariables) *
         std::pow(sizes.variables / std::max(1.0, sizes.rows), kPassesByRows) * std::pow(measured, kPassesByCondition) *
         std::sqrt(sizes.condition / measured);
}

double seconds_per_pass(const ProgramSizes& sizes) {
  return kProductEntry * (sizes.row_entries + sizes.objective_entries + sizes.variables);
}

}  // namespace pliant
