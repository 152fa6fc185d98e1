// The cores this process may run on.
#pragma once

#include <sched.h>

namespace pliant::machine {

/// Their number, at least 1. An mpirun that binds processes leaves each of them few.
int usable_cores();

/// Adds those of `others`, for the calling thread and for threads it starts from now on. Where the system refuses, nothing
/// changes: whoever asks for more threads than usable_cores() gains nothing, and loses little.
void use_cores_too(const cpu_set_t& others);

/// Those of the calling thread.
cpu_set_t own_cores();

}  // namespace pliant::machine
