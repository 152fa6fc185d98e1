#include "certify/exact_dual.hpp"

#include "certify/lagrangian_enclosure.hpp"
#include "linalg/rounding.hpp"

#include <cmath>

namespace pliant {
namespace {

// f = weight * term + c'x + constant
struct Objective {
  const ObjectiveTerm* term = nullptr;
  double weight = 0.0;
  Vector c, c_size;
  double constant = 0.0, constant_size = 0.0;
  bool only_term = true;
};

std::optional<Objective> one_term(const Problem& problem) {
  // Multipliers are scaled, which the prices of soft rows may not allow.
  if (problem.has_prox() || problem.has_soft_rows() || !problem.conic().empty()) return std::nullopt;
  Objective out;
  out.c = out.c_size = Vector::Zero(problem.dimension());
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (t.weight == 0.0) continue;
    if (const LinearForm linear = t.term->structure().linear) {
      const Eigen::Map<const Vector> c(linear.c->data(), linear.c->size());
      out.c += t.weight * c;
      out.c_size += t.weight * c.cwiseAbs();
      out.constant += t.weight * linear.constant;
      out.constant_size += t.weight * std::abs(linear.constant);
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

}  // namespace

std::optional<double> exact_dual_value(const Problem& problem, ConstraintSystem& system, ConstVectorRef multipliers) {
  const std::optional<Objective> f = one_term(problem);
  if (!f || system.grouped()) return std::nullopt;
  LagrangianEnclosure rows;
  rows.gradient = f->c;
  if (!enclose_linear_rows(system, multipliers, rows)) return std::nullopt;
  const double operations = kAround + static_cast<double>(problem.terms().size());
  const Vector G = (f->c + rows.gradient) / f->weight;
  const Vector size = f->c_size + rows.gradient.cwiseAbs() + rows.gradient_error;
  const Vector slack = (kInflation * rows.gradient_error + gamma_of(operations) * size) / f->weight +
                       Vector::Constant(G.size(), kUnderflow);
  const std::optional<LinearMinimum> minimum = f->term->minimum_within(G, slack);
  if (!minimum) return std::nullopt;
  // beta = sum lambda_i b_i - constant, from above.
  const double beta = -rows.value - f->constant + rows.value_error +
                      rounding_error(operations, std::abs(rows.value) + rows.value_error + f->constant_size);
  const double degree = f->weight * minimum->log_degree;
  const double scale = f->only_term && degree > 0.0 && beta > 0.0 ? degree / beta : 1.0;
  const double logarithm = degree * std::log(scale);
  const double parts = std::abs(f->weight * minimum->value) + std::abs(logarithm) + scale * std::abs(beta) + degree;
  return f->weight * minimum->value + logarithm - scale * beta - rounding_error(operations, parts);
}

}  // namespace pliant
