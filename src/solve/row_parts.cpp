// Rows of a problem cut into parts that share their numbers with it.
#include "cones/spectral.hpp"
#include "constraints/linear.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/rank_one.hpp"
#include "pliant/constraints.hpp"
#include "pliant/shards.hpp"
#include "rows/row_sums.hpp"
#include "solve/cone_rows.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {
namespace {

/// Entries begin, ..., end - 1.
struct Cut {
  Index begin, end;
  Index size() const { return end - begin; }
};

// `width` numbers for each entry.
template <class T>
SharedArray<T> cut_array(const SharedArray<T>& all, const Cut& cut, Index width) {
  // The view keeps the whole array.
  const auto whole = std::make_shared<SharedArray<T>>(all);
  return {all.data() + cut.begin * width, cut.size() * width, whole};
}

DataMatrix cut_matrix(const DataMatrix& all, const Cut& cut) {
  if (!all.is_sparse()) return DataMatrix::dense(cut.size(), all.cols(), cut_array(all.values(), cut, all.cols()));
  const Cut entries{all.starts()[cut.begin], all.starts()[cut.end]};
  std::vector<Index> starts;
  for (Index i = cut.begin; i <= cut.end; ++i) starts.push_back(all.starts()[i] - entries.begin);
  return DataMatrix::csr(cut.size(), all.cols(), std::move(starts), cut_array(all.columns(), entries, 1),
                         cut_array(all.values(), entries, 1));
}

BatchPtr cut_linear(const LinearRows& rows, const Cut& cut) {
  DataMatrix G = cut_matrix(rows.matrix(), cut);
  Doubles upper = cut_array(rows.upper(), cut, 1);
  if (!rows.two_sided()) return finite_linear_le(std::move(G), std::move(upper));
  return linear_range(cut_array(rows.lower(), cut, 1), std::move(G), std::move(upper));
}

BatchPtr cut_quadratic(const QuadraticRows& rows, const Cut& cut) {
  const Index m = cut.size(), n = rows.n, k = rows.rank;
  const Tensor q({m, n}, cut_array(rows.q, cut, n));
  Doubles r = cut_array(rows.r, cut, 1);
  switch (rows.form) {
    case QuadraticRows::Form::whole:
      return quadratic_le(Tensor({m, n, n}, cut_array(rows.data, cut, n * n)), q, std::move(r));
    case QuadraticRows::Form::factored:
      return quadratic_lowrank_le(Tensor({m, k, n}, cut_array(rows.data, cut, k * n)), q, std::move(r));
    case QuadraticRows::Form::diagonal:
      return quadratic_diagonal_le(Tensor({m, n}, cut_array(rows.data, cut, n)), q, std::move(r));
  }
  return nullptr;
}

BatchPtr cut_cones(const BatchPtr& batch, const ConeBlock& cones, const Cut& cut) {
  const Index width = cones.shape().rows;
  const Index first = cones.cones() > 0 ? cones.rows(0, 1).first() : 0;
  DataMatrix G = cut_matrix(cones.matrix(), {first + cut.begin * width, first + cut.end * width});
  Doubles h(cones.constants(0) + cut.begin * width, cut.size() * width, batch);
  return std::make_shared<SpectralBatch>(ConeBlock(std::move(G), std::move(h), 0, cut.size(), cones.shape()));
}

// What is cut: a row with two sides is one entry, and so is a cone.
Index entries(const ConstraintBatch& batch) {
  if (batch.group() > 1) return batch.size() / batch.group();
  const LinearRows* rows = batch.linear_rows();
  return rows != nullptr ? rows->matrix().rows() : batch.size();
}

BatchPtr cut_batch(const BatchPtr& whole, const Cut& cut) {
  const ConstraintBatch& batch = *whole;
  const BatchStructure structure = batch.structure();
  if (structure.eigenvalues != nullptr) return cut_cones(whole, structure.eigenvalues->cones(), cut);
  if (structure.linear_rows != nullptr) return cut_linear(*structure.linear_rows, cut);
  if (structure.quadratic_rows != nullptr) return cut_quadratic(*structure.quadratic_rows, cut);
  if (const RankOneBatch* points = structure.rank_one) {
    return std::make_shared<RankOneBatch>(cut.size(), points->order(), points->lifted(),
                                          cut_array(points->points(), cut, points->width()),
                                          cut_array(points->b(), cut, 1));
  }
  if (const auto* terms = dynamic_cast<const LogSumExpBatch*>(&batch)) {
    const Index k = terms->terms(), n = terms->dimension();
    return std::make_shared<LogSumExpBatch>(cut.size(), n, k, cut_array(terms->A(), cut, k * n),
                                            cut_array(terms->b(), cut, k));
  }
  throw InputError(fmt::format("rows of family {} cannot be cut into parts", batch.family()));
}

Cut cut_of(Index all, Index part, Index parts) {
  const Index chunks = (all + kSumChunk - 1) / kSumChunk;
  const auto border = [&](Index p) { return std::min(all, p * chunks / parts * kSumChunk); };
  return {border(part), border(part + 1)};
}

// The one batch of soft rows; hard ones stay beside it.
Index soft_batch(const Problem& problem) {
  Index found = -1, soft = 0;
  for (Index b = 0; b < static_cast<Index>(problem.batches().size()); ++b) {
    if (problem.caps(b).empty()) continue;
    found = b;
    ++soft;
  }
  if (soft != 1 || problem.batches()[static_cast<std::size_t>(found)]->linear_rows() == nullptr) {
    throw InputError("soft rows are cut into parts where they are one batch of linear rows");
  }
  return found;
}

// Prices belong to sides, of which a row may have none, one or two.
Problem soft_rows_of_part(const Problem& problem, Index part, Index parts) {
  const Index soft = soft_batch(problem);
  const BatchPtr& batch = problem.batches()[static_cast<std::size_t>(soft)];
  const LinearRows* rows = batch->linear_rows();
  const Cut cut = cut_of(rows->matrix().rows(), part, parts);
  Index first = 0, last = 0;
  for (Index i = 0; i < rows->constraints(); ++i) {
    first += rows->side(i).row < cut.begin ? 1 : 0;
    last += rows->side(i).row < cut.end ? 1 : 0;
  }
  Problem out(problem.dimension());
  out.minimize(SoftRows{cut_linear(*rows, cut), cut_array(problem.caps(soft), {first, last}, 1)}, 1.0, batch->name);
  return out;
}

void expect_part(Index part, Index parts) {
  if (part < 0 || part >= parts) throw InputError(fmt::format("part {} of {} parts", part, parts));
}

enum class Kinds : std::uint8_t { hard, all };

void copy_inequalities(const Problem& problem, Kinds wanted, Problem& out) {
  for (std::size_t b = 0; b < problem.batches().size(); ++b) {
    const BatchPtr& batch = problem.batches()[b];
    const Doubles& caps = problem.caps(static_cast<Index>(b));
    if (caps.empty()) {
      out.subject_to(batch, batch->name);
    } else if (wanted == Kinds::all) {
      out.minimize(SoftRows{batch, caps}, 1.0, batch->name);
    }
  }
  for (std::size_t c = 0; c < problem.conic().size(); ++c) {
    out.subject_to(problem.conic()[c], problem.conic_name(static_cast<Index>(c)));
  }
}

// What is neither a term nor an inequality.
void copy_rest(const Problem& problem, Problem& out) {
  out.regularize(problem.prox_ptr());
  if (problem.has_equalities()) out.equal(problem.equality_matrix(), problem.equality_rhs());
  out.name = problem.name;
  out.names = problem.names;
  out.sense = problem.sense;
  out.start = problem.start;
  if (out.constraints() == problem.constraints()) out.slater_point = problem.slater_point;
  out.known_optimum = problem.known_optimum;
}

}  // namespace

