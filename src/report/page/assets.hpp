// The files in assets/, built in (embed.cmake).
#pragma once

#include <string_view>

namespace pliant::report {

extern const std::string_view kStyleSheet;
extern const std::string_view kScript;

}  // namespace pliant::report
