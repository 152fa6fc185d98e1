// "-" as the name of a problem: standard input.
#pragma once

#include "io/temporary_files.hpp"

#include <optional>
#include <string>

namespace pliant::cli {

inline constexpr const char* kStandardInput = "standard input";

/// All of standard input in a temporary file, because readers open a file more than once and map it. What was mapped
/// stays when the file goes with this object. Throws InputError.
class KeptInput {
 public:
  KeptInput();
  ~KeptInput();
  KeptInput(const KeptInput&) = delete;
  KeptInput& operator=(const KeptInput&) = delete;

  const std::string& file() const { return name_; }

 private:
  void copy_to(int file) const;

  std::string name_;
  std::optional<io::ListedTemporary> listed_;
};

}  // namespace pliant::cli
