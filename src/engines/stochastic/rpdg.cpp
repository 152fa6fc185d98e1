#include "engines/stochastic/rpdg.hpp"

#include "machine/memory.hpp"
#include "objective/generalized_linear.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace pliant {
namespace {

constexpr const char* kNeedsStrongConvexity =
    "needs strong convexity in the simple term (l2_squared) or in a quadratic term of the objective";

}  // namespace

std::string Rpdg::obstacle(const Problem& problem, Index memory) {
  double mu = problem.prox().strong_convexity();
  Index vectors = 0;  // components that need u_i and y_i
  for (const Problem::WeightedTerm& t : problem.terms()) {
    if (!(t.weight > 0.0) || is_generalized_linear(*t.term) || t.term->smoothness() == 0.0) continue;
    // Of a term of one component only what is left beside its strong convexity is sampled (component_sum.hpp).
    const double handed_over = t.term->components() == 1 ? t.term->strong_convexity() : 0.0;
    mu += t.weight * handed_over;
    if (t.term->smoothness() > handed_over * (1.0 + ComponentSum::kRoundingOfBounds)) vectors += t.term->components();
  }
  for (const BatchPtr& batch : problem.batches()) {
    if (batch->linear_rows() == nullptr) vectors += batch->size();
  }
  if (!(mu > 0.0)) return kNeedsStrongConvexity;
  const double bytes = 2.0 * sizeof(double) * static_cast<double>(vectors) * static_cast<double>(problem.dimension());
  if (bytes > static_cast<double>(memory)) {
    return fmt::format(
        "keeps two vectors of {} numbers for each of {} components that are no data rows: {} with {} of memory "
        "(--memory-limit)",
        problem.dimension(), vectors, machine::human_bytes(static_cast<Index>(bytes)), machine::human_bytes(memory));
  }
  return {};
}

void Rpdg::start(const PenalizedFunction&, const InnerPoint& point) {
  if (!(prox().strong_convexity() > 0.0)) throw InputError(fmt::format("--method rpdg: {}", kNeedsStrongConvexity));
  ComponentSum& sum = components();
  start_ = previous_ = extrapolated_ = point.x;
  sum_ = gradient();
  inner_.setConstant(sum.size(), std::numeric_limits<double>::quiet_NaN());
  slope_.resize(sum.size());
  slot_.assign(static_cast<std::size_t>(sum.size()), -1);
  Index slots = 0;
  for (Index i = 0; i < sum.size(); ++i) {
    if (sum.scalar(i)) {
      slope_[i] = sum.snapshot_slope(i);
    } else if (sum.smoothness(i) > 0.0) {
      slot_[static_cast<std::size_t>(i)] = slots++;
    }
  }
  u_ = start_.replicate(1, slots);
  y_.setZero(point.x.size(), slots);
  point_ = start_;
  difference_.setZero(point.x.size());
  for (Index i = 0; i < sum.size(); ++i) {
    const Index slot = slot_[static_cast<std::size_t>(i)];
    if (slot < 0) continue;
    difference_.setZero();
    sum.add_gradient(i, start_, 1.0, difference_);
    y_.col(slot) = difference_;
  }
}

RowView Rpdg::update(Index i, double tau) {
  ComponentSum& sum = components();
  const double share = 1.0 / (1.0 + tau);
  const Index slot = slot_[static_cast<std::size_t>(i)];
  if (slot < 0) {
    const RowView row = sum.row(i);
    const double before = std::isnan(inner_[i]) ? row.dot(start_.data()) : inner_[i];
    inner_[i] = share * (row.dot(extrapolated_.data()) + tau * before);
    const double slope = sum.slope(i, inner_[i]);
    change_ = slope - slope_[i];
    slope_[i] = slope;
    return row;
  }
  u_.col(slot) = share * (extrapolated_ + tau * u_.col(slot));
  point_ = u_.col(slot);
  difference_.setZero();
  sum.add_gradient(i, point_, 1.0, difference_);
  y_.col(slot).swap(difference_);
  difference_ = y_.col(slot) - difference_;
  change_ = 1.0;
  return {difference_.data(), nullptr, difference_.size()};
}

Rpdg::Coefficients Rpdg::coefficients() const {
  const double k = static_cast<double>(components().sampled());
  const double mu = prox().strong_convexity();
  const double C = 8.0 * components().total_smoothness() / mu;
  const double S = std::sqrt((k - 1.0) * (k - 1.0) + 4.0 * k * C);
  return {(S - (k - 1.0)) / (2.0 * k), 0.5 * mu * (S + k - 1.0), 1.0 - 1.0 / (k + 1.0 + S), k + 1.0 + S};
}

void Rpdg::epoch(InnerPoint& point) {
  ComponentSum& sum = components();
  const auto [tau, eta, a, unused] = coefficients();
  const Index steps = static_cast<Index>(std::ceil(parameters_.epoch_length * static_cast<double>(sum.sampled())));
  for (Index step = 0; step < steps; ++step) {
    extrapolated_ = point.x + a * (point.x - previous_);
    if (!inside(extrapolated_)) break;
    const Index i = draw();
    const RowView row = update(i, tau);
    previous_ = point.x;
    point.x -= sum_ / eta;
    row.add(-change_ / (eta * sum.probability(i)), point.x.data());
    prox().apply(1.0 / eta, point.x);
    row.add(change_, sum_.data());
  }
}

}  // namespace pliant
