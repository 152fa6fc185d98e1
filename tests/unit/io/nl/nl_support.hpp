// NL files from text, with the header that fits.
#pragma once

#include "../io_support.hpp"
#include "io/nl/nl_problem.hpp"

#include <fmt/format.h>

#include <string>

namespace pliant::testing {

/// The ten lines of a header; `discrete` is the seventh.
inline std::string nl_header(int variables, int rows, int objectives = 1, const std::string& discrete = "0 0 0 0 0") {
  return fmt::format(
      "g3 1 1 0\t# problem unknown\n {} {} {} 0 0\n 1 1 0 0 0 0\n 0 0\n 2 2 2\n 0 0 0 1\n {}\n 2 2\n 0 0\n 0 0 0 0 0\n",
      variables, rows, objectives, discrete);
}

class NlTest : public ::testing::Test {
 protected:
  fs::path file(const std::string& text, const std::string& name = "p.nl") const {
    write_bytes(directory_ / name, text);
    return directory_ / name;
  }
  Problem read(const std::string& text) const { return read_problem(file(text)); }
  /// The message behind the file's name.
  std::string error(const std::string& text) const {
    const fs::path path = file(text);
    const std::string message = error_of([&] { read_problem(path).validate(); });
    const std::string prefix = path.string() + ": ";
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message.starts_with(prefix) ? message.substr(prefix.size()) : message;
  }

  TemporaryDirectory directory_;
};

}  // namespace pliant::testing
