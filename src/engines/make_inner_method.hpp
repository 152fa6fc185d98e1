// From the name of a method to the method.
#pragma once

#include "engines/inner_method.hpp"
#include "pliant/settings.hpp"

#include <memory>

namespace pliant {

/// Any method but `auto` and `path`. Throws InputError where the method cannot sample as asked.
std::unique_ptr<InnerMethod> make_inner_method(Method method, const Problem& problem, Index seed,
                                               Sampling sampling = Sampling::importance);

}  // namespace pliant
