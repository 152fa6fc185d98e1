#include "prox/sized_set.hpp"

#include "checks/array_checks.hpp"

#include <fmt/format.h>

namespace pliant {

SizedSet::SizedSet(std::string_view kind, Index n, double radius) : kind_(kind), n_(n), radius_(radius) {
  if (n_ <= 0) throw InputError(fmt::format("{}: expected at least 1 variable, got {}", kind_, n_));
  expect_positive(fmt::format("{}: radius", kind_), radius_);
}

}  // namespace pliant
