// Whether functions of the user are what they are said to be, as far as samples can tell.
#pragma once

#include "model/function_samples.hpp"

namespace pliant {

/// Throws InputError with a counterexample: values that are not convex, a gradient that is not that of the values, or
/// an approximation farther from what it stands for than stated. Beyond rounding, which is estimated from the values
/// themselves, every finding is certain; finding nothing proves nothing.
void check_functions(const SampledFunctions& functions, std::vector<Segment> segments);

}  // namespace pliant
