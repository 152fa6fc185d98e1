// Names of files that must not outlive the process, for whoever ends it without unwinding: a signal handler.
#pragma once

#include <filesystem>

namespace pliant::io {

/// A temporary file on the list while this lives. A name that is too long, or one too many, is not on it.
class ListedTemporary {
 public:
  explicit ListedTemporary(const std::filesystem::path& file) noexcept;
  ~ListedTemporary();
  ListedTemporary(const ListedTemporary&) = delete;
  ListedTemporary& operator=(const ListedTemporary&) = delete;

 private:
  int slot_ = -1;  // -1: not on the list
};

/// Removes the files on the list. Allowed in a signal handler, as the last thing before the end.
void remove_listed_temporaries() noexcept;

}  // namespace pliant::io
