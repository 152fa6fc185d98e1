#include "certify/approximation.hpp"

#include "linalg/rounding.hpp"
#include "linalg/sums.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

// Distances that are attained (nu ln k, say) are computed with rounding, as are both functions.
constexpr double kStatedMargin = 1e-9;
constexpr double kValueMargin = 1e-12;

// Norms of positive parts, gathered row by row.
struct Excess {
  double sum = 0.0, squares = 0.0, largest = 0.0;

  void add(double a) {
    const double excess = std::isnan(a) ? kInfinity : std::max(0.0, a);
    sum += excess;
    squares += excess * excess;
    largest = std::max(largest, excess);
  }
};

bool within_stated_error(const Approximation& given, Index i, double a, double exact) {
  const double margin = kStatedMargin * given.error[i] + kValueMargin * (std::abs(a) + std::abs(exact));
  const double difference = exact - a;
  return difference <= given.rise(i) + margin && -difference <= given.fall(i) + margin;
}

void add_batch(const ConstraintBatch& batch, const Approximation& given, ConstVectorRef x, MeantFunctions& out,
               Excess& excess) {
  const Rows all = Rows::range(0, batch.size());
  Vector a(batch.size()), exact(batch.size());
  batch.values(x, all, a);
  if (given.exact) given.exact(x, all, exact);
  for (Index i = 0; i < batch.size(); ++i) {
    out.error = std::max(out.error, given.error[i]);
    excess.add(given.exact ? exact[i] : a[i] + given.rise(i));
    if (given.exact) out.holds = out.holds && within_stated_error(given, i, a[i], exact[i]);
  }
  out.rows += batch.size();
  out.measured = out.measured && static_cast<bool>(given.exact);
}

}  // namespace

double approximation_cost(const Approximation& given, Rows rows, ConstVectorRef lambda) {
  const double sum = pairwise_sum(0, rows.size(), [&](Index k) { return lambda[k] * given.fall(rows[k]); });
  if (sum == 0.0) return 0.0;
  const double longest = std::min(kPairwise, static_cast<double>(rows.size())) + kAround;
  return sum * (1.0 + kStatedMargin) + rounding_error(longest, sum);
}

std::optional<MeantFunctions> assess_approximation(ConstraintSystem& system, ConstVectorRef x,
                                                   ConstVectorRef multipliers) {
  MeantFunctions out;
  Excess excess;
  for (Index s = 0; s < system.segments(); ++s) {
    const ConstraintBatch& batch = system.batch(s);
    const Approximation* given = batch.structure().approximates;
    if (given == nullptr || batch.size() == 0) continue;
    add_batch(batch, *given, x, out, excess);
    const Rows all = Rows::range(0, batch.size());
    out.cost = rounded_up(out.cost +
                          approximation_cost(*given, all, multipliers.segment(system.segment_begin(s), batch.size())));
    system.charge(s, all);
  }
  if (out.rows == 0) return std::nullopt;
  out.violation_l1 = excess.sum;
  out.violation_l2 = std::sqrt(excess.squares);
  out.violation_linf = excess.largest;
  return out;
}

}  // namespace pliant
