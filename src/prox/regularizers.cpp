// Factories of the separable terms, their combination, and the parameters of every term.
#include "pliant/regularizers.hpp"

#include "checks/array_checks.hpp"
#include "prox/ball.hpp"
#include "prox/group_l2.hpp"
#include "prox/separable.hpp"
#include "prox/simplex.hpp"

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
std::string_view combined_kind(const SeparableProx& a, const SeparableProx& b, const SeparableParameters& sum) {
  if (a.kind() == b.kind()) return a.kind();
  if (sum.lo.empty()) return "elastic_net";
  return sum.l1 == 0.0 && sum.l2 == 0.0 ? "box" : "separable";
}

void intersect_bounds(const SeparableProx& a, const SeparableProx& b, SeparableParameters& sum) {
  if (!a.has_bounds() || !b.has_bounds()) {
    const SeparableParameters& bounded = (a.has_bounds() ? a : b).parameters();
    sum.lo = bounded.lo;
    sum.hi = bounded.hi;
    return;
  }
  std::vector<double> lo, hi;
  for (Index j = 0; j < a.dimension(); ++j) {
    lo.push_back(std::max(a.parameters().lo[j], b.parameters().lo[j]));
    hi.push_back(std::min(a.parameters().hi[j], b.parameters().hi[j]));
    if (lo.back() > hi.back()) {
      throw InputError(fmt::format("{} and {}: no value of variable {} satisfies both (lo {} > hi {})", a.kind(),
                                   b.kind(), j, lo.back(), hi.back()));
    }
  }
  sum.lo = Doubles(std::move(lo));
  sum.hi = Doubles(std::move(hi));
}

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
  const auto* left = dynamic_cast<const SeparableProx*>(a.get());
  const auto* right = dynamic_cast<const SeparableProx*>(b.get());
  if (left != nullptr && left->trivial()) return b;
  if (right != nullptr && right->trivial()) return a;
  if (left == nullptr || right == nullptr) {
    throw InputError(
        fmt::format("{} cannot be combined with {}: only separable terms (l1, l2_squared, elastic_net, "
                    "box, nonnegative) combine",
                    a->kind(), b->kind()));
  }
  left->validate();  // an intersection would hide a NaN bound
  right->validate();
  SeparableParameters sum;
  sum.l1 = left->parameters().l1 + right->parameters().l1;
  sum.l2 = left->parameters().l2 + right->parameters().l2;
  intersect_bounds(*left, *right, sum);
  const std::string_view kind = combined_kind(*left, *right, sum);
  return separable(kind, a->dimension(), std::move(sum));
}

const SeparableParameters* separable_parameters(const ProxTerm& term) {
  const auto* found = dynamic_cast<const SeparableProx*>(&term);
  return found != nullptr ? &found->parameters() : nullptr;
}

const GroupParameters* group_parameters(const ProxTerm& term) {
  const auto* found = dynamic_cast<const GroupL2Prox*>(&term);
  return found != nullptr ? &found->parameters() : nullptr;
}

double radius_parameter(const ProxTerm& term) {
  if (const auto* found = dynamic_cast<const SimplexProx*>(&term)) return found->radius();
  if (const auto* found = dynamic_cast<const BallProx*>(&term)) return found->radius();
  return 0.0;
}

}  // namespace pliant
