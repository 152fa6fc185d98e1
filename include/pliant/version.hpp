#pragma once

#include <string_view>

namespace pliant {

std::string_view version();

}  // namespace pliant
