#include "certify/exact_dual.hpp"

#include "linalg/sums.hpp"

#include <cmath>
#include <vector>

namespace pliant {
namespace {

// f = weight * term + c'x + constant
struct Objective {
  const ObjectiveTerm* term = nullptr;
  double weight = 0.0;
  Vector c;
  double constant = 0.0;
  bool only_term = true;
};

std::optional<Objective> one_term(const Problem& problem) {
  if (problem.has_prox() || !problem.conic().empty()) return std::nullopt;
  Objective out;
  out.c = Vector::Zero(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight == 0.0) continue;
    if (const LinearForm linear = t.term->structure().linear) {
      out.c += t.weight * Eigen::Map<const Vector>(linear.c->data(), linear.c->size());
      out.constant += t.weight * linear.constant;
      out.only_term = false;
      continue;
    }
    if (out.term != nullptr) return std::nullopt;
    out.term = t.term.get();
    out.weight = t.weight;
  }
  // Asked once before any row is read: most terms have no closed form.
  if (out.term == nullptr || !out.term->minimum_with(out.c)) return std::nullopt;
  return out;
}

// G += sum lambda_i g_i and returns sum lambda_i b_i, from the rows with a multiplier; nullopt if one is not linear.
std::optional<double> add_linear_rows(ConstraintSystem& system, ConstVectorRef multipliers, Vector& G) {
  const Vector origin = Vector::Zero(G.size());
  double beta = 0.0;
  for (Index s = 0; s < system.segments(); ++s) {
    const ConstraintBatch& batch = system.batch(s);
    const Index begin = system.segment_begin(s);
    std::vector<Index> used;
    for (Index i = 0; i < batch.size(); ++i) {
      if (multipliers[begin + i] != 0.0) used.push_back(i);
    }
    if (used.empty()) continue;
    if (!batch.linear()) return std::nullopt;
    const Rows rows = Rows::list(used);
    Vector lambda(rows.size()), a(rows.size()), w(rows.size());
    for (Index k = 0; k < rows.size(); ++k) lambda[k] = multipliers[begin + rows[k]];
    batch.sweep(
        origin, rows,
        [&](Index first, Index count, const double*, double* out) { std::copy_n(lambda.data() + first, count, out); },
        a, w, G);
    system.charge(s, rows);
    beta -= pairwise_sum(0, rows.size(), [&](Index k) { return lambda[k] * a[k]; });
  }
  return beta;
}

}  // namespace

std::optional<double> exact_dual_value(const Problem& problem, ConstraintSystem& system, ConstVectorRef multipliers) {
  const std::optional<Objective> f = one_term(problem);
  if (!f) return std::nullopt;
  Vector G = f->c;
  const std::optional<double> rows = add_linear_rows(system, multipliers, G);
  if (!rows) return std::nullopt;
  const double beta = *rows - f->constant;
  const LinearMinimum minimum = *f->term->minimum_with(G / f->weight);
  const double degree = f->weight * minimum.log_degree;
  if (f->only_term && degree > 0.0 && beta > 0.0) {
    const double scale = degree / beta;
    return f->weight * minimum.value + degree * std::log(scale) - scale * beta;
  }
  return f->weight * minimum.value - beta;
}

}  // namespace pliant
