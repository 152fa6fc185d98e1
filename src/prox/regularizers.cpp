// Factories of the separable terms, their combination, and the parameters of every term.
#include "pliant/regularizers.hpp"

#include "checks/array_checks.hpp"
#include "prox/separable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace pliant {
namespace {

ProxPtr separable(std::string_view kind, Index n, SeparableParameters parameters) {
  return std::make_shared<SeparableProx>(kind, n, std::move(parameters));
}

Doubles constant_array(Index n, double value) {
  return Doubles(std::vector<double>(static_cast<std::size_t>(std::max<Index>(n, 0)), value));
}

// The kind of a sum: that of its parts where they agree, else the narrowest one that fits.
std::string_view combined_kind(const ProxTerm& a, const ProxTerm& b, const SeparableParameters& sum) {
  if (a.kind() == b.kind()) return a.kind();
  if (sum.lo.empty()) return "elastic_net";
  return sum.l1 == 0.0 && sum.l2 == 0.0 ? "box" : "separable";
}

void intersect_bounds(const ProxTerm& a, const ProxTerm& b, SeparableParameters& sum) {
  const SeparableParameters& left = *a.structure().separable;
  const SeparableParameters& right = *b.structure().separable;
  if (left.lo.empty() || right.lo.empty()) {
    const SeparableParameters& bounded = left.lo.empty() ? right : left;
    sum.lo = bounded.lo;
    sum.hi = bounded.hi;
    return;
  }
  std::vector<double> lo, hi;
  for (Index j = 0; j < a.dimension(); ++j) {
    lo.push_back(std::max(left.lo[j], right.lo[j]));
    hi.push_back(std::min(left.hi[j], right.hi[j]));
    if (lo.back() > hi.back()) {
      throw InputError(fmt::format("{} and {}: no value of variable {} satisfies both (lo {} > hi {})", a.kind(),
                                   b.kind(), j, lo.back(), hi.back()));
    }
  }
  sum.lo = Doubles(std::move(lo));
  sum.hi = Doubles(std::move(hi));
}

// Whether psi = 0 everywhere.
bool trivial(const SeparableParameters& psi) { return psi.l1 == 0.0 && psi.l2 == 0.0 && psi.lo.empty(); }

}  // namespace

ProxPtr no_regularizer(Index n) { return separable("none", n, {}); }

ProxPtr l1(Index n, double w) {
  expect_nonnegative("l1: w", w);
  return separable("l1", n, {w, 0.0, {}, {}});
}

ProxPtr l2_squared(Index n, double w) {
  expect_nonnegative("l2_squared: w", w);
  return separable("l2_squared", n, {0.0, w, {}, {}});
}

ProxPtr elastic_net(Index n, double w1, double w2) {
  expect_nonnegative("elastic_net: w1", w1);
  expect_nonnegative("elastic_net: w2", w2);
  return separable("elastic_net", n, {w1, w2, {}, {}});
}

ProxPtr box(Doubles lo, Doubles hi) {
  expect_entries("box: hi", lo.size(), hi.size());
  const Index n = lo.size();
  return separable("box", n, {0.0, 0.0, std::move(lo), std::move(hi)});
}

ProxPtr nonnegative(Index n) {
  return separable("nonnegative", n, {0.0, 0.0, constant_array(n, 0.0), constant_array(n, kInfinity)});
}

ProxPtr combine(const ProxPtr& a, const ProxPtr& b) {
  if (a->dimension() != b->dimension()) {
    throw InputError(
        fmt::format("{} and {}: {} and {} variables", a->kind(), b->kind(), a->dimension(), b->dimension()));
  }
  const SeparableParameters* left = a->structure().separable;
  const SeparableParameters* right = b->structure().separable;
  if (left != nullptr && trivial(*left)) return b;
  if (right != nullptr && trivial(*right)) return a;
  if (left == nullptr || right == nullptr) {
    throw InputError(
        fmt::format("{} cannot be combined with {}: only separable terms (l1, l2_squared, elastic_net, "
                    "box, nonnegative) combine",
                    a->kind(), b->kind()));
  }
  a->validate();  // an intersection would hide a NaN bound
  b->validate();
  SeparableParameters sum;
  sum.l1 = left->l1 + right->l1;
  sum.l2 = left->l2 + right->l2;
  intersect_bounds(*a, *b, sum);
  const std::string_view kind = combined_kind(*a, *b, sum);
  return separable(kind, a->dimension(), std::move(sum));
}

const SeparableParameters* separable_parameters(const ProxTerm& term) { return term.structure().separable; }

const GroupParameters* group_parameters(const ProxTerm& term) { return term.structure().groups; }

double radius_parameter(const ProxTerm& term) { return term.structure().radius; }

}  // namespace pliant
