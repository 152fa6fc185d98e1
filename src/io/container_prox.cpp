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

bool write_separable(const ProxTerm& term, const Hdf5Writer& group) {
  const SeparableParameters* parameters = separable_parameters(term);
  if (parameters == nullptr) return false;
  group.number("l1", parameters->l1);
  group.number("l2", parameters->l2);
  if (!parameters->lo.empty()) group.doubles("lo", {parameters->lo.size()}, parameters->lo);
  if (!parameters->hi.empty()) group.doubles("hi", {parameters->hi.size()}, parameters->hi);
  return true;
}

ProxPtr read_simplex(Hdf5Reader& group, Index n) { return simplex(n, group.number("radius")); }
ProxPtr read_ball(Hdf5Reader& group, Index n) { return ball(n, group.number("radius")); }

bool write_radius(std::string_view kind, const ProxTerm& term, const Hdf5Writer& group) {
  if (term.kind() != kind) return false;
  group.number("radius", radius_parameter(term));
  return true;
}

bool write_simplex(const ProxTerm& term, const Hdf5Writer& group) { return write_radius("simplex", term, group); }
bool write_ball(const ProxTerm& term, const Hdf5Writer& group) { return write_radius("ball", term, group); }

ProxPtr read_group_l2(Hdf5Reader& group, Index n) {
  Indices groups = group.indices("groups", {n});
  return group_l2(std::move(groups), group.doubles("weights", {kAny}));
}

bool write_group_l2(const ProxTerm& term, const Hdf5Writer& group) {
  const GroupParameters* parameters = group_parameters(term);
  if (parameters == nullptr) return false;
  group.indices("groups", {parameters->groups.size()}, parameters->groups);
  group.doubles("weights", {parameters->weights.size()}, parameters->weights);
  return true;
}

using ProxKind = Kind<ProxTerm, ProxPtr>;

constexpr std::array kProxTerms{
    ProxKind{"separable", read_separable, write_separable},
    ProxKind{"simplex", read_simplex, write_simplex},
    ProxKind{"ball", read_ball, write_ball},
    ProxKind{"group_l2", read_group_l2, write_group_l2},
};

}  // namespace

void read_prox(Hdf5Reader group, Problem& problem) {
  ProxPtr term = read_kind(kProxTerms, "kind", group, problem.dimension());
  group.done();
  group.place().explain([&] { problem.regularize(std::move(term)); });
}

void write_prox(const Problem& problem, const Hdf5Writer& group) {
  write_kind(kProxTerms, "kind", problem.prox(), problem.prox().kind(), group);
}

}  // namespace pliant::io
