// Signals that ask a command to stop.
#pragma once

#include <atomic>

namespace pliant::cli {

/// From here on the first SIGINT or SIGTERM sets what is returned; the second kills as usual.
const std::atomic<bool>& catch_signals();

}  // namespace pliant::cli