Problem without_rows(const Problem& problem) {
  Problem out(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) out.minimize(t.term, t.weight);
  if (problem.has_soft_rows()) copy_inequalities(problem, Kinds::hard, out);
  copy_rest(problem, out);
  out.names.constraints.clear();
  return out;
}

std::optional<LossesApart> without_losses(const Problem& problem) {
  std::optional<std::size_t> largest;
  const auto term = [&](std::size_t k) { return problem.terms()[k].term; };
  for (std::size_t k = 0; k < problem.terms().size(); ++k) {
    if (term(k)->structure().losses == nullptr) continue;
    if (!largest || term(k)->bytes() > term(*largest)->bytes()) largest = k;
  }
  if (!largest) return std::nullopt;
  const LossSum& losses = *term(*largest)->structure().losses;
  LossesApart out{{losses.loss_kind(), losses.threshold(), problem.terms()[*largest].weight},
                  term(*largest),
                  Problem(problem.dimension())};
  for (std::size_t k = 0; k < problem.terms().size(); ++k) {
    if (k != *largest) out.beside.minimize(term(k), problem.terms()[k].weight);
  }
  copy_inequalities(problem, Kinds::all, out.beside);
  copy_rest(problem, out.beside);
  return out;
}

Shard losses_of_part(const LossSum& losses, Index part, Index parts) {
  expect_part(part, parts);
  const Cut cut = cut_of(losses.A().rows(), part, parts);
  return {cut_matrix(losses.A(), cut), cut_array(losses.targets(), cut, 1)};
}

Problem rows_of_part(const Problem& problem, Index part, Index parts) {
  expect_part(part, parts);
  if (problem.has_soft_rows()) return soft_rows_of_part(problem, part, parts);
  const ConeRows rows(problem, Nonsmooth::spectral, 0.0);
  Problem out(problem.dimension());
  for (const BatchPtr& batch : rows.problem().batches()) {
    BatchPtr own = cut_batch(batch, cut_of(entries(*batch), part, parts));
    out.subject_to(std::move(own), batch->name);
  }
  return out;
}

}  // namespace pliant
