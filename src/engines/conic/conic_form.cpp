#include "engines/conic/conic_form.hpp"

#include "pliant/svec.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace pliant {

void validate(const ConicForm& form) {
  const Index n = form.variables();
  if (form.P.rows() != n || form.P.cols() != n || form.G.cols() != n || form.G.rows() != form.rows()) {
    throw InputError(fmt::format("conic form: expected P {0} x {0} and G {1} x {0}, got {2} x {3} and {4} x {5}", n,
                                 form.rows(), form.P.rows(), form.P.cols(), form.G.rows(), form.G.cols()));
  }
  Index rows = 0;
  for (std::size_t k = 0; k < form.cones.size(); ++k) {
    const Cone& cone = form.cones[k];
    const bool three = cone.kind == ConeKind::exponential || cone.kind == ConeKind::power;
    const bool triangle = cone.kind != ConeKind::semidefinite || svec_order(cone.rows).has_value();
    if (cone.rows < 0 || !triangle || (cone.kind == ConeKind::second_order && cone.rows < 1) ||
        (three && cone.rows != 3)) {
      throw InputError(fmt::format("conic form: cone {} cannot have {} rows", k, cone.rows));
    }
    if (cone.kind == ConeKind::power && !(cone.alpha > 0.0 && cone.alpha < 1.0)) {
      throw InputError(fmt::format("conic form: cone {}: expected 0 < alpha < 1, got {}", k, cone.alpha));
    }
    rows += cone.rows;
  }
  if (rows != form.rows()) {
    throw InputError(fmt::format("conic form: expected cones over {} rows, got {}", form.rows(), rows));
  }
}

Equilibration equilibrate(ConicForm& form) {
  constexpr double kLargest = 1e4;  // factors beyond this and its inverse would only hide what rounding took
  constexpr EquilibrationRules kRules{.least = 1.0 / kLargest,
                                      .largest = kLargest,
                                      .least_cost = 1.0 / kLargest,
                                      .largest_cost = kLargest,
                                      .cost_of_nothing = 1.0};
  std::vector<RowGroup> groups;
  Index first = 0;
  for (const Cone& cone : form.cones) {
    const bool separate = cone.kind == ConeKind::zero || cone.kind == ConeKind::nonnegative;
    if (!separate) groups.push_back({first, cone.rows});
    first += cone.rows;
  }
  Equilibration out = equilibrate(form, form.G, groups, kRules);
  form.h.array() *= out.rows.array();
  out.size = form.rows() > 0 ? std::max(1.0, form.h.lpNorm<Eigen::Infinity>()) : 1.0;
  form.h /= out.size;
  form.P *= out.size;
  scale_cost(form, kRules, out);
  return out;
}

}  // namespace pliant
