#include "io/container_matrix.hpp"
#include "io/container_parts.hpp"
#include "io/kind_table.hpp"
#include "pliant/constraints.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

namespace pliant::io {
namespace {

BatchPtr read_linear_rows(Hdf5Reader& group, Index n) {
  DataMatrix G = read_matrix(group, "G", kAny, n);
  Doubles upper = group.doubles("upper", {G.rows()});
  if (!group.has_member("lower")) return linear_le(std::move(G), std::move(upper));
  Doubles lower = group.doubles("lower", {G.rows()});
  return linear_range(std::move(lower), std::move(G), std::move(upper));
}

// One family, three ways to store P_i: whole, as factors, as diagonals.
BatchPtr read_quadratic_rows(Hdf5Reader& group, Index n) {
  const bool whole = group.has_member("P");
  const bool factored = group.has_member("factors");
  const bool diagonal = group.has_member("diagonals");
  if (whole + factored + diagonal != 1) group.place().fail("expected exactly one of P, factors and diagonals");
  Doubles q = group.doubles("q", {kAny, n});
  const Index m = q.size() / n;
  Doubles r = group.doubles("r", {m});
  if (whole)
    return quadratic_le(Tensor({m, n, n}, group.doubles("P", {m, n, n})), Tensor({m, n}, std::move(q)), std::move(r));
  if (diagonal)
    return quadratic_diagonal_le(Tensor({m, n}, group.doubles("diagonals", {m, n})), Tensor({m, n}, std::move(q)),
                                 std::move(r));
  const Index rank = group.shape("factors", {m, kAny, n})[1];
  return quadratic_lowrank_le(Tensor({m, rank, n}, group.doubles("factors", {m, rank, n})),
                              Tensor({m, n}, std::move(q)), std::move(r));
}

BatchPtr read_log_sum_exp(Hdf5Reader& group, Index n) {
  const Shape shape = group.shape("A", {kAny, kAny, n});
  Doubles A = group.doubles("A", shape);
  return log_sum_exp_le(Tensor({shape[0], shape[1], n}, std::move(A)),
                        Tensor({shape[0], shape[1]}, group.doubles("b", {shape[0], shape[1]})));
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
  return lifted ? rank_one_lifted_le(Tensor({shape[0], shape[1]}, std::move(points)), std::move(b))
                : rank_one_le(Tensor({shape[0], shape[1]}, std::move(points)), std::move(b));
}

using Family = Kind<BatchPtr>;

constexpr std::array kFamilies{
    Family{"linear",
           read_linear_rows,
           {{{"`G x <= upper`", "matrix `G` (m, n); `upper` (m)", "`linear_le(G, h)`"},
             {"`lower <= G x <= upper`", "the same and `lower` (m); infinite entries are no constraints",
              "`linear_range(lo, G, hi)`"}}},
           "L = 0, C0 = \\|g\\|^2, C1 = 0"},
    Family{"quadratic",
           read_quadratic_rows,
           {{{"`1/2 x'P_i x + q_i'x + r_i <= 0`",
              "`P` (m, n, n), or `factors` (m, k, n) with `P_i = F_i'F_i`, or `diagonals` (m, n); `q` (m, n); `r` (m)",
              "`quadratic_le(P, q, r, *, factor, diagonal)`"}}},
           "L = lambda_max(P), C0 = 2 L max(0, -min a), infinite without a minimum, C1 = 2 L"},
    Family{"log_sum_exp",
           read_log_sum_exp,
           {{{"`ln sum_k exp(A_ik x + b_ik) <= 0`", "`A` (m, k, n); `b` (m, k)", "`log_sum_exp_le(A, b)`"}}},
           "L = the least of a quarter of the squared diameter of the A_k (up to 64 of them) and their largest squared "
           "norm about "
           "0 and about their mean, C0 = max \\|A_k\\|^2, C1 = 0"},
    Family{"rank_one",
           read_rank_one,
           {{{"`q_i'X q_i <= b_i`, `x = svec(X)`", "`points` (m, p); `b` (m)", "`rank_one_le(points, b, *, lifted)`"},
             {"the same with `q_i = (p_i, 1)`", "`points` (m, p - 1); `b` (m)", "the same with `lifted=True`"}}},
           "L = 0, C0 = \\|q\\|^4, C1 = 0"},
};

// The prices of soft rows; none: the rows are hard.
std::optional<Doubles> read_weights(Hdf5Reader& group, const ConstraintBatch& batch, Index version) {
  if (!group.has_member("weights")) return std::nullopt;
  const Hdf5Place place = group.place().at("weights");
  if (version < kSoftRowsVersion) {
    place.fail(fmt::format("soft rows need version {} of the container, the file says {}", kSoftRowsVersion, version));
  }
  Doubles weights = group.doubles("weights", {batch.size()});
  for (Index i = 0; i < weights.size(); ++i) {
    if (weights[i] >= 0.0 && std::isfinite(weights[i])) continue;
    place.fail(fmt::format("entry {} is {}, expected a finite number >= 0", i, weights[i]));
  }
  return weights;
}

}  // namespace

void read_constraints(Hdf5Reader group, Index version, Problem& problem) {
  const Index count = group.numbered_members();
  for (Index i = 0; i < count; ++i) {
    Hdf5Reader member = group.group(std::to_string(i));
    BatchPtr batch = read_kind(kFamilies, "family", member, problem.dimension());
    std::optional<Doubles> weights = read_weights(member, *batch, version);
    std::string name = member.optional_text("name").value_or("");
    member.done();
    member.place().explain([&] {
      weights ? problem.minimize(SoftRows{std::move(batch), std::move(*weights)}, 1.0, std::move(name))
              : problem.subject_to(std::move(batch), std::move(name));
    });
  }
  group.done();
}

void write_constraints(const Problem& problem, const Hdf5Writer& group) {
  Index i = 0;
  for (const BatchPtr& batch : problem.batches()) {
    const Doubles& weights = problem.caps(i);
    const Hdf5Writer member = group.group(std::to_string(i++));
    write_kind(kFamilies, "family", batch->stored(), batch->family(), member);
    if (!weights.empty()) member.doubles("weights", {weights.size()}, weights);
    if (!batch->name.empty()) member.text("name", batch->name);
  }
}

}  // namespace pliant::io

std::vector<pliant::KindInfo> pliant::constraint_kinds() { return io::describe(io::kFamilies); }
