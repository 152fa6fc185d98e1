// A file that appears complete or not at all.
#pragma once

#include "io/temporary_files.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>

namespace pliant::io {

/// Reserves a temporary name beside `target` at once, so that an unwritable place is reported before
/// the work that fills the file. commit() renames it to `target`; without it the destructor removes it.
class AtomicFile {
 public:
  explicit AtomicFile(const std::filesystem::path& target);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// The empty file to write to.
  const std::filesystem::path& temporary() const { return temporary_; }
  void commit();

 private:
  std::filesystem::path shown_;  // as the caller named it, for messages
  std::filesystem::path target_;
  std::filesystem::path temporary_;
  std::optional<ListedTemporary> pending_;
};

/// A text output: "-" is standard output, devices and pipes are written in place, anything else is an
/// AtomicFile. Nothing appears at the target unless commit() returns.
class TextOutput {
 public:
  explicit TextOutput(const std::filesystem::path& target);
  ~TextOutput();
  std::ostream& stream() { return *stream_; }
  void commit();

 private:
  std::filesystem::path shown_;
  std::unique_ptr<AtomicFile> file_;  // null: written in place
  std::ofstream owned_;
  std::ostream* stream_;
};

void write_text(const std::filesystem::path& target, std::string_view text);

}  // namespace pliant::io
