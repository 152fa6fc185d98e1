// The protocol of AMPL's solvers: `pliant STUB -AMPL [name=value ...]` reads STUB.nl and writes STUB.sol.
#pragma once

#include <span>

namespace pliant::cli {

/// Whether the arguments behind the command's name ask for it.
bool asks_for_ampl(std::span<char* const> arguments);
/// Settings come from the environment variable pliant_options, then from the arguments. Returns 0 once the .sol file is
/// written, whatever it says. Throws InputError.
int run_ampl(std::span<char* const> arguments);

}  // namespace pliant::cli
