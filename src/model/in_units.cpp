#include "constraints/log_sum_exp.hpp"
#include "model/natural_units.hpp"

#include <cmath>
#include <vector>

namespace pliant {
namespace {

// Data and copy together may take this share of the memory there is.
constexpr double kMostMemory = 0.7;

// Products with powers of two that have lost nothing so far.
class Exactly {
 public:
  double operator()(double value, double power) {
    const double product = value * power;
    // Normal numbers times a power of two keep their digits as long as they stay normal.
    exact_ = exact_ && (std::isnormal(product) || value == 0.0 || std::isinf(value));
    return product;
  }
  bool exact() const { return exact_; }

 private:
  bool exact_ = true;
};

struct InUnits {
  const Vector& D;
  Exactly times_power{};

  Doubles times(const Doubles& values) { return times(values, D); }
  Doubles times(const Doubles& values, const Vector& powers);
  DataMatrix times(const DataMatrix& M);
  ConicConstraint cones(const ConicConstraint& conic, const Vector& factors);
  DataMatrix on_both_sides(const DataMatrix& M);
  TermPtr term(const ObjectiveTerm& term);
  BatchPtr quadratic_rows(const QuadraticRows& rows);
  BatchPtr batch(const ConstraintBatch& batch);
  void add_prox(const Problem& problem, Problem& out);
};

// Blocks of n numbers, one after the other, each times D or its squares.
Doubles InUnits::times(const Doubles& values, const Vector& powers) {
  const Index n = powers.size();
  std::vector<double> out(static_cast<std::size_t>(values.size()));
  for (Index p = 0; p < values.size(); ++p) out[static_cast<std::size_t>(p)] = times_power(values[p], powers[p % n]);
  return Doubles(std::move(out));
}

DataMatrix InUnits::times(const DataMatrix& M) {
  if (!M.is_sparse()) return DataMatrix::dense(M.rows(), M.cols(), times(M.values()));
  std::vector<double> values(static_cast<std::size_t>(M.nonzeros()));
  for (Index p = 0; p < M.nonzeros(); ++p)
    values[static_cast<std::size_t>(p)] = times_power(M.values()[p], D[M.columns()[p]]);
  return DataMatrix::csr(M.rows(), M.cols(), M.starts(), M.columns(), Doubles(std::move(values)));
}

// Rows of G D and h times their factors.
ConicConstraint InUnits::cones(const ConicConstraint& conic, const Vector& factors) {
  const DataMatrix G = times(conic.G);
  std::vector<double> values(static_cast<std::size_t>(G.nonzeros())), h(static_cast<std::size_t>(conic.h.size()));
  for (Index i = 0; i < G.rows(); ++i) {
    const Index begin = G.is_sparse() ? G.starts()[i] : i * G.cols();
    const Index end = G.is_sparse() ? G.starts()[i + 1] : begin + G.cols();
    for (Index p = begin; p < end; ++p) values[static_cast<std::size_t>(p)] = times_power(G.values()[p], factors[i]);
    h[static_cast<std::size_t>(i)] = times_power(conic.h[i], factors[i]);
  }
  DataMatrix scaled = G.is_sparse()
                          ? DataMatrix::csr(G.rows(), G.cols(), G.starts(), G.columns(), Doubles(std::move(values)))
                          : DataMatrix::dense(G.rows(), G.cols(), Doubles(std::move(values)));
  return {std::move(scaled), Doubles(std::move(h)), conic.cones};
}

// D M D
DataMatrix InUnits::on_both_sides(const DataMatrix& M) {
  const DataMatrix right = times(M);
  std::vector<double> values(static_cast<std::size_t>(right.nonzeros()));
  for (Index i = 0; i < M.rows(); ++i) {
    const Index begin = M.is_sparse() ? M.starts()[i] : i * M.cols();
    const Index end = M.is_sparse() ? M.starts()[i + 1] : begin + M.cols();
    for (Index p = begin; p < end; ++p) values[static_cast<std::size_t>(p)] = times_power(right.values()[p], D[i]);
  }
  if (!M.is_sparse()) return DataMatrix::dense(M.rows(), M.cols(), Doubles(std::move(values)));
  return DataMatrix::csr(M.rows(), M.cols(), M.starts(), M.columns(), Doubles(std::move(values)));
}

TermPtr InUnits::term(const ObjectiveTerm& given) {
  const TermStructure structure = given.structure();
  if (structure.linear) return linear(times(*structure.linear.c), structure.linear.constant);
  if (structure.quadratic) {
    return quadratic(on_both_sides(*structure.quadratic.P), times(*structure.quadratic.q));
  }
  const LossSum& losses = *structure.losses;
  switch (losses.loss_kind()) {
    case LossKind::square:
      return least_squares(times(losses.A()), losses.targets());
    case LossKind::logistic:
      return logistic(times(losses.A()), losses.targets());
    case LossKind::huber:
      return huber(times(losses.A()), losses.targets(), losses.threshold());
  }
  return nullptr;
}

BatchPtr InUnits::quadratic_rows(const QuadraticRows& rows) {
  const Index m = rows.size(), n = rows.n;
  const Tensor q({m, n}, times(rows.q));
  switch (rows.form) {
    case QuadraticRows::Form::factored:
      return quadratic_lowrank_le(Tensor({m, rows.rank, n}, times(rows.data)), q, rows.r);
    case QuadraticRows::Form::diagonal:
      return quadratic_diagonal_le(Tensor({m, n}, times(rows.data, D.cwiseAbs2())), q, rows.r);
    case QuadraticRows::Form::whole:
      break;
  }
  std::vector<double> data(static_cast<std::size_t>(rows.data.size()));
  for (Index p = 0; p < rows.data.size(); ++p) {
    data[static_cast<std::size_t>(p)] = times_power(times_power(rows.data[p], D[p % n]), D[p / n % n]);
  }
  return quadratic_le(Tensor({m, n, n}, Doubles(std::move(data))), q, rows.r);
}

BatchPtr InUnits::batch(const ConstraintBatch& given) {
  const BatchStructure structure = given.structure();
  if (const LinearRows* rows = structure.linear_rows) {
    DataMatrix G = times(rows->matrix());
    return rows->two_sided() ? linear_range(rows->lower(), std::move(G), rows->upper())
                             : linear_le(std::move(G), rows->upper());
  }
  if (structure.quadratic_rows != nullptr) return quadratic_rows(*structure.quadratic_rows);
  const auto& terms = dynamic_cast<const LogSumExpBatch&>(given);
  const Index m = terms.size(), k = terms.terms();
  return log_sum_exp_le(Tensor({m, k, D.size()}, times(terms.A())), Tensor({m, k}, terms.b()));
}

// Bounds keep their form; w/2 |x|^2 becomes a quadratic term.
void InUnits::add_prox(const Problem& problem, Problem& out) {
  const SeparableParameters& prox = *separable_parameters(problem.prox());
  const Vector inverse = D.cwiseInverse();
  if (!prox.lo.empty()) out.regularize(box(times(prox.lo, inverse), times(prox.hi, inverse)));
  if (prox.l2 == 0.0) return;
  const Index n = D.size();
  std::vector<Index> starts(static_cast<std::size_t>(n) + 1), columns(static_cast<std::size_t>(n));
  for (Index j = 0; j < n; ++j)
    starts[static_cast<std::size_t>(j) + 1] = (columns[static_cast<std::size_t>(j)] = j) + 1;
  out.minimize(quadratic(DataMatrix::csr(n, n, Indices(std::move(starts)), Indices(std::move(columns)),
                                         times(to_array(Vector::Constant(n, prox.l2)), D.cwiseAbs2())),
                         to_array(Vector::Zero(n))));
}

}  // namespace

bool copy_fits(const Problem& problem, Index memory) {
  return 2.0 * static_cast<double>(problem.data_bytes()) <= kMostMemory * static_cast<double>(memory);
}

std::optional<ProblemInUnits> in_units(const Problem& problem, const Vector& D) {
  InUnits units{D};
  Problem out(problem.dimension());
  std::vector<Vector> factors;
  for (const Problem::WeightedTerm& t : problem.terms()) out.minimize(units.term(*t.term), t.weight);
  units.add_prox(problem, out);
  for (const Handle& handle : problem.handles()) {
    const auto part = static_cast<std::size_t>(handle.part);
    if (handle.kind == ConstraintKind::batch) {
      const Doubles& caps = problem.caps(static_cast<Index>(part));
      const std::string& name = problem.batches()[part]->name;
      BatchPtr batch = units.batch(*problem.batches()[part]);
      caps.empty() ? out.subject_to(std::move(batch), name) : out.minimize(SoftRows{std::move(batch), caps}, 1.0, name);
    } else if (handle.kind == ConstraintKind::conic) {
      const ConicConstraint& conic = problem.conic()[part];
      factors.push_back(cone_factors(conic, D));
      out.subject_to(units.cones(conic, factors.back()), problem.conic_name(handle.part));
    }
  }
  // In one call: their rows are numbered through.
  if (problem.has_equalities()) out.equal(units.times(problem.equality_matrix()), problem.equality_rhs());
  out.name = problem.name;
  out.sense = problem.sense;
  if (problem.start) out.start = problem.start->cwiseQuotient(D);
  if (problem.slater_point) out.slater_point = problem.slater_point->cwiseQuotient(D);
  if (!units.times_power.exact()) return std::nullopt;
  return ProblemInUnits{std::move(out), std::move(factors)};
}

Multipliers ProblemInUnits::to_original(Multipliers of_copy) const {
  for (std::size_t k = 0; k < of_copy.cones.size(); ++k) of_copy.cones[k].array() *= cone_factors[k].array();
  return of_copy;
}

Multipliers ProblemInUnits::to_units(Multipliers of_original) const {
  for (std::size_t k = 0; k < of_original.cones.size(); ++k) of_original.cones[k].array() /= cone_factors[k].array();
  return of_original;
}

}  // namespace pliant
