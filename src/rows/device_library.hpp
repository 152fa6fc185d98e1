// libpliant_cuda.so (src/cuda), loaded when somebody asks for a card: one build serves machines with and without one.
#pragma once

#include "cuda/pliant_cuda.h"

#include <cstdint>

namespace pliant {

/// The functions of the library, loaded at the first call: from the file that PLIANT_CUDA_LIBRARY names, from beside this
/// library, or from where the system looks. Throws InputError that says what is missing.
const pliant_cuda_api& device_library();

/// Throws InputError with the library's line unless `code` is 0.
void expect_done(const pliant_cuda_api& api, int code);

}  // namespace pliant
