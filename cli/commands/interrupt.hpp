// Signals that ask a command to stop.
#pragma once

#include <atomic>

namespace pliant::cli {

/// From here on the first SIGINT or SIGTERM sets what is returned; the second kills as usual.
const std::atomic<bool>& catch_signals();

/// A mapped file that is cut short while it is read ends the command with one line that names it.
void catch_truncated_files();

}  // namespace pliant::cli
