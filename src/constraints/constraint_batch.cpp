#include "pliant/constraint_batch.hpp"

#include <fmt/format.h>

namespace pliant {

const RowConstants* ConstraintBatch::constants() const {
  std::call_once(constants_once_, [this] { constants_ = compute_constants(); });
  return constants_ ? &*constants_ : nullptr;
}

void ConstraintBatch::growth(ConstVectorRef, ConstVectorRef, Rows, VectorRef slope, VectorRef curvature) const {
  slope.setConstant(kInfinity);
  curvature.setConstant(kInfinity);
}

// a(y) <= a(x) + |grad a(x)| rho + L/2 rho^2 for |y - x| <= rho, by L-smoothness.
std::shared_ptr<ConstraintBatch> ConstraintBatch::with_constants(Doubles) const {
  throw InputError(
      fmt::format("{} constraints: their constant terms cannot be changed alone; replace the batch", family()));
}

void ConstraintBatch::ball_upper_bound(Rows rows, ConstVectorRef a, ConstVectorRef norms, double radius,
                                       VectorRef out) const {
  const RowConstants* known = constants();
  if (known == nullptr) {
    out.setConstant(kInfinity);
    return;
  }
  for (Index k = 0; k < rows.size(); ++k) {
    out[k] = a[k] + norms[k] * radius + 0.5 * known->smoothness[rows[k]] * radius * radius;
  }
}

}  // namespace pliant
