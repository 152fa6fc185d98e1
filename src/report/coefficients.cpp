#include "report/coefficients.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant::report {

void Magnitudes::add(double value) {
  const double size = std::abs(value);
  if (size == 0.0 || !std::isfinite(size)) return;
  ++count;
  least = std::min(least, size);
  largest = std::max(largest, size);
}

void Magnitudes::add(const Doubles& values) {
  for (const double v : values) add(v);
}

namespace {

void add_matrix(const DataMatrix& matrix, Coefficients& out) {
  for (Index i = 0; i < matrix.rows(); ++i) {
    const Index begin = matrix.is_sparse() ? matrix.starts()[i] : i * matrix.cols();
    const Index end = matrix.is_sparse() ? matrix.starts()[i + 1] : begin + matrix.cols();
    double largest = 0.0;
    for (Index p = begin; p < end; ++p) {
      out.entries.add(matrix.values()[p]);
      largest = std::max(largest, std::abs(matrix.values()[p]));
    }
    out.rows.add(largest);
  }
}

void add_batch(const ConstraintBatch& batch, Coefficients& out) {
  const BatchStructure form = batch.structure();
  if (form.linear_rows != nullptr) {
    add_matrix(form.linear_rows->matrix(), out);
    out.constants.add(form.linear_rows->upper());
    out.constants.add(form.linear_rows->lower());
    return;
  }
  for (const Doubles& array : batch.arrays()) out.entries.add(array);
  const Vector constants = batch.constant_terms();
  for (const double c : constants) out.constants.add(c);
}

void add_term(const ObjectiveTerm& term, Magnitudes& out) {
  const TermStructure form = term.structure();
  if (form.linear) out.add(*form.linear.c);
  if (form.quadratic) {
    out.add(form.quadratic.P->values());
    out.add(*form.quadratic.q);
  }
  if (form.losses != nullptr) out.add(form.losses->A().values());
}

}  // namespace

Coefficients coefficients(const Problem& problem) {
  Coefficients out;
  for (const BatchPtr& batch : problem.batches()) add_batch(*batch, out);
  for (const ConicConstraint& conic : problem.conic()) {
    add_matrix(conic.G, out);
    out.constants.add(conic.h);
  }
  if (problem.has_equalities()) {
    add_matrix(problem.equality_matrix(), out);
    out.constants.add(problem.equality_rhs());
  }
  for (const Problem::WeightedTerm& t : problem.terms()) add_term(*t.term, out.objective);
  if (const SeparableParameters* psi = separable_parameters(problem.prox())) {
    out.bounds.add(psi->lo);
    out.bounds.add(psi->hi);
  }
  return out;
}

std::vector<std::string> warnings(const Coefficients& c) {
  std::vector<std::string> out;
  const auto range = [](const Magnitudes& m) { return fmt::format("{:.1e} to {:.1e}", m.least, m.largest); };
  if (c.rows.span() > kWideSpan) {
    out.push_back(
        fmt::format("rows are of sizes {}: beside the large ones the small ones keep few digits, and tolerances are "
                    "absolute where constants are small; multiply rows so that they are alike",
                    range(c.rows)));
  }
  if (c.constants.span() > kWideSpan) {
    out.push_back(
        fmt::format("constants of rows are of sizes {}: a row may be violated by tol_feas times 1 + its constant, "
                    "which is much for some and little for others; other units may suit better",
                    range(c.constants)));
  }
  if (c.objective.span() > kWideSpan) {
    out.push_back(
        fmt::format("numbers of the objective are of sizes {}: the small ones may be lost in tol_gap times 1 + "
                    "|objective|",
                    range(c.objective)));
  }
  return out;
}

}  // namespace pliant::report
