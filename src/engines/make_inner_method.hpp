// From the name of a method to the method.
#pragma once

#include "engines/inner_method.hpp"
#include "pliant/settings.hpp"

#include <memory>

namespace pliant {

/// How components are drawn.
struct Draws {
  Index batch_size = 1;
  Sampling sampling = Sampling::importance;
};

/// Any method but `auto`, `path` and `sdca`. Throws InputError where the method cannot sample as asked.
std::unique_ptr<InnerMethod> make_inner_method(Method method, const Problem& problem, Index seed,
                                               const Draws& draws = {});

}  // namespace pliant
