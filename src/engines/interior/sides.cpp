#include "engines/interior/sides.hpp"

namespace pliant {

Sides::Sides(const StandardForm& form) {
  std::vector<double> signs, offsets;
  const auto add = [&](Index at, double s, double bound) {
    place.push_back(at);
    signs.push_back(s);
    offsets.push_back(s * bound);
    partner.push_back(-1);
  };
  const auto add_both = [&](Index at, double lo, double hi) {
    const auto first = static_cast<Index>(place.size());
    if (hi < kInfinity) add(at, 1.0, hi);
    if (lo > -kInfinity) add(at, -1.0, lo);
    if (static_cast<Index>(place.size()) == first + 2) {
      partner[static_cast<std::size_t>(first)] = first + 1;
      partner[static_cast<std::size_t>(first) + 1] = first;
    }
  };
  for (Index i = 0; i < form.rows(); ++i) {
    if (form.lo[i] == form.hi[i]) {
      equalities.push_back(i);
    } else {
      add_both(i, form.lo[i], form.hi[i]);
    }
  }
  rows = size();
  for (Index j = 0; j < form.variables(); ++j) add_both(j, form.lower[j], form.upper[j]);
  constraints = size();
  for (Index j = 0; j < form.l1.size(); ++j) add_both(j, 0.0, 0.0);
  sign = Eigen::Map<const Vector>(signs.data(), size());
  offset = Eigen::Map<const Vector>(offsets.data(), size());
}

}  // namespace pliant
