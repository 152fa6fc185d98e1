#include "constraints/linear.hpp"
#include "constraints/log_sum_exp.hpp"
#include "constraints/quadratic.hpp"
#include "constraints/rank_one.hpp"
#include "io/container_matrix.hpp"
#include "io/container_parts.hpp"
#include "io/kind_table.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

namespace pliant::io {
namespace {

BatchPtr read_linear(Hdf5Reader& group, Index n) {
  DataMatrix G = read_matrix(group, "G", kAny, n);
  Doubles upper = group.doubles("upper", {G.rows()});
  if (!group.has_member("lower")) return linear_le(std::move(G), std::move(upper));
  Doubles lower = group.doubles("lower", {G.rows()});
  return linear_range(std::move(lower), std::move(G), std::move(upper));
}

void write_linear(const LinearBatch& batch, const Hdf5Writer& group) {
  write_matrix(group, "G", batch.matrix());
  group.doubles("upper", {batch.upper().size()}, batch.upper());
  if (batch.two_sided()) group.doubles("lower", {batch.lower().size()}, batch.lower());
}

// One family, three ways to store P_i: whole, as factors, as diagonals.
BatchPtr read_quadratic(Hdf5Reader& group, Index n) {
  const bool whole = group.has_member("P");
  const bool factored = group.has_member("factors");
  const bool diagonal = group.has_member("diagonals");
  if (whole + factored + diagonal != 1) group.place().fail("expected exactly one of P, factors and diagonals");
  Doubles q = group.doubles("q", {kAny, n});
  const Index m = q.size() / n;
  Doubles r = group.doubles("r", {m});
  if (whole) return quadratic_le(m, n, group.doubles("P", {m, n, n}), std::move(q), std::move(r));
  if (diagonal) return quadratic_diagonal_le(m, n, group.doubles("diagonals", {m, n}), std::move(q), std::move(r));
  const Index rank = group.shape("factors", {m, kAny, n})[1];
  return quadratic_lowrank_le(m, n, rank, group.doubles("factors", {m, rank, n}), std::move(q), std::move(r));
}

template <class Batch>
void write_linear_part(const Batch& batch, const Hdf5Writer& group) {
  group.doubles("q", {batch.size(), batch.dimension()}, batch.q());
  group.doubles("r", {batch.size()}, batch.r());
}

bool write_quadratic(const ConstraintBatch& batch, const Hdf5Writer& group) {
  const Index m = batch.size();
  const Index n = batch.dimension();
  if (const auto* whole = dynamic_cast<const QuadraticDenseBatch*>(&batch)) {
    group.doubles("P", {m, n, n}, whole->P());
    write_linear_part(*whole, group);
  } else if (const auto* factored = dynamic_cast<const QuadraticLowRankBatch*>(&batch)) {
    group.doubles("factors", {m, factored->rank(), n}, factored->factors());
    write_linear_part(*factored, group);
  } else if (const auto* diagonal = dynamic_cast<const QuadraticDiagonalBatch*>(&batch)) {
    group.doubles("diagonals", {m, n}, diagonal->diagonals());
    write_linear_part(*diagonal, group);
  } else {
    return false;
  }
  return true;
}

BatchPtr read_log_sum_exp(Hdf5Reader& group, Index n) {
  const Shape shape = group.shape("A", {kAny, kAny, n});
  Doubles A = group.doubles("A", shape);
  return log_sum_exp_le(shape[0], n, shape[1], std::move(A), group.doubles("b", {shape[0], shape[1]}));
}

void write_log_sum_exp(const LogSumExpBatch& batch, const Hdf5Writer& group) {
  group.doubles("A", {batch.size(), batch.terms(), batch.dimension()}, batch.A());
  group.doubles("b", {batch.size(), batch.terms()}, batch.b());
}

// The width of the points tells whether they are lifted.
BatchPtr read_rank_one(Hdf5Reader& group, Index n) {
  const Index order = matrix_order(group, n);
  const Shape shape = group.shape("points", {kAny, kAny});
  const bool lifted = shape[1] == order - 1;
  if (!lifted && shape[1] != order) {
    group.place().at("points").fail(fmt::format("expected {} columns, or {} to have 1 appended to every point, got {}",
                                                order, order - 1, shape[1]));
  }
  Doubles points = group.doubles("points", shape);
  Doubles b = group.doubles("b", {shape[0]});
  return lifted ? rank_one_lifted_le(shape[0], shape[1], std::move(points), std::move(b))
                : rank_one_le(shape[0], shape[1], std::move(points), std::move(b));
}

void write_rank_one(const RankOneBatch& batch, const Hdf5Writer& group) {
  group.doubles("points", {batch.size(), batch.width()}, batch.points());
  group.doubles("b", {batch.size()}, batch.b());
}

using Family = Kind<ConstraintBatch, BatchPtr>;

constexpr std::array kFamilies{
    Family{"linear", read_linear, write_as<LinearBatch, write_linear>},
    Family{"quadratic", read_quadratic, write_quadratic},
    Family{"log_sum_exp", read_log_sum_exp, write_as<LogSumExpBatch, write_log_sum_exp>},
    Family{"rank_one", read_rank_one, write_as<RankOneBatch, write_rank_one>},
};

}  // namespace

void read_constraints(Hdf5Reader group, Problem& problem) {
  const Index count = group.numbered_members();
  for (Index i = 0; i < count; ++i) {
    Hdf5Reader member = group.group(std::to_string(i));
    BatchPtr batch = read_kind(kFamilies, "family", member, problem.dimension());
    std::string name = member.optional_text("name").value_or("");
    member.done();
    member.place().explain([&] { problem.subject_to(std::move(batch), std::move(name)); });
  }
  group.done();
}

void write_constraints(const Problem& problem, const Hdf5Writer& group) {
  Index i = 0;
  for (const BatchPtr& batch : problem.batches()) {
    const Hdf5Writer member = group.group(std::to_string(i++));
    write_kind(kFamilies, "family", *batch, batch->family(), member);
    if (!batch->name.empty()) member.text("name", batch->name);
  }
}

}  // namespace pliant::io
