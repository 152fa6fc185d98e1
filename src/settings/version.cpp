#include "pliant/version.hpp"

namespace pliant {

std::string_view version() { return PLIANT_VERSION; }

}  // namespace pliant
