// What the library says of bad input.
#pragma once

#include "pliant/types.hpp"

#include <string>

namespace pliant::testing {

/// The message of the InputError that the action throws; "accepted" if it throws none.
template <class Action>
std::string refusal_of(const Action& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace pliant::testing
