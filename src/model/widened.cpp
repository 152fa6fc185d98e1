#include "model/widened.hpp"

#include "linalg/csr_builder.hpp"
#include "pliant/regularizers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {

DataMatrix widened(const DataMatrix& M, Index cols) {
  if (M.is_sparse()) return DataMatrix::csr(M.rows(), cols, M.starts(), M.columns(), M.values());
  CsrBuilder out(cols);
  for (Index i = 0; i < M.rows(); ++i) {
    out.entries(M, i, 1.0);
    out.end_row();
  }
  return out.take();
}

BatchPtr widened(const LinearRows& rows, Index n) {
  DataMatrix G = widened(rows.matrix(), n);
  return rows.two_sided() ? linear_range(rows.lower(), std::move(G), rows.upper())
                          : linear_le(std::move(G), rows.upper());
}

Doubles padded(const Doubles& numbers, Index size, double fill) {
  Vector out = Vector::Constant(size, fill);
  std::copy(numbers.begin(), numbers.end(), out.begin());
  return to_array(out);
}

TermPtr widened(const ObjectiveTerm& term, Index n) {
  const TermStructure structure = term.structure();
  if (structure.linear) return linear(padded(*structure.linear.c, n, 0.0), structure.linear.constant);
  if (structure.quadratic) {
    const DataMatrix P = widened(*structure.quadratic.P, n);
    std::vector<Index> starts(P.starts().begin(), P.starts().end());
    starts.resize(static_cast<std::size_t>(n) + 1, starts.back());
    return quadratic(DataMatrix::csr(n, n, std::move(starts), P.columns(), P.values()),
                     padded(*structure.quadratic.q, n, 0.0));
  }
  const LossSum& loss = *structure.losses;
  switch (loss.loss_kind()) {
    case LossKind::square:
      return least_squares(widened(loss.A(), n), loss.targets());
    case LossKind::logistic:
      return logistic(widened(loss.A(), n), loss.targets());
    case LossKind::huber:
      break;
  }
  return huber(widened(loss.A(), n), loss.targets(), loss.threshold());
}

TermPtr half_square(Index n, Index total, double weight) {
  CsrBuilder P(total);
  for (Index j = 0; j < total; ++j) {
    if (j < n) P.entry(j, weight);
    P.end_row();
  }
  return quadratic(P.take(), to_array(Vector::Zero(total)));
}

DataMatrix sum_of_first(Index n, Index total) {
  CsrBuilder sum(total);
  for (Index j = 0; j < n; ++j) sum.entry(j, 1.0);
  sum.end_row();
  return sum.take();
}

bool is_simplex(const Problem& problem) { return problem.prox().kind() == "simplex"; }

std::string widening_obstacle(const Problem& problem, std::string_view what) {
  for (const Problem::WeightedTerm& t : problem.terms()) {
    const TermStructure structure = t.term->structure();
    if (structure.linear || structure.quadratic || structure.losses != nullptr) continue;
    return fmt::format("{} beside the term {} are not supported", what, t.term->kind());
  }
  if (separable_parameters(problem.prox()) == nullptr && !is_simplex(problem)) {
    return fmt::format("{} beside the term {} are not supported", what, problem.prox().kind());
  }
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    if (problem.batches()[b]->linear_rows() != nullptr) continue;
    const bool soft = !problem.caps(static_cast<Index>(b)).empty();
    return soft
               ? fmt::format("soft rows of the family {} are not supported", problem.batches()[b]->family())
               : fmt::format("rows of the family {} beside {} are not supported", problem.batches()[b]->family(), what);
  }
  return {};
}

}  // namespace pliant
