// Signals that ask a command to stop.
#pragma once

#include <atomic>

namespace pliant::cli {

/// SIGINT, SIGTERM and SIGHUP end the command, and take the files it has not finished with them. Writing to what is full or
/// gone, or beyond a limit, is an error like others instead of a signal.
void handle_signals();

/// From here on the first SIGINT or SIGTERM sets what is returned; the second ends the command. Signals that were
/// ignored when the command began stay so.
const std::atomic<bool>& catch_signals();

/// A mapped file that is cut short while it is read ends the command with one line that names it.
void catch_truncated_files();

}  // namespace pliant::cli
