// What the process is busy with, for somebody who wonders why nothing happens: a few long pieces of work say so.
#pragma once

#include <chrono>
#include <optional>

namespace pliant::machine {

/// While it lives, its text says what goes on; then that of the one around it does again. Several solves at a time say
/// what the latest of them began. Costs nothing worth counting.
class Activity {
 public:
  /// `what`: a string literal, "reading the problem".
  explicit Activity(const char* what);
  ~Activity();
  Activity(const Activity&) = delete;
  Activity& operator=(const Activity&) = delete;

  struct Now {
    const char* what;
    double seconds;  ///< since it began
  };
  /// None: nothing that takes long.
  static std::optional<Now> now();

 private:
  const char* around_;
};

}  // namespace pliant::machine
