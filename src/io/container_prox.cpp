#include "io/container_parts.hpp"
#include "io/kind_table.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace pliant::io {
namespace {

Doubles constant_bound(Index n, double value) {
  return Doubles(std::vector<double>(static_cast<std::size_t>(n), value));
}

// The narrowest term with these weights or bounds, so that reports call it as its author did.
ProxPtr weights_term(Index n, double w1, double w2) {
  if (w2 == 0.0) return w1 == 0.0 ? no_regularizer(n) : l1(n, w1);
  return w1 == 0.0 ? l2_squared(n, w2) : elastic_net(n, w1, w2);
}

ProxPtr bounds_term(Doubles lo, Doubles hi) {
  const bool from_zero = std::all_of(lo.begin(), lo.end(), [](double t) { return t == 0.0; });
  const bool unlimited = std::all_of(hi.begin(), hi.end(), [](double t) { return t == kInfinity; });
  return from_zero && unlimited ? nonnegative(lo.size()) : box(std::move(lo), std::move(hi));
}

ProxPtr read_separable(Hdf5Reader& group, Index n) {
  const double w1 = group.number_or("l1", 0.0);
  const double w2 = group.number_or("l2", 0.0);
  ProxPtr weights = weights_term(n, w1, w2);
  const bool has_lo = group.has_member("lo");
  const bool has_hi = group.has_member("hi");
  if (!has_lo && !has_hi) return weights;
  // The side that is given confirms n before the other is filled.
  Doubles lo = has_lo ? group.doubles("lo", {n}) : Doubles();
  Doubles hi = has_hi ? group.doubles("hi", {n}) : constant_bound(n, kInfinity);
  if (!has_lo) lo = constant_bound(n, -kInfinity);
  return combine(weights, bounds_term(std::move(lo), std::move(hi)));
}

ProxPtr read_simplex(Hdf5Reader& group, Index n) { return simplex(n, group.number("radius")); }
ProxPtr read_ball(Hdf5Reader& group, Index n) { return ball(n, group.number("radius")); }

ProxPtr read_group_l2(Hdf5Reader& group, Index n) {
  Indices groups = group.indices("groups", {n});
  return group_l2(std::move(groups), group.doubles("weights", {kAny}));
}

using ProxKind = Kind<ProxPtr>;

constexpr std::array kProxTerms{
    ProxKind{"separable",
             read_separable,
             {{{"`l1 \\|x\\|_1 + l2/2 \\|x\\|^2` on `lo <= x <= hi`",
                "attributes `l1`, `l2` (default 0); `lo` (n), `hi` (n), each optional, entries may be infinite",
                "`l1(w)`, `l2_squared(w)`, `elastic_net(w1, w2)`, `box(lo, hi)`, `nonnegative()`"}}}},
    ProxKind{"simplex", read_simplex, {{{"`x >= 0`, `sum x = radius`", "attribute `radius`", "`simplex(r)`"}}}},
    ProxKind{"ball", read_ball, {{{"`\\|x\\|_2 <= radius`", "attribute `radius`", "`ball(r)`"}}}},
    ProxKind{"group_l2",
             read_group_l2,
             {{{"`sum_g weights_g \\|x_g\\|_2`",
                "`groups` (n): the group of each variable; `weights` (number of groups)", "`group_l2(groups, w)`"}}}},
};

}  // namespace

void read_prox(Hdf5Reader group, Problem& problem) {
  ProxPtr term = read_kind(kProxTerms, "kind", group, problem.dimension());
  group.done();
  group.place().explain([&] { problem.regularize(std::move(term)); });
}

void write_prox(const Problem& problem, const Hdf5Writer& group) {
  write_kind(kProxTerms, "kind", problem.prox().stored(), problem.prox().kind(), group);
}

}  // namespace pliant::io

std::vector<pliant::KindInfo> pliant::prox_kinds() { return io::describe(io::kProxTerms); }
